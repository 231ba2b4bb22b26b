"""Compute wall times of rare rules with dateutil, started near the present."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta

from msgspec.structs import replace

from services.recurrence.rules import Rule

_REACH = timedelta(days=4400)
_LAST_YEAR = 9986  # `_REACH` after it ends before the year 9999
_CYCLE = 400  # years after which the calendar repeats with the same weekdays


def walk_dates(rule: Rule, start: datetime, first: datetime) -> Iterator[datetime]:
    """Return ascending naive wall times of `rule` anchored at `start`, from `first` on, for some twelve years.

    dateutil walks from its start, so the start is moved by whole intervals to the period before `first`, after the
    parts that the rule takes from its start (clock, day) are added to it. For a rule that never fires dateutil searches
    until the year 9999, so the walk is shifted by multiples of 400 years to its end.
    """
    from dateutil.rrule import rrule, rrulestr

    text = f"{_expand_defaults(rule, start)};BYSECOND={start.second}"
    anchor = _anchor_near(rule, start, first)
    found = rrulestr(text, dtstart=anchor)
    if not isinstance(found, rrule):
        raise TypeError(f"{text} is a set of rules")
    shift = max(0, _LAST_YEAR - first.year) // _CYCLE * _CYCLE
    late = _shift_years(first, shift)
    bounded = found.replace(dtstart=_shift_years(anchor, shift), until=late + _REACH)
    return (_shift_years(wall, -shift) for wall in bounded.xafter(late, inc=True))


def _shift_years(wall: datetime, years: int) -> datetime:
    return wall.replace(year=wall.year + years)


def _expand_defaults(rule: Rule, start: datetime) -> Rule:
    """Return the pattern of `rule` with the parts that it takes implicitly from its start."""
    full = replace(rule.pattern, hours=rule.hours or (start.hour,), minutes=rule.minutes or (start.minute,))
    if rule.days or rule.month_days or rule.year_days or rule.weeks:
        return full
    if rule.frequency == "WEEKLY":
        return replace(full, days=((0, start.weekday()),))
    if rule.frequency == "MONTHLY":
        return replace(full, month_days=(start.day,))
    if rule.frequency == "YEARLY":
        return replace(full, month_days=(start.day,), months=rule.months or (start.month,))
    return full


def _anchor_near(rule: Rule, start: datetime, first: datetime) -> datetime:
    """Return a start a whole number of intervals later, at the beginning of its period and not after `first`."""
    if rule.frequency in {"DAILY", "WEEKLY"}:
        step = timedelta(days=rule.interval * (7 if rule.frequency == "WEEKLY" else 1))
        back = (start.weekday() - rule.week_start) % 7 if rule.frequency == "WEEKLY" else 0
        origin = start.date() - timedelta(days=back)
        steps = (first.date() - origin) // step - 1
        return start if steps <= 0 else datetime.combine(origin + step * steps, time.min)
    span = rule.interval * (12 if rule.frequency == "YEARLY" else 1)
    origin_month = start.year * 12 + (0 if rule.frequency == "YEARLY" else start.month - 1)
    steps = (first.year * 12 + first.month - 1 - origin_month) // span - 1
    if steps <= 0:
        return start
    year, month = divmod(origin_month + span * steps, 12)
    return start.replace(year=year, month=month + 1, day=1, hour=0, minute=0, second=0)
