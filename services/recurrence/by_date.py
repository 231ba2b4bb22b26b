"""Compute the dates of wall-clock rules by arithmetic."""

import calendar
from collections.abc import Iterator
from datetime import date, timedelta

from services.recurrence.rules import Rule

_MOST_EMPTY_PERIODS = 1200  # months or years without a date after which a rule counts as ended
_MOST_EMPTY_DAYS = 4400
_LAST_YEAR = 9998


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
    if rule.frequency == "MONTHLY":
        return _monthly(rule, start, first)
    return _yearly(rule, start, first)


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
        elif (empty := empty + 1) > _MOST_EMPTY_DAYS:
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
    origin = start.year * 12 + start.month - 1
    steps = max(0, (first.year * 12 + first.month - 1 - origin) // rule.interval)
    empty = 0
    while empty < _MOST_EMPTY_PERIODS:
        year, month = divmod(origin + steps * rule.interval, 12)
        if year > _LAST_YEAR:
            return
        steps += 1
        empty += 1
        if rule.months and month + 1 not in rule.months:
            continue
        for day in _days_of_month(rule, start, year, month + 1):
            if day >= start:
                empty = 0
                yield day


def _yearly(rule: Rule, start: date, first: date) -> Iterator[date]:
    months = rule.months or (range(1, 13) if rule.month_days else (start.month,))
    steps = max(0, (first.year - start.year) // rule.interval)
    empty = 0
    while empty < _MOST_EMPTY_PERIODS and (year := start.year + steps * rule.interval) <= _LAST_YEAR:
        steps += 1
        empty += 1
        for month in months:
            for day in _days_of_month(rule, start, year, month):
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
