"""Compute the wall times of rules: by arithmetic with dates, on a grid of minutes and hours, and with dateutil."""

import calendar
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import count
from math import gcd

from msgspec.structs import replace

from services.recurrence.rules import Rule

_MAX_EMPTY_PERIODS = 1200  # months or years without a date after which a rule counts as ended
_MAX_EMPTY_DAYS = 4400
_LAST_YEAR = 9998
_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_REACH = timedelta(days=4400)
_LAST_YEAR_WALKED = 9986  # `_REACH` after it ends before the year 9999
_CYCLE = 400  # years after which the calendar repeats with the same weekdays


def has_common_shape(rule: Rule) -> bool:
    """Return whether `dates_from` can compute the rule; dateutil walks the others."""
    if rule.is_rare or rule.week_start != 0:
        return False
    return not (rule.frequency == "YEARLY" and rule.days and not rule.months)


def dates_from(rule: Rule, start: date, first: date) -> Iterator[date]:
    """Return the dates of `rule` anchored at `start`, ascending, from `first` on; a few earlier ones may precede."""
    if rule.calendar is not None:
        return rule.calendar.dates_from(first)
    if rule.frequency == "DAILY":
        return _filter_days(rule, _every(timedelta(days=rule.interval), start, first), is_by_weekday=True)
    if rule.frequency == "WEEKLY":
        return _filter_days(rule, _weekly(rule, start, first), is_by_weekday=False)
    return _monthly(rule, start, first)


def is_day_allowed(rule: Rule, day: date) -> bool:
    """Return whether BYMONTH, BYDAY and BYMONTHDAY include `day`."""
    if rule.months and day.month not in rule.months:
        return False
    if rule.days and day.weekday() not in {weekday for _, weekday in rule.days}:
        return False
    if not rule.month_days:
        return True
    length = calendar.monthrange(day.year, day.month)[1]
    return day.day in {number if number > 0 else length + 1 + number for number in rule.month_days}


def _filter_days(rule: Rule, days: Iterator[date], *, is_by_weekday: bool) -> Iterator[date]:
    """Yield the days that the rule includes, until there was none for some twelve years."""
    if not (rule.months or rule.month_days or (rule.days and is_by_weekday)):
        yield from days
        return
    empty = 0
    for day in days:
        if is_day_allowed(rule, day):
            empty = 0
            yield day
        elif (empty := empty + 1) > _MAX_EMPTY_DAYS:
            return


