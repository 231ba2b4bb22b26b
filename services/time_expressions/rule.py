"""Build the date part of an RRULE from a recurring meaning.

Source: RFC 5545 section 3.3.10.
"""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from services.time_expressions.days import WEEK, make_date, nth_weekday
from services.time_expressions.feasts import is_lunar_day, lunar_rule
from services.time_expressions.values import Feast, Meaning

MONTHS = 12
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
    """The date part of a recurrence, as RFC 5545 names it; that of a lunar `feast` as the rules of reminders do."""

    frequency: str
    interval: int = 1
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()
    ordinals: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    week_numbers: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    feast: Feast | None = None
    paired: bool = False

    @property
    def is_open(self) -> bool:
        """Weekly, monthly or yearly without a word on which day."""
        return self.frequency in {"WEEKLY", "MONTHLY", "YEARLY"} and len(self.render()) <= 1 + (self.interval != 1)

    def render(self) -> list[str]:
        """Return the parts of the RRULE, frequency first."""
        if self.feast is not None:
            return [lunar_rule(self.feast)]
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

    def fits(self, day: date) -> bool:
        """Tell whether the rule fires on `day`, its interval left aside."""
        if self.feast is not None:
            return is_lunar_day(self.feast, day)
        if self.months and day.month not in self.months:
            return False
        if self.week_numbers and day.isocalendar().week not in self.week_numbers:
            return False
        if self.year_days and not self._fits_year_day(day):
            return False
        if self.month_days and not self._fits_month_day(day):
            return False
        if self.positions:
            return day in self._instances(day)
        if self.ordinals:
            return self._fits_ordinal(day)
        return not self.weekdays or day.weekday() in self.weekdays

    def _fits_year_day(self, day: date) -> bool:
        number, length = day.timetuple().tm_yday, date(day.year, 12, 31).timetuple().tm_yday
        return number in self.year_days or number - length - 1 in self.year_days

    def _fits_month_day(self, day: date) -> bool:
        return any(make_date(day.year, day.month, number) == day for number in self.month_days)

    def _ordinal_weekdays(self) -> list[tuple[int, int]]:
        """Return the first and the third of these weekdays; or the first of one, and the third of another."""
        if self.paired:
            return list(zip(self.ordinals, self.weekdays, strict=True))
        return [(ordinal, weekday) for ordinal in self.ordinals for weekday in self.weekdays]

    def _fits_ordinal(self, day: date) -> bool:
        whole_year = self.frequency == "YEARLY" and not self.months
        first = day.replace(month=1, day=1) if whole_year else day.replace(day=1)
        last = day.replace(month=12, day=31) if whole_year else make_date(day.year, day.month, -1)
        if last is None or day.weekday() not in self.weekdays:
            return False
        return any(nth_weekday(first, last, ordinal, weekday) == day for ordinal, weekday in self._ordinal_weekdays())

    def _instances(self, day: date) -> list[date]:
        every_day = (make_date(day.year, day.month, number) for number in range(1, 32))
        matching = [one for one in every_day if one and one.weekday() in self.weekdays]
        chosen = (place - 1 if place > 0 else place for place in self.positions)
        return [matching[place] for place in chosen if -len(matching) <= place < len(matching)]


def build_rule(meaning: Meaning) -> Rule | None:
    """Return the date part of the recurrence that `meaning` names, or None where it makes no sense."""
    if meaning.every is None or meaning.refused or meaning.offset is not None or meaning.now or meaning.either:
        return None
    if meaning.minute is not None and (meaning.every.unit != "hour" or meaning.clocks or meaning.parts):
        return None
    interval, unit = meaning.every
    if meaning.feast is not None:
        return _feast(meaning, meaning.feast)
    if meaning.week_numbers:
        return Rule(
            frequency="YEARLY",
            interval=interval if unit == "year" else 1,
            week_numbers=meaning.week_numbers,
            weekdays=meaning.weekdays,
        )
    build = {"day": _daily, "week": _weekly, "month": _monthly, "year": _yearly}.get(unit)
    if build is not None:
        return build(meaning, interval)
    if unit not in FREQUENCIES or meaning.days or meaning.ordinals or meaning.day_numbers:
        return None
    return Rule(frequency=FREQUENCIES[unit], interval=interval, weekdays=meaning.weekdays)


def _feast(meaning: Meaning, feast: Feast) -> Rule | None:
    """Return a lunar day every year, or every month; other feasts that move have no rule."""
    named = {"month": 0, "year": 1}.get(meaning.every.unit) if meaning.every and meaning.every.interval == 1 else None
    is_lunar = feast.kind == "lunar" and all(bool(month) == bool(named) for month, _ in feast.days)
    if named is None or not is_lunar or meaning.days or meaning.months or meaning.year is not None:
        return None
    return Rule(frequency="LUNAR", feast=feast)


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
        return _yearly(meaning._replace(months=_every_so_many(meaning.months, interval)), 1)
    if meaning.year is not None:
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


def _every_so_many(months: tuple[int, ...], interval: int) -> tuple[int, ...]:
    """Semiannually on 30 June: in December too."""
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
