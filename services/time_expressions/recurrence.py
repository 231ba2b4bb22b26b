"""Turn a recurring meaning into an RRULE and its first fire.

Source: RFC 5545 section 3.3.10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from services.time_expressions.clocks import Moment, moments
from services.time_expressions.days import WEEK, add_months, make_date, monday_of, nth_weekday
from services.time_expressions.model import DayParts
from services.time_expressions.values import Every, Meaning

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
SECONDS = {"second": 1, "minute": 60, "hour": 3600}
DAYS_SEARCHED = 366 * 9
"""Enough for 29 February across a century that is no leap year."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """The date part of a recurrence, as RFC 5545 names it."""

    frequency: str
    interval: int = 1
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()
    ordinals: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    week_numbers: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()

    @property
    def is_open(self) -> bool:
        """Weekly, monthly or yearly without a word on which day."""
        return self.frequency in {"WEEKLY", "MONTHLY", "YEARLY"} and len(self.render()) <= 1 + (self.interval != 1)

    def render(self) -> list[str]:
        """The parts of the RRULE, frequency first."""
        names = [WEEKDAY_NAMES[day] for day in self.weekdays]
        if self.ordinals:
            names = [f"{ordinal}{name}" for ordinal in self.ordinals for name in names]
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
        if self.months and day.month not in self.months:
            return False
        if self.week_numbers and day.isocalendar().week not in self.week_numbers:
            return False
        if self.year_days and day.timetuple().tm_yday not in self.year_days:
            return False
        if self.month_days and not self._fits_month_day(day):
            return False
        if self.positions:
            return day in self._instances(day)
        if self.ordinals:
            return self._fits_ordinal(day)
        return not self.weekdays or day.weekday() in self.weekdays

    def _fits_month_day(self, day: date) -> bool:
        return any(make_date(day.year, day.month, number) == day for number in self.month_days)

    def _fits_ordinal(self, day: date) -> bool:
        whole_year = self.frequency == "YEARLY" and not self.months
        first = day.replace(month=1, day=1) if whole_year else day.replace(day=1)
        last = day.replace(month=12, day=31) if whole_year else make_date(day.year, day.month, -1)
        if last is None or day.weekday() not in self.weekdays:
            return False
        return any(nth_weekday(first, last, ordinal, day.weekday()) == day for ordinal in self.ordinals)

    def _instances(self, day: date) -> list[date]:
        every_day = (make_date(day.year, day.month, number) for number in range(1, 32))
        matching = [one for one in every_day if one and one.weekday() in self.weekdays]
        chosen = (place - 1 if place > 0 else place for place in self.positions)
        return [matching[place] for place in chosen if -len(matching) <= place < len(matching)]


def build_rule(meaning: Meaning) -> Rule | None:
    """The date part of the recurrence that `meaning` names, or None where it makes no sense."""
    if meaning.every is None or meaning.offset is not None or meaning.now:
        return None
    interval, unit = meaning.every
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
    if meaning.days or meaning.ordinals or meaning.day_numbers:
        return None
    return Rule(frequency=FREQUENCIES[unit], interval=interval, weekdays=meaning.weekdays)


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
        return _yearly(meaning, 1)
    if meaning.year is not None:
        return None
    return Rule(
        frequency="MONTHLY",
        interval=interval,
        month_days=month_days,
        weekdays=meaning.weekdays,
        ordinals=meaning.ordinals,
        positions=meaning.positions,
    )


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
    )


def day_times(meaning: Meaning, day: date, parts: DayParts) -> list[Moment]:
    """The times of `day` that a recurrence fires at, sorted; one default where the words name none."""
    part = meaning.parts[0] if len(meaning.parts) == 1 else ""
    if meaning.clocks:
        found = [moments(day, clock, part, parts)[0] for clock in meaning.clocks]
    else:
        found = [moments(day, None, name, parts)[0] for name in meaning.parts or ("",)]
    return sorted(found, key=lambda moment: moment.local)


def clock_parts(rule: Rule, meaning: Meaning, day: date, parts: DayParts) -> list[str] | None:
    """BYHOUR and BYMINUTE where words named a clock or a part of the day.

    Several clocks that differ in hour and minute alike are picked out of the product of both with BYSETPOS, for
    which the rule must fire daily.
    """
    if not meaning.clocks and not meaning.parts:
        return []
    times = [moment.local for moment in day_times(meaning, day, parts)]
    hours, minutes = sorted({t.hour for t in times}), sorted({t.minute for t in times})
    rendered = [f"BYHOUR={','.join(map(str, hours))}", f"BYMINUTE={','.join(map(str, minutes))}"]
    wanted = {(t.hour, t.minute) for t in times}
    product = [(hour, minute) for hour in hours for minute in minutes]
    if len(wanted) == len(product):
        return rendered
    if rule.frequency not in {"DAILY", "WEEKLY"} or rule.interval != 1:
        return None
    places = [str(place) for place, pair in enumerate(product, start=1) if pair in wanted]
    return [*rendered, f"BYSETPOS={','.join(places)}"]


def first_fire(rule: Rule, meaning: Meaning, after: datetime, parts: DayParts) -> Moment | None:
    """The first local time at or after `after` that fits the rule; short periods begin one period from now."""
    every = meaning.every
    if every is not None and every.unit in SECONDS:
        return _first_elapsed(rule, meaning, every, after, parts)
    if every is not None and rule.is_open:
        return _first_whole_period(meaning, every, after, parts)
    day = after.date()
    for _ in range(DAYS_SEARCHED):
        if rule.fits(day):
            for moment in day_times(meaning, day, parts):
                if moment.local >= after:
                    return moment
        if day == date.max:
            return None
        day += timedelta(days=1)
    return None


def _first_whole_period(meaning: Meaning, every: Every, after: datetime, parts: DayParts) -> Moment | None:
    """Today's time if it lies ahead, else one period on."""
    for moment in day_times(meaning, after.date(), parts):
        if moment.local >= after:
            return moment
    months = {"month": 1, "year": 12}.get(every.unit, 0) * every.interval
    day = add_months(after.date(), months)
    if day is None:
        return None
    return day_times(meaning, day + timedelta(days=0 if months else WEEK * every.interval), parts)[0]


def _first_elapsed(rule: Rule, meaning: Meaning, every: Every, after: datetime, parts: DayParts) -> Moment | None:
    """Every N seconds, minutes or hours: one period from now, or the first clock that the words name."""
    if meaning.clocks or meaning.parts:
        for ahead in range(WEEK + 1):
            for moment in day_times(meaning, after.date() + timedelta(days=ahead), parts):
                if moment.local >= after and rule.fits(moment.local.date()):
                    return moment
        return None
    try:
        local = after + timedelta(seconds=every.interval * SECONDS[every.unit])
    except OverflowError:
        return None
    return Moment(local=local, has_clock=True)


def window_end(meaning: Meaning, first: datetime) -> datetime | None:
    """The last moment of "for two months", counted from the day of the first fire."""
    if meaning.lasting is None:
        return None
    span = meaning.lasting
    moved = add_months(first.date(), span.months)
    if moved is None:
        return None
    try:
        return datetime.combine(moved, first.time()) + timedelta(days=span.days, seconds=span.seconds)
    except OverflowError:
        return None


def week_end(day: date) -> date:
    """The Sunday of the calendar week of `day`."""
    return monday_of(day) + timedelta(days=WEEK - 1)