def _every(step: timedelta, start: date, first: date) -> Iterator[date]:
    day = start + step * max(0, (first - start) // step)
    while day.year <= _LAST_YEAR:
        yield day
        day += step


def _weekly(rule: Rule, start: date, first: date) -> Iterator[date]:
    weekdays = sorted({weekday for _, weekday in rule.days}) or [start.weekday()]
    monday = start - timedelta(days=start.weekday())
    for week in _every(timedelta(weeks=rule.interval), monday, first):
        for weekday in weekdays:
            day = week + timedelta(days=weekday)
            if day >= start:
                yield day


def _monthly(rule: Rule, start: date, first: date) -> Iterator[date]:
    """Yield the days of a monthly or yearly rule, a year being twelve months of which it has some."""
    is_yearly = rule.frequency == "YEARLY"
    months = rule.months or ((start.month,) if is_yearly and not rule.month_days else range(1, 13))
    length = 12 if is_yearly else 1
    origin = start.year * 12 + (0 if is_yearly else start.month - 1)
    steps = max(0, (first.year * 12 + first.month - 1 - origin) // (rule.interval * length))
    empty = 0
    while empty < _MAX_EMPTY_PERIODS:
        begin = origin + steps * rule.interval * length
        if begin // 12 > _LAST_YEAR:
            return
        steps += 1
        empty += 1
        for year, month in (divmod(index, 12) for index in range(begin, begin + length)):
            for day in _days_of_month(rule, start, year, month + 1) if month + 1 in months else ():
                if day >= start:
                    empty = 0
                    yield day


def _days_of_month(rule: Rule, start: date, year: int, month: int) -> list[date]:
    first_weekday, length = calendar.monthrange(year, month)
    found: set[int] = set()
    if rule.days:
        found = {day for pair in rule.days for day in _weekdays_of_month(pair, first_weekday, length)}
    if rule.month_days or not rule.days:
        wanted = {_day_of_month(number, length, rule.is_backward) for number in rule.month_days or (start.day,)}
        found = found & wanted if rule.days else wanted
    return [date(year, month, day) for day in sorted(found) if 1 <= day <= length]


def _day_of_month(wanted: int, length: int, is_backward: bool) -> int:
    if wanted < 0:
        return length + 1 + wanted
    return min(wanted, length) if is_backward else wanted


def _weekdays_of_month(pair: tuple[int, int], first_weekday: int, length: int) -> list[int]:
    """Return the days of the month on the weekday of `pair`: all, or the nth from the beginning or the end."""
    ordinal, weekday = pair
    days = list(range(1 + (weekday - first_weekday) % 7, length + 1, 7))
    if ordinal == 0:
        return days
    index = ordinal - 1 if ordinal > 0 else ordinal
    return [days[index]] if -len(days) <= index < len(days) else []


def grid_walls(rule: Rule, start: datetime, first: datetime) -> Iterator[datetime]:
    """Return ascending naive wall times of a MINUTELY or HOURLY `rule` from `first` on, for some twelve years.

    The grid is counted from `start` on the wall clock; BYMINUTE of an HOURLY rule adds times within the hour.
    """
    is_hourly = rule.frequency == "HOURLY"
    step = timedelta(hours=rule.interval) if is_hourly else timedelta(minutes=rule.interval)
    minutes = rule.minutes if is_hourly else ()
    origin = start.replace(minute=0) if minutes else start
    if not _has_clock_on_grid(rule, origin, step):
        return
    index = max(0, (first - origin) // step)
    end = first + _REACH
    while (wall := origin + step * index) <= end:
        resume = _blocked_until(rule, wall)
        if resume is not None:
            index = max(index + 1, -((origin - resume) // step))
            continue
        index += 1
        for found in [wall.replace(minute=minute) for minute in minutes] or [wall]:
            if found >= start:
                yield found


def _has_clock_on_grid(rule: Rule, origin: datetime, step: timedelta) -> bool:
    """Return whether the grid reaches a clock time of the rule on any day, so that a search for one has an end."""
    distance = gcd(step // _MINUTE, _DAY // _MINUTE)
    minutes = (rule.minutes or range(60)) if rule.frequency == "MINUTELY" else (origin.minute,)
    begin = origin.hour * 60 + origin.minute
    return any((hour * 60 + minute - begin) % distance == 0 for hour in rule.hours or range(24) for minute in minutes)


def _blocked_until(rule: Rule, wall: datetime) -> datetime | None:
    """Return None if the rule includes `wall`, else the earliest later wall time that it may include."""
    if not is_day_allowed(rule, wall.date()):
        return datetime.combine(wall.date() + _DAY, time.min)
    if rule.hours and wall.hour not in rule.hours:
        return wall.replace(minute=0, second=0) + _HOUR
    if rule.frequency == "MINUTELY" and rule.minutes and wall.minute not in rule.minutes:
        return wall + timedelta(minutes=1)
    return None


def elapsed_step(rule: Rule) -> timedelta:
    """Return the time between two fires; for an hourly rule with minutes, between two fires at the same minute."""
    return timedelta(minutes=rule.interval) if rule.frequency == "MINUTELY" else timedelta(hours=rule.interval)


def elapsed_instants(rule: Rule, start: datetime, minute: int, after: datetime) -> Iterator[datetime]:
    """Return instants of `rule` strictly after `after`, counted from `start`; both in UTC, endless.

    `minute` is the minute of `start` on the wall clock, which BYMINUTE of an HOURLY rule refers to.
    """
    step = elapsed_step(rule)
    offsets = tuple(timedelta(minutes=rule_minute - minute) for rule_minute in rule.minutes) or (timedelta(),)
    first = max(0, (after - start) // step)
    for index in count(first):
        base = start + step * index
        for offset in offsets:
            instant = base + offset
            if instant >= start and instant > after:
                yield instant


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
    shift = max(0, _LAST_YEAR_WALKED - first.year) // _CYCLE * _CYCLE
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
