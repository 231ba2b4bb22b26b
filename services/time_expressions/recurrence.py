"""Find the times of day and the first fire of a recurrence."""

from datetime import date, datetime, timedelta

from services.time_expressions.clocks import Moment, moments
from services.time_expressions.days import WEEK, add_months, monday_of
from services.time_expressions.model import DayParts
from services.time_expressions.rule import Rule
from services.time_expressions.values import Every, Meaning

SECONDS = {"second": 1, "minute": 60, "hour": 3600}
DAYS_SEARCHED = 366 * 9
"""Enough for 29 February across a century that is no leap year."""


def day_times(meaning: Meaning, day: date, parts: DayParts) -> list[Moment]:
    """Return the times of `day` that a recurrence fires at, sorted; one default where the words name none."""
    named = meaning.parts or ("",)
    if len(meaning.clocks) > 1 and len(named) > 1:
        named = ("",)
    found = [moments(day, clock, part, parts)[0] for clock in meaning.clocks or (None,) for part in named]
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
    """Return the first local time at or after `after` that fits the rule; short periods begin one period from now."""
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
    if meaning.minute is not None:
        ahead_minutes = (meaning.minute - after.minute - 1) % 60 + 1
        return Moment(local=after.replace(second=0) + timedelta(minutes=ahead_minutes), has_clock=True)
    if meaning.clocks or meaning.parts:
        for ahead in range(WEEK + 1):
            for moment in day_times(meaning, after.date() + timedelta(days=ahead), parts):
                if moment.local >= after and rule.fits(moment.local.date()):
                    return moment
        return None
    if meaning.since is not None and meaning.since.clocks:
        return Moment(local=after, has_clock=True)
    try:
        local = after + timedelta(seconds=every.interval * SECONDS[every.unit])
    except OverflowError:
        return None
    return Moment(local=local, has_clock=True)


def window_end(meaning: Meaning, first: datetime) -> datetime | None:
    """Return the last moment of "for two months", counted from the day of the first fire."""
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
    """Return the Sunday of the calendar week of `day`."""
    return monday_of(day) + timedelta(days=WEEK - 1)
