"""Compute the expected fires of a schedule independently of `services.recurrence`.

dateutil walks RFC 5545 rules from their start in wall-clock time. This is exact, but slow for rules that are years old.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import dropwhile, takewhile
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from services.recurrence.fires import just_before, next_after, zone_of
from services.recurrence.rules import ELAPSED, CalendarDays, Rule, load_calendar
from services.recurrence.schedule import FollowUp, Schedule

_DAY = timedelta(days=1)


def expected_fires(schedule: Schedule, since: datetime, until: datetime) -> tuple[datetime, ...]:
    """Return the instants of `schedule` from `since` to `until`, both included and timezone-aware, in UTC.

    Raises:
        RequestRefused: zone or rule cannot be read.
    """
    zone = zone_of(schedule)
    if schedule.follow_up is not None:
        return _with_follow_ups(schedule.follow_up, replace(schedule, follow_up=None), since, until)
    rule = schedule.rule
    if rule is None:
        due = schedule.start.replace(tzinfo=zone).astimezone(UTC)
        return (due,) if since <= due <= until else ()
    load_calendar(rule)
    if rule.frequency in ELAPSED or rule.is_backward:
        return tuple(_by_recurrence(schedule, since, until))
    start = schedule.start.replace(microsecond=0, fold=0)
    last_wall = until.astimezone(zone).replace(tzinfo=None, fold=0) + _DAY
    walls = takewhile(lambda wall: wall <= last_wall, _walls(rule, start))
    ends = _end(rule, zone)
    found = {wall.replace(tzinfo=zone).astimezone(UTC) for wall in walls if not rule.excludes(wall)}
    return tuple(sorted(fire for fire in found if since <= fire <= until and (ends is None or fire <= ends)))


def _with_follow_ups(follow_up: FollowUp, schedule: Schedule, since: datetime, until: datetime) -> tuple[datetime, ...]:
    """Return the fires of `schedule` with their follow-ups until the reminder was done or the next fire came."""
    fires = expected_fires(schedule, since - follow_up.every * follow_up.times, until + _DAY)
    found = set(fires)
    for fire, following in zip(fires, (*fires[1:], datetime.max.replace(tzinfo=UTC)), strict=True):
        if follow_up.done_until is None or fire > follow_up.done_until:
            repeats = (fire + follow_up.every * number for number in range(1, follow_up.times + 1))
            found.update(again for again in repeats if again < following)
    return tuple(sorted(fire for fire in found if since <= fire <= until))


def _by_recurrence(schedule: Schedule, since: datetime, until: datetime) -> Iterator[datetime]:
    fire = next_after(schedule, just_before(since))
    while fire is not None and fire <= until:
        yield fire
        fire = next_after(schedule, fire)


def _walls(rule: Rule, start: datetime) -> Iterator[datetime]:
    counted = rule.count
    walls = _calendar_walls(rule, rule.calendar, start) if rule.calendar is not None else _dateutil_walls(rule, start)
    for number, wall in enumerate(walls, start=1):
        yield wall
        if number == counted:
            return


def _dateutil_walls(rule: Rule, start: datetime) -> Iterator[datetime]:
    from dateutil.rrule import rrulestr

    return iter(rrulestr(str(rule.pattern), dtstart=start))


def _calendar_walls(rule: Rule, calendar: CalendarDays, start: datetime) -> Iterator[datetime]:
    clocks = rule.clock_times(start)
    walls = (datetime.combine(day, clock) for day in calendar.dates_from(start.date()) for clock in clocks)
    return dropwhile(lambda wall: wall < start, walls)


def _end(rule: Rule, zone: ZoneInfo) -> datetime | None:
    if rule.until is None:
        return None
    return (rule.until if rule.until.tzinfo else rule.until.replace(tzinfo=zone)).astimezone(UTC)
