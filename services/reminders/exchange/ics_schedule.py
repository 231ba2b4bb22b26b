"""Convert RRULE values of other calendars to our rules, and schedules to iCalendar times."""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from services.kernel.errors import RequestRefused
from services.recurrence.fires import load_zone_or_utc, next_after, next_fires, resolve, zone_of
from services.recurrence.rules import Rule, load_calendar, parse_rule
from services.recurrence.schedule import Schedule

_DROPPED = frozenset({"BYSECOND=0", "RSCALE=GREGORIAN"})


def own_rule(rrule: str) -> str:
    """Convert an RRULE value to a rule of ours; a yearly date of the Chinese calendar becomes `LUNAR M-D`.

    Raises:
        ValueError: the calendar or a part of the rule is not supported.

    Source: RFC 7529 section 4.
    """
    parts = dict(part.partition("=")[::2] for part in rrule.upper().split(";") if part not in _DROPPED)
    if "RSCALE" not in parts:
        return ";".join(f"{name}={value}" for name, value in parts.items())
    if parts.pop("RSCALE") != "CHINESE" or parts.pop("FREQ", "") != "YEARLY":
        raise ValueError("RSCALE is supported only for yearly dates of the CHINESE calendar")
    months, days = parts.pop("BYMONTH", ""), parts.pop("BYMONTHDAY", "")
    parts.pop("SKIP", None)
    if not months or not days or "L" in months or parts.pop("INTERVAL", "1") != "1":
        raise ValueError("a date of the Chinese calendar needs BYMONTH and BYMONTHDAY, and no leap month")
    named = [f"{month}-{'LAST' if day == '-1' else day}" for month in months.split(",") for day in days.split(",")]
    return ";".join([f"LUNAR {','.join(named)}", *(f"{name}={value}" for name, value in parts.items())])


_MAX_DATES = 300
_MAX_EXAMINED = 10_000
_REACH = timedelta(days=3653)
_SECOND = timedelta(seconds=1)


class IcsTimes(Struct, frozen=True, kw_only=True):
    """DTSTART, RRULE, RDATE and EXDATE of a component; times are timezone-aware, `rule` is an RRULE value or empty.

    `is_complete` is False if RRULE cannot express the rule and RDATE lists only its next fires.
    """

    start: datetime
    rule: str = ""
    dates: tuple[datetime, ...] = ()
    exceptions: tuple[datetime, ...] = ()
    is_complete: bool = True


def ics_times(schedule: Schedule, now: datetime) -> IcsTimes:
    """Return the schedule in iCalendar times; the start of a schedule that never fires again or cannot be read.

    Lunar dates, workdays of a region, follow-ups and rules clamped to the end of the month have no RRULE that all
    calendars support. Their next fires after `now` are listed instead, at most 300 in ten years.

    Source: RFC 5545 sections 3.8.2.4, 3.8.5.1 to 3.8.5.3.
    """
    zone, rule = load_zone_or_utc(schedule.zone), schedule.rule
    once = IcsTimes(start=_unambiguous(schedule.start, zone))
    try:
        zone_of(schedule)
        if rule is not None:
            load_calendar(rule)
    except RequestRefused:
        return once
    if schedule.follow_up is not None:
        return _list_fires(schedule, now)
    if rule is None:
        return once
    text = _rrule(rule, zone)
    if text is None:
        return _list_fires(schedule, now)
    # COUNT includes exceptions, so the rule begins at the first fire that it would have without them.
    whole = replace(schedule, rule=replace(rule, except_days=frozenset(), except_walls=frozenset()))
    first = next_after(whole, resolve(schedule.start, zone) - _SECOND)
    if first is None:
        return once
    if rule.is_elapsed:
        return IcsTimes(start=first, rule=text)
    wall = schedule.start.replace(tzinfo=zone, fold=0, microsecond=0)
    start = wall if wall.astimezone(UTC) == first else first.astimezone(zone)
    return IcsTimes(start=start, rule=text, exceptions=_exceptions(rule, whole, first))


def has_same_times(schedule: Schedule, times: IcsTimes, now: datetime) -> bool:
    """Return whether `times` equal those of `schedule`; they differ after the event was moved in a calendar."""
    own = ics_times(schedule, now)
    if not _is_same_rule(own.rule, times.rule) or _in_utc(own.exceptions) != _in_utc(times.exceptions):
        return False
    sent = _in_utc((times.start, *times.dates))
    if own.is_complete:
        return sent == _in_utc((own.start,))
    return all(next_after(schedule, moment - _SECOND) == moment for moment in sent)


def _in_utc(moments: Iterable[datetime]) -> set[datetime]:
    """Return the instants in UTC; ambiguous local times of different zones never compare equal (PEP 495)."""
    return {moment.astimezone(UTC) for moment in moments}


def _is_same_rule(own: str, foreign: str) -> bool:
    if not own or not foreign:
        return own == foreign
    try:
        return parse_rule(own) == parse_rule(own_rule(foreign))
    except (RequestRefused, ValueError):
        return False


def _unambiguous(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant with its zone, or in UTC for the second of two equal wall times, which TZID cannot express."""
    local = wall.replace(tzinfo=zone, microsecond=0)
    return local.astimezone(UTC) if wall.fold and local.utcoffset() != local.replace(fold=0).utcoffset() else local


def _rrule(rule: Rule, zone: ZoneInfo) -> str | None:
    """Return the RRULE value of a rule; None if calendars would interpret it differently."""
    if rule.calendar is not None or (rule.is_elapsed and rule.minutes):
        return None
    pattern = _without_skip(rule) if rule.is_backward else rule.pattern
    if pattern is None:
        return None
    until = rule.until if rule.until is None or rule.until.tzinfo else rule.until.replace(tzinfo=zone)
    return str(replace(pattern, count=rule.count, until=until))


def _without_skip(rule: Rule) -> Rule | None:
    """Express "the 31st, else the last day" as the last of the days from 28 to 31; None if that differs."""
    is_one_month = rule.frequency == "MONTHLY" or len(rule.months) == 1
    if not is_one_month or len(rule.month_days) != 1:
        return None
    day = rule.month_days[0]
    if day <= 28:
        return rule.pattern
    if rule.hours[1:] or rule.minutes[1:]:
        return None
    return replace(rule.pattern, month_days=tuple(range(28, day + 1)), positions=(-1,))


def _list_fires(schedule: Schedule, now: datetime) -> IcsTimes:
    zone = zone_of(schedule)
    begin = resolve(schedule.start, zone) - _SECOND
    fires = next_fires(schedule, max(begin, now), _MAX_DATES) or next_fires(schedule, begin, 1)
    if not fires:
        return IcsTimes(start=_unambiguous(schedule.start, zone))
    near = tuple(takewhile(lambda fire: fire <= fires[0] + _REACH, fires))
    return IcsTimes(start=near[0], dates=near[1:], is_complete=False)


def _exceptions(rule: Rule, whole: Schedule, first: datetime) -> tuple[datetime, ...]:
    """Return the fires of `whole`, the schedule without exceptions, that the exceptions of `rule` exclude."""
    if not rule.has_exceptions:
        return ()
    last = max([*rule.except_days, *(wall.date() for wall in rule.except_walls)])
    end = datetime.combine(last, time.max, tzinfo=zone_of(whole))
    fires = takewhile(lambda fire: fire <= end, next_fires(whole, first - _SECOND, _MAX_EXAMINED))
    return tuple(fire for fire in fires if rule.excludes(fire.replace(tzinfo=None, fold=0)))
