"""Compute the instants at which a schedule fires, including DST changes."""

from bisect import insort
from collections import deque
from collections.abc import Container, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache, partial
from itertools import islice, takewhile
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from services.kernel.errors import RequestRefused
from services.recurrence.calendars.workdays import Workdays
from services.recurrence.rules import ELAPSED, Rule, check_rule, load_calendar
from services.recurrence.schedule import Schedule, repeat_fires
from services.recurrence.wall_times import dates_from, elapsed_instants, grid_walls, has_common_shape, walk_dates

HORIZON = timedelta(days=3653)
_DAY = timedelta(days=1)


def next_after(schedule: Schedule, after: datetime) -> datetime | None:
    """Return the first fire strictly after `after` (timezone-aware), in UTC; None without any.

    A wall time in a DST gap moves forward by the gap; an ambiguous one means the first. Instants strictly increase, so
    two wall times with the same instant are one fire. "Every n minutes or hours" counts elapsed time, unless the rule
    also names hours, days or months.

    Raises:
        RequestRefused: `rule_not_understood` or `rule_too_often`: the rule is not supported.

    Source: RFC 5545 sections 3.3.5 and 3.3.10.
    """
    return next(fires_after(schedule, after.astimezone(UTC)), None)


def next_fires(schedule: Schedule, after: datetime, limit: int = 3) -> tuple[datetime, ...]:
    """Return at most `limit` fires after `after`, in the zone of the schedule."""
    zone = zone_of(schedule)
    return tuple(fire.astimezone(zone) for fire in islice(fires_after(schedule, after.astimezone(UTC)), limit))


def just_before(moment: datetime) -> datetime:
    """Return the last instant before `moment`: what is after it includes `moment` itself."""
    return moment - timedelta(microseconds=1)


def fires_between(schedule: Schedule, after: datetime, until: datetime) -> Iterator[datetime]:
    """Yield the fires after `after` up to and including `until` (both timezone-aware), ascending, in UTC.

    Raises:
        RequestRefused: zone or rule cannot be read.
    """
    return takewhile(lambda fire: fire <= until, fires_after(schedule, after.astimezone(UTC)))


def check(schedule: Schedule, now: datetime, asked_at: datetime | None = None) -> datetime:
    """Validate `schedule`, and return its first fire after `now` in UTC.

    A one-time schedule may be due between the request, `asked_at`, and now.

    Raises:
        RequestRefused: `time_in_past(due, now)`, `rule_never_fires`, `rule_not_understood(rule)`,
            `zone_unknown(zone)`.
    """
    zone = zone_of(schedule)
    if schedule.rule is not None:
        _check_meaning(schedule.rule)
    since = now if asked_at is None or schedule.rule is not None else min(asked_at, now)
    try:
        first = next_after(schedule, since)
    except OverflowError as error:
        raise RequestRefused("rule_never_fires", rule=str(schedule.rule)) from error
    if first is None and schedule.rule is None:
        due = resolve(schedule.start, zone)
        raise RequestRefused("time_in_past", due=due.astimezone(zone), now=now.astimezone(zone))
    if first is None or (schedule.rule is not None and first - now > HORIZON):
        raise RequestRefused("rule_never_fires", rule=str(schedule.rule))
    return first


def _check_meaning(rule: Rule) -> None:
    load_calendar(rule)
    try:
        check_rule(rule)
    except ValueError as error:
        raise RequestRefused("rule_not_understood", rule=str(rule), because=str(error)) from error


