"""Find the days that a meaning may name, the preferred one first."""

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from services.time_expressions.model import Grain
from services.time_expressions.resolve.holidays import holiday_dates
from services.time_expressions.values import Holiday, Meaning, Shift, Span

WEEK = 7
_SATURDAY = 5
MONTHS_AHEAD = 60
"""The number of months in which a day such as Friday 13th is searched."""
YEARS_AHEAD = 9
"""Enough for 29 February around a century that is not a leap year."""


class Day(NamedTuple):
    """A day and the unit by which it was named; `floats` if a later day may be meant after it has passed."""

    date: date
    grain: Grain
    floats: bool = False


def add_months(day: date, months: int) -> date | None:
    """Return the same day `months` later, or the last day of a shorter month; None beyond the calendar."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    if not date.min.year <= year <= date.max.year:
        return None
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def add_span(day: date, span: Span) -> date | None:
    """Move `day` by the months and days (or workdays) of `span`; None beyond the calendar."""
    moved = add_months(day, span.months)
    try:
        if span.unit == "workday":
            return _after_workdays(day, span.days)
        return None if moved is None else moved + timedelta(days=span.days)
    except OverflowError:
        return None


def _after_workdays(day: date, count: int) -> date:
    step = timedelta(days=1 if count > 0 else -1)
    for _ in range(abs(count)):
        day += step
        while day.weekday() >= _SATURDAY:
            day += step
    return day


def monday_of(day: date) -> date:
    """Return the Monday of the calendar week of `day`."""
    return day - timedelta(days=day.weekday())


def make_date(year: int, month: int, day: int) -> date | None:
    """Return the date, with a negative `day` counted from the end of the month; None if there is no such day."""
    if not date.min.year <= year <= date.max.year:
        return None
    length = monthrange(year, month)[1]
    number = day if day > 0 else length + 1 + day
    return date(year, month, number) if 1 <= number <= length else None


def days(meaning: Meaning, today: date, *, forward: bool) -> Iterator[Day]:
    """Yield the days that `meaning` may name, the preferred one first."""
    found = _named_days(meaning, today, forward=forward)
    if not meaning.side:
        yield from found


def _named_days(meaning: Meaning, today: date, *, forward: bool) -> Iterator[Day]:
    if meaning.holiday is not None:
        return _holidays(meaning, meaning.holiday, today, forward=forward)
    if meaning.week_numbers:
        return _weeks_of_year(meaning, today, forward=forward)
    if meaning.ordinals or meaning.positions or meaning.day_numbers or meaning.edge:
        return _counted_days(meaning, today, forward=forward)
    if meaning.days or meaning.months or meaning.year is not None:
        return _dates(meaning, today, forward=forward)
    if meaning.shift is not None:
        return _shifted(meaning, meaning.shift, today)
    if meaning.weekdays:
        return _weekdays(meaning, today, forward=forward)
    step = 1 if forward else -1
    return iter([Day(date=today + timedelta(days=step * n), grain=Grain.DAY, floats=n == 0) for n in (0, 1)])


def _holidays(meaning: Meaning, holiday: Holiday, today: date, *, forward: bool) -> Iterator[Day]:
    """Yield the dates of a holiday in the named year, else the next ones, or with `forward=False` the last ones."""
    if meaning.months or meaning.days or (meaning.shift is not None and meaning.shift.unit != "year"):
        return
    if meaning.year is not None or meaning.shift is not None:
        year = meaning.year if meaning.year is not None else today.year + (meaning.shift.steps if meaning.shift else 0)
        yield from (Day(date=day, grain=Grain.DAY) for day in holiday_dates(holiday, year))
        return
    for count in (0, 1, 2):
        found = list(holiday_dates(holiday, today.year + count if forward else today.year - count))
        for day in found if forward else reversed(found):
            if day >= today if forward else day <= today:
                yield Day(date=day, grain=Grain.DAY, floats=True)


def _weeks_of_year(meaning: Meaning, today: date, *, forward: bool) -> Iterator[Day]:
    """Yield the Monday, or the named day, of an ISO 8601 week; week 1 has the first Thursday of the year."""
    if meaning.months or meaning.days or (meaning.shift is not None and meaning.shift.unit != "year"):
        return
    fixed = meaning.year is not None or meaning.shift is not None
    named = meaning.year if meaning.year is not None else today.year + (meaning.shift.steps if meaning.shift else 0)
    weekday = meaning.weekdays[0] if meaning.weekdays else 0
    for year in (named,) if fixed else (today.year, today.year + (1 if forward else -1)):
        try:
            day = date.fromisocalendar(year, meaning.week_numbers[0], weekday + 1)
        except ValueError:  # the year has no 53rd week
            continue
        if fixed or (day >= today if forward else day <= today):
            yield Day(date=day, grain=Grain.DAY if meaning.weekdays else Grain.WEEK, floats=not fixed)


def _weekdays(meaning: Meaning, today: date, *, forward: bool) -> Iterator[Day]:
    wanted = meaning.weekdays[0]
    first = today + timedelta(days=(wanted - today.weekday()) % WEEK)
    if len(meaning.weekdays) > 1 and today.weekday() in meaning.weekdays:
        first = today
    if not forward and first > today:
        first -= timedelta(days=WEEK)
    for count in (0, 1):
        step = timedelta(days=WEEK * count * (1 if forward else -1))
        yield Day(date=first + step, grain=Grain.DAY, floats=True)


def _shifted(meaning: Meaning, shift: Shift, today: date) -> Iterator[Day]:
    if shift.unit == "occurrence":
        ahead = (meaning.weekdays[0] - today.weekday() - 1) % WEEK + 1
        yield Day(date=today + timedelta(days=ahead + WEEK * (shift.steps - 1)), grain=Grain.DAY)
        return
    first = shifted_start(shift, today)
    if first is None:
        return
    if shift.unit == "day":
        if meaning.weekdays in {(), (first.weekday(),)}:
            yield Day(date=first, grain=Grain.DAY)
    elif meaning.weekdays and shift.unit == "week":
        yield Day(date=first + timedelta(days=meaning.weekdays[0]), grain=Grain.DAY)
    elif meaning.weekdays:
        yield Day(date=first + timedelta(days=(meaning.weekdays[0] - first.weekday()) % WEEK), grain=Grain.DAY)
    else:
        yield Day(date=max(first, today) if shift.steps == 0 else first, grain=Grain(shift.unit))


def shifted_start(shift: Shift, today: date) -> date | None:
    """Return the first day of the unit that is `shift.steps` units from the present one."""
    try:
        if shift.unit == "day":
            return today + timedelta(days=shift.steps)
        if shift.unit == "week":
            return monday_of(today) + timedelta(days=WEEK * shift.steps)
        if shift.unit == "month":
            return add_months(today.replace(day=1), shift.steps)
        if shift.unit == "quarter":
            return add_months(today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1), 3 * shift.steps)
        return today.replace(year=today.year + shift.steps, month=1, day=1)
    except (OverflowError, ValueError):
        return None


def _frames(meaning: Meaning, today: date, *, forward: bool) -> Iterator[tuple[int, int]]:
    """Yield the months, as (year, month), in which a day may be found."""
    step = 1 if forward else -1
    if meaning.shift is not None and meaning.shift.unit == "month":
        first = shifted_start(meaning.shift, today)
        if first:
            yield first.year, meaning.months[0] if meaning.months else first.month
    elif meaning.year is not None or (meaning.shift is not None and meaning.shift.unit == "year"):
        year = meaning.year if meaning.year is not None else today.year + (meaning.shift.steps if meaning.shift else 0)
        yield year, meaning.months[0] if meaning.months else 1
    elif meaning.months:
        for count in range(YEARS_AHEAD):
            yield today.year + step * count, meaning.months[0]
    else:
        for count in range(MONTHS_AHEAD):
            index = today.year * 12 + today.month - 1 + step * count
            yield index // 12, index % 12 + 1


def _dates(meaning: Meaning, today: date, *, forward: bool) -> Iterator[Day]:
    fixed = meaning.year is not None or (meaning.shift is not None and meaning.shift.unit in {"month", "year"})
    shift = meaning.shift if meaning.year is None else None
    named = shifted_start(shift, today) if shift is not None and shift.unit == "day" else None
    for year, month in _frames(meaning, today, forward=forward):
        if meaning.days:
            day = make_date(year, month, meaning.days[0])
            if named is not None and day != named:  # "tomorrow, 5 December" is valid only on 4 December
                continue
            if day is None or (meaning.weekdays and not meaning.months and day.weekday() != meaning.weekdays[0]):
                continue
            if fixed or (day >= today if forward else day <= today):
                yield Day(date=day, grain=Grain.DAY, floats=not fixed)
        elif (day := make_date(year, month, 1)) is not None:
            grain = Grain.MONTH if meaning.months else Grain.YEAR
            if fixed or (day >= today.replace(day=1) if forward else day <= today):
                yield Day(date=max(day, today) if not fixed else day, grain=grain, floats=not fixed)


def _counted_days(meaning: Meaning, today: date, *, forward: bool) -> Iterator[Day]:
    """Yield the nth weekday, the nth day, the first or last day of a week, month or year."""
    shift = meaning.shift
    if shift is not None and shift.unit in {"day", "week"}:
        yield from _in_week(meaning, shift, today)
        return
    if shift is not None and shift.unit == "quarter" and meaning.edge:
        yield from _edge_of_quarter(meaning, shift, today)
        return
    if not meaning.months and (meaning.year is not None or (shift is not None and shift.unit in {"year", "quarter"})):
        yield from _in_year(meaning, today)
        return
    fixed = meaning.year is not None or shift is not None
    for year, month in _frames(meaning, today, forward=forward):
        day = _nth_of_month(meaning, year, month)
        if day is not None and (fixed or (day >= today if forward else day <= today)):
            yield Day(date=day, grain=Grain.DAY, floats=not fixed)


def _in_week(meaning: Meaning, shift: Shift, today: date) -> Iterator[Day]:
    first = shifted_start(shift, today)
    if first is None:
        return
    if shift.unit == "week" and meaning.day_numbers and 1 <= meaning.day_numbers[0] <= WEEK:
        yield Day(date=first + timedelta(days=meaning.day_numbers[0] - 1), grain=Grain.DAY)
    elif shift.unit == "week" and meaning.edge == "end":
        last = 4 if today <= first + timedelta(days=4) else 6
        yield Day(date=first + timedelta(days=last), grain=Grain.DAY)
    else:
        yield Day(date=first, grain=Grain.DAY)


def _edge_of_quarter(meaning: Meaning, shift: Shift, today: date) -> Iterator[Day]:
    first = shifted_start(shift, today)
    following = shifted_start(Shift("quarter", shift.steps + 1), today)
    if first is not None and following is not None:
        yield Day(date=first if meaning.edge == "start" else following - timedelta(days=1), grain=Grain.DAY)


def _in_year(meaning: Meaning, today: date) -> Iterator[Day]:
    year = meaning.year if meaning.year is not None else today.year + (meaning.shift.steps if meaning.shift else 0)
    if not date.min.year < year < date.max.year:
        return
    first, last = date(year, 1, 1), date(year, 12, 31)
    number = 0
    if meaning.day_numbers:
        number = meaning.day_numbers[0]
    elif meaning.ordinals and meaning.weekdays:
        found = nth_weekday(first, last, meaning.ordinals[0], meaning.weekdays[0])
        if found:
            yield Day(date=found, grain=Grain.DAY)
        return
    elif meaning.edge:
        number = -1 if meaning.edge == "end" else 1
    if number:
        day = first + timedelta(days=number - 1) if number > 0 else last + timedelta(days=number + 1)
        yield Day(date=day, grain=Grain.DAY)


def _nth_of_month(meaning: Meaning, year: int, month: int) -> date | None:
    if meaning.ordinals and meaning.weekdays:
        first, last = make_date(year, month, 1), make_date(year, month, -1)
        if first is None or last is None:
            return None
        return nth_weekday(first, last, meaning.ordinals[0], meaning.weekdays[0])
    if meaning.positions:
        return _nth_among(meaning.weekdays, meaning.positions[0], year, month)
    if meaning.day_numbers:
        return make_date(year, month, meaning.day_numbers[0])
    return make_date(year, month, -1 if meaning.edge == "end" else 1)


def _nth_among(weekdays: tuple[int, ...], position: int, year: int, month: int) -> date | None:
    """Return the day at `position` (from 1, negative from the end) among the days of a month on `weekdays`."""
    found = [day for number in range(1, 32) if (day := make_date(year, month, number)) and day.weekday() in weekdays]
    return found[position - (position > 0)] if abs(position) <= len(found) else None


def nth_weekday(first: date, last: date, ordinal: int, weekday: int) -> date | None:
    """Return the nth `weekday` from `first` to `last`, counted from the end if `ordinal` is negative."""
    if ordinal > 0:
        day = first + timedelta(days=(weekday - first.weekday()) % WEEK + WEEK * (ordinal - 1))
        return day if day <= last else None
    day = last - timedelta(days=(last.weekday() - weekday) % WEEK + WEEK * (-ordinal - 1))
    return day if day >= first else None
