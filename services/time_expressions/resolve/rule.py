"""Build the date part of an RRULE from a recurring meaning. Source: RFC 5545 section 3.3.10."""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import NamedTuple

from services.time_expressions.resolve.days import WEEK
from services.time_expressions.resolve.holidays import holiday_dates, lunar_rule
from services.time_expressions.values import Holiday, Meaning

_YEARS_SEARCHED = 9
"""Enough for 29 February around a century that is not a leap year."""
_MAX_WEEKS = 5  # of a month
_CYCLE = 400
MONTHS = 12
MONTHS_OF_QUARTER = 3
_FIRST_OF_QUARTERS, _LAST_OF_QUARTERS = (1, 4, 7, 10), (3, 6, 9, 12)
_DAYS_OF_MONTH = 31
WEEKDAY_NAMES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
FREQUENCIES = {
    "second": "SECONDLY",
    "minute": "MINUTELY",
    "hour": "HOURLY",
    "day": "DAILY",
    "week": "WEEKLY",
    "month": "MONTHLY",
    "year": "YEARLY",
}


class Rule(NamedTuple):
    """The date part of a recurrence in terms of RFC 5545, or of the LUNAR rules of reminders for a lunar `holiday`."""

    frequency: str
    interval: int = 1
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()
    ordinals: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    week_numbers: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    holiday: Holiday | None = None
    paired: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether the rule is weekly, monthly or yearly without a day."""
        return self.frequency in {"WEEKLY", "MONTHLY", "YEARLY"} and len(self.render()) <= 1 + (self.interval != 1)

    def render(self) -> list[str]:
        """Return the parts of the RRULE, frequency first."""
        if self.holiday is not None:
            return [lunar_rule(self.holiday)]
        names = [WEEKDAY_NAMES[day] for day in self.weekdays]
        if self.ordinals:
            names = [f"{ordinal}{WEEKDAY_NAMES[weekday]}" for ordinal, weekday in self._ordinal_weekdays()]
        lists: tuple[tuple[str, Sequence[object]], ...] = (
            ("BYMONTH", self.months),
            ("BYWEEKNO", self.week_numbers),
            ("BYYEARDAY", self.year_days),
            ("BYMONTHDAY", self.month_days),
            ("BYDAY", names),
            ("BYSETPOS", self.positions),
        )
        parts = [f"FREQ={self.frequency}"]
        if self.interval != 1:
            parts.append(f"INTERVAL={self.interval}")
        return parts + [f"{name}={','.join(map(str, values))}" for name, values in lists if values]

    def days_from(self, first: date) -> Iterator[date]:
        """Yield the days from `first` on, for nine years, that the rule includes without its interval."""
        if self.holiday is not None:
            years = range(first.year, first.year + _YEARS_SEARCHED)
            return (day for year in years for day in holiday_dates(self.holiday, year) if day >= first)
        last = date.fromordinal(min(first.toordinal() + 366 * _YEARS_SEARCHED, date.max.toordinal()))
        if self.week_numbers or self.ordinals or self.positions or self.year_days:
            return self._walk(first, last)
        days = map(date.fromordinal, range(first.toordinal(), last.toordinal() + 1))
        return filter(self._has_day, days)  # any day of the named months counts

    def _has_day(self, day: date) -> bool:
        """Return whether the months, days of the month and weekdays of the rule include `day`."""
        from_end = day.day - monthrange(day.year, day.month)[1] - 1
        return (
            (not self.months or day.month in self.months)
            and (not self.month_days or day.day in self.month_days or from_end in self.month_days)
            and (not self.weekdays or day.weekday() in self.weekdays)
        )

    def _walk(self, first: date, last: date) -> Iterator[date]:
        """Yield the days from `first` to `last` with dateutil.

        For a rule without days it searches until the year 9999, so the walk is shifted by multiples of 400 years, after
        which the calendar repeats, to its end. It cannot compute a sixth weekday of a month.
        """
        from dateutil.rrule import rrulestr

        is_monthly = self.frequency == "MONTHLY" or bool(self.months)
        if is_monthly and any(abs(ordinal) > _MAX_WEEKS for ordinal in self.ordinals):
            return
        named = self._replace(interval=1)
        if self.week_numbers:
            named = named._replace(weekdays=self.weekdays or tuple(range(WEEK)))
        shift = (date.max.year - last.year) // _CYCLE * _CYCLE
        text = ";".join([*named.render(), f"UNTIL={last.replace(year=last.year + shift):%Y%m%d}"])
        start = datetime.combine(first.replace(year=first.year + shift), time())
        for moment in rrulestr(text, dtstart=start):
            yield moment.date().replace(year=moment.year - shift)

    def _ordinal_weekdays(self) -> list[tuple[int, int]]:
        """Return all combinations of ordinals and weekdays; if `paired`, the n-th ordinal with the n-th weekday."""
        if self.paired:
            return list(zip(self.ordinals, self.weekdays, strict=True))
        return [(ordinal, weekday) for ordinal in self.ordinals for weekday in self.weekdays]


def build_rule(meaning: Meaning) -> Rule | None:
    """Return the date part of a recurrence; None if it makes no sense."""
    if meaning.every is None or meaning.refused or meaning.offset is not None or meaning.now or meaning.either:
        return None
    if meaning.minute is not None and (meaning.every.unit != "hour" or meaning.clocks or meaning.parts):
        return None
    interval, unit = meaning.every
    if meaning.holiday is not None:
        return _holiday_rule(meaning, meaning.holiday)
    if meaning.week_numbers:
        return Rule(
            frequency="YEARLY",
            interval=interval if unit == "year" else 1,
            week_numbers=meaning.week_numbers,
            weekdays=meaning.weekdays,
        )
    build = {"day": _daily, "week": _weekly, "month": _monthly, "quarter": _quarterly, "year": _yearly}.get(unit)
    if build is not None:
        return build(meaning, interval)
    if unit not in FREQUENCIES or meaning.days or meaning.ordinals or meaning.day_numbers:
        return None
    return Rule(frequency=FREQUENCIES[unit], interval=interval, weekdays=meaning.weekdays)


def _holiday_rule(meaning: Meaning, holiday: Holiday) -> Rule | None:
    """Return the rule of a yearly or monthly lunar day; other movable holidays have no rule."""
    named = {"month": 0, "year": 1}.get(meaning.every.unit) if meaning.every and meaning.every.interval == 1 else None
    is_lunar = holiday.kind == "lunar" and all(bool(month) == bool(named) for month, _ in holiday.days)
    if named is None or not is_lunar or meaning.days or meaning.months or meaning.year is not None:
        return None
    return Rule(frequency="LUNAR", holiday=holiday)


def _daily(meaning: Meaning, interval: int) -> Rule | None:
    if meaning.days or meaning.ordinals or meaning.day_numbers:
        return None
    if meaning.weekdays:
        return _weekly(meaning, 1) if interval == 1 else None
    return Rule(frequency="DAILY", interval=interval, months=meaning.months)


def _weekly(meaning: Meaning, interval: int) -> Rule | None:
    if meaning.days:
        return None
    weekdays = tuple(dict.fromkeys(meaning.weekdays))
    if meaning.edge and not weekdays:
        weekdays = (0,) if meaning.edge == "start" else (4,)
    if meaning.day_numbers:
        weekdays = tuple((number - 1) % WEEK for number in meaning.day_numbers)
    if meaning.ordinals:
        return _monthly(meaning, interval)
    if meaning.months:
        return Rule(frequency="YEARLY", months=meaning.months, weekdays=weekdays)
    return Rule(frequency="WEEKLY", interval=interval, weekdays=weekdays)


def _monthly(meaning: Meaning, interval: int) -> Rule | None:
    month_days = meaning.days + meaning.day_numbers
    if meaning.edge:
        month_days = (*month_days, -1 if meaning.edge == "end" else 1)
    if meaning.months:
        return _yearly(meaning._replace(months=_repeat_months(meaning.months, interval)), 1)
    if meaning.year is not None or any(abs(day) > _DAYS_OF_MONTH for day in month_days):
        return None
    return Rule(
        frequency="MONTHLY",
        interval=interval,
        month_days=month_days,
        weekdays=meaning.weekdays,
        ordinals=meaning.ordinals,
        positions=meaning.positions,
        paired=meaning.paired,
    )


def _quarterly(meaning: Meaning, interval: int) -> Rule | None:
    """Return the rule for a day of each quarter of the calendar; a named beginning moves the quarters."""
    days = meaning.days + meaning.day_numbers + meaning.ordinals
    is_of_calendar = interval == 1 and (meaning.since is None or meaning.since.now) and not meaning.months
    if not is_of_calendar or len({day > 0 for day in days}) != 1 or any(abs(day) > _DAYS_OF_MONTH for day in days):
        return _monthly(meaning, MONTHS_OF_QUARTER * interval)
    month_days = meaning._replace(days=meaning.days + meaning.day_numbers, day_numbers=())
    return _yearly(month_days._replace(months=_FIRST_OF_QUARTERS if days[0] > 0 else _LAST_OF_QUARTERS), 1)


def _repeat_months(months: tuple[int, ...], interval: int) -> tuple[int, ...]:
    """Return the months of a rule for every `interval` months: "semiannually on 30 June" is in December too."""
    if len(months) > 1 or MONTHS % interval:
        return months
    return tuple(range((months[0] - 1) % interval + 1, MONTHS + 1, interval)) if interval > 1 else months


def _yearly(meaning: Meaning, interval: int) -> Rule | None:
    if meaning.year is not None:
        return None
    month_days, year_days = meaning.days, meaning.day_numbers
    if meaning.edge and not meaning.months:
        year_days = (-1 if meaning.edge == "end" else 1,)
    elif meaning.edge:
        month_days = (-1 if meaning.edge == "end" else 1,)
    if not meaning.months and month_days:
        month_days, year_days = (), month_days
    elif meaning.months and year_days:
        month_days, year_days = year_days, ()
    return Rule(
        frequency="YEARLY",
        interval=interval,
        months=meaning.months,
        month_days=month_days,
        weekdays=meaning.weekdays,
        ordinals=meaning.ordinals,
        year_days=year_days,
        paired=meaning.paired,
    )