def resolve(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant of a naive wall time; its `fold` decides about an ambiguous one."""
    return wall.replace(tzinfo=zone).astimezone(UTC)


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return the instant at which `day` begins."""
    return resolve(datetime.combine(day, time.min), zone)


def zone_of(schedule: Schedule) -> ZoneInfo:
    """Return the zone of a schedule; raises as `load_zone`."""
    return load_zone(schedule.zone)


def load_zone(name: str) -> ZoneInfo:
    """Return the zone with an IANA name.

    Raises:
        RequestRefused: `zone_unknown(zone)`, there is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise RequestRefused("zone_unknown", zone=name) from error


def load_zone_or_utc(name: str) -> ZoneInfo:
    """Return the zone with an IANA name, or UTC if the zone data here is older than that with which it was stored."""
    try:
        return load_zone(name)
    except RequestRefused:
        return ZoneInfo("UTC")


def fires_after(schedule: Schedule, after: datetime) -> Iterator[datetime]:
    """Yield fires strictly after `after`, ascending, and their follow-ups."""
    if schedule.follow_up is None:
        return _until_end(schedule, after)
    if schedule.rule is not None and schedule.rule.is_elapsed:
        because = "a rule of elapsed time cannot have follow-ups"
        raise RequestRefused("rule_not_understood", rule=str(schedule.rule), because=because)
    return repeat_fires(schedule.follow_up, partial(_until_end, schedule), after)


def _until_end(schedule: Schedule, after: datetime) -> Iterator[datetime]:
    """Yield fires strictly after `after`, ascending, up to the end of the rule; no follow-ups."""
    if schedule.rule is not None:
        load_calendar(schedule.rule)
    last = last_instant(schedule)
    days = frozenset[date]() if schedule.rule is None else schedule.rule.except_days
    if last is None:
        return _without_exceptions(schedule, _instants(schedule, after, days))
    if after >= last:
        return iter(())
    return _without_exceptions(schedule, takewhile(lambda fire: fire <= last, _instants(schedule, after, days)))


def _without_exceptions(schedule: Schedule, fires: Iterator[datetime]) -> Iterator[datetime]:
    """Drop the days and wall times that the rule excludes; COUNT includes them, as RFC 5545 requires."""
    rule = schedule.rule
    if rule is None or not rule.has_exceptions:
        return fires
    zone = zone_of(schedule)
    return (fire for fire in fires if not rule.excludes(fire.astimezone(zone).replace(tzinfo=None, fold=0)))


def _instants(schedule: Schedule, after: datetime, without: Container[date] = ()) -> Iterator[datetime]:
    """Yield fires strictly after `after`, ascending, on other days than `without`, regardless of COUNT and UNTIL."""
    zone = zone_of(schedule)
    rule = schedule.rule
    if rule is None:
        due = resolve(schedule.start, zone)
        return iter((due,) if due > after else ())
    start = schedule.start.replace(microsecond=0)
    if rule.is_elapsed:
        return elapsed_instants(rule, resolve(start, zone), start.minute, after)
    start = start.replace(fold=0)
    # A day back, because a fire that a gap moved forward may belong to the date before.
    first = max(start, after.astimezone(zone).replace(tzinfo=None, fold=0) - _DAY)
    return _in_order(_walls_on_other_days(rule, start, first, without), zone, after)


def _walls_on_other_days(rule: Rule, start: datetime, first: datetime, without: Container[date]) -> Iterator[datetime]:
    """Yield wall times from `first` on; of the days `without`, which may have a thousand each, only one is computed."""
    begin: datetime | None = first
    while begin is not None:
        earliest, begin = begin, None
        for wall in _walls(rule, start, earliest):
            if wall < earliest:
                continue
            if wall.date() in without:
                begin = datetime.combine(wall.date() + _DAY, time.min)
                break
            yield wall


def _walls(rule: Rule, start: datetime, first: datetime) -> Iterator[datetime]:
    if rule.frequency in ELAPSED:
        return grid_walls(rule, start, first)
    return _arithmetic_walls(rule, start, first) if has_common_shape(rule) else walk_dates(rule, start, first)


def _arithmetic_walls(rule: Rule, start: datetime, first: datetime) -> Iterator[datetime]:
    clocks = rule.clock_times(start)
    for day in dates_from(rule, start.date(), first.date()):
        for clock in clocks:
            wall = datetime.combine(day, clock)
            if wall >= start:
                yield wall


def _in_order(walls: Iterator[datetime], zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """Convert ascending wall times to strictly ascending instants after `after`.

    A time that a gap moved forward is held until the instants before it have been yielded.
    """
    held: list[datetime] = []
    for wall in walls:
        instant = resolve(wall, zone)
        if instant.astimezone(zone).replace(tzinfo=None) != wall:
            insort(held, instant)
            continue
        for ready in _pop_until(held, instant):
            if ready > after:
                after = ready
                yield ready
        if instant > after:
            after = instant
            yield instant
    yield from (instant for instant in sorted(set(held)) if instant > after)


def _pop_until(held: list[datetime], instant: datetime) -> list[datetime]:
    """Remove the fires of `held` that are not after `instant`."""
    if not held:
        return held
    ready = [fire for fire in held if fire <= instant]
    del held[: len(ready)]
    return ready


@lru_cache(maxsize=8192)
def last_instant(schedule: Schedule) -> datetime | None:
    """Return the end by UNTIL or COUNT; None for an endless rule."""
    rule = schedule.rule
    if rule is None or (rule.count is None and rule.until is None):
        return None
    zone = zone_of(schedule)
    ends: list[datetime] = []
    if rule.until is not None:
        ends.append(rule.until if rule.until.tzinfo else resolve(rule.until, zone))
    if rule.count is not None:
        before = resolve(schedule.start, zone) - timedelta(days=2)
        ends.extend(list(islice(_instants(schedule, before), rule.count))[-1:])
    return min(ends) if ends else resolve(schedule.start, zone) - _DAY


_REACHES = (timedelta(hours=2), timedelta(hours=26), timedelta(days=8), timedelta(days=32), timedelta(days=367))


def previous_fire(schedule: Schedule, due: datetime) -> datetime | None:
    """Return the last fire of `schedule` before `due` (timezone-aware).

    None without any in a year, or if this version cannot read the rule.
    """
    if not schedule.is_repeated:
        return None
    with suppress(RequestRefused):
        for reach in _REACHES:
            before = takewhile(lambda fire: fire < due, fires_after(schedule, (due - reach).astimezone(UTC)))
            for last in deque(before, maxlen=1):
                return last.astimezone(zone_of(schedule))
    return None


def known_until(schedule: Schedule) -> date | None:
    """Return the last day with certain fires; None if all are certain, or this version cannot read the rule.

    Later fires follow weekends and fixed holidays until the library `holidays` is updated.
    """
    rule = schedule.rule
    if rule is not None and isinstance(rule.calendar, Workdays):
        with suppress(RequestRefused):
            load_calendar(rule)
            return rule.calendar.known_until
    return None
