"""Resolve a meaning on the calendar, as an instant or a recurrence."""

from operator import attrgetter

from services.time_expressions.resolve.clocks import (
    FIRST_AFTERNOON_HOUR,
    LAST_AFTERNOON_HOUR,
    NOON_HOUR,
    UNSURE_HOURS,
    is_early_ahead,
)
from services.time_expressions.resolve.context import Answer, ReadingContext
from services.time_expressions.resolve.days import WEEK
from services.time_expressions.resolve.instants import resolve_instants
from services.time_expressions.resolve.recurrences import resolve_recurrence
from services.time_expressions.resolve.zones import convert_recurrence, zone_of
from services.time_expressions.values import SECONDS_OF, Clock, Every, Meaning, is_time_of_day

_MIN_LIST_ITEMS = 2


def resolve(meaning: Meaning, present: ReadingContext) -> list[Answer]:
    """Return the possible times of `meaning`, best first."""
    try:
        meaning = _begin_on_date(_weekly_within_bounds(_monthly_for_months(_daily_for_days(meaning))))
        if meaning.every is None:
            return resolve_instants(meaning, present)
        found = [answer for way in possible_halves(meaning, present) if (answer := _resolve_in_zone(way, present))]
    except (OverflowError, ValueError):  # the calendar ends with the year 9999
        return []
    is_unsure = len(found) > 1 and _named_hour(meaning.clocks[0]) in UNSURE_HOURS
    if meaning.every.unit in SECONDS_OF:
        # Of "every four hours from six", the next six is meant.
        return sorted(found, key=attrgetter("start"))[:1] if is_unsure else found[:1]
    return [answer._replace(unsure=is_unsure) for answer in found]


def _daily_for_days(meaning: Meaning) -> Meaning:
    """Make "at nine for the next five days" a daily period."""
    lasting = meaning.lasting
    is_bounded = lasting is not None and lasting.days > 1 and not lasting.seconds
    begins = meaning.since is not None or not (meaning.shift or meaning.weekdays or meaning.days or meaning.holiday)
    has_clock = meaning.clocks or meaning.parts or (lasting and lasting.unit == "day" and _has_clock(meaning.since))
    is_open = meaning.every is None and meaning.until is None and bool(has_clock)
    return meaning._replace(every=Every(1, "day")) if is_bounded and begins and is_open else meaning


def _has_clock(bound: Meaning | None) -> bool:
    return bound is not None and bool(bound.clocks or bound.parts)


def _monthly_for_months(meaning: Meaning) -> Meaning:
    """Make "the 15th of the next three months" a monthly period that many times."""
    lasting = meaning.lasting
    is_long = lasting is not None and lasting.months > 1 and not (lasting.days or lasting.seconds)
    if lasting is None or not is_long or meaning.every or len(meaning.days) != 1 or meaning.months:
        return meaning
    return meaning._replace(every=Every(1, "month"), times=lasting.months, lasting=None)


def _begin_on_date(meaning: Meaning) -> Meaning:
    """Make the date beside a period of days or weeks its beginning: "on 26 February, every 28 days"."""
    every = meaning.every
    is_short = every is not None and every.unit in {"day", "week"} and (every.interval > 1 or meaning.until is not None)
    if not is_short or meaning.since is not None or len(meaning.days) != 1 or len(meaning.months) > 1 or meaning.shift:
        return meaning
    date = Meaning(days=meaning.days, months=meaning.months, year=meaning.year, swapped=meaning.swapped, strength=2)
    return meaning._replace(days=(), months=(), year=None, swapped=None, since=date)


def _weekly_within_bounds(meaning: Meaning) -> Meaning:
    """Make several weekdays with a first or a last day a weekly period: "Tuesday and Thursday until the end of May"."""
    is_open = meaning.every is None and meaning.shift is None and not (meaning.this_week or meaning.ordinals)
    if not is_open or meaning.positions or len(meaning.weekdays) < _MIN_LIST_ITEMS:
        return meaning
    is_bounded = any(bound is not None and not is_time_of_day(bound) for bound in (meaning.since, meaning.until))
    is_long = meaning.lasting is not None and (meaning.lasting.months or meaning.lasting.days >= WEEK)
    return meaning._replace(every=Every(1, "week")) if is_bounded or is_long else meaning


def _resolve_in_zone(meaning: Meaning, present: ReadingContext) -> Answer | None:
    """Resolve a recurrence in the named zone and convert it to the zone of `present`."""
    if not (meaning.zone and meaning.clocks):
        return resolve_recurrence(meaning, present)
    answer = resolve_recurrence(
        meaning._replace(zone=""), present._replace(now=present.now.astimezone(zone_of(meaning.zone)))
    )
    return None if answer is None else convert_recurrence(answer, present.zone)


def possible_halves(meaning: Meaning, present: ReadingContext) -> list[Meaning]:
    """Return a recurrence, and a second one with the other half of the day if its clock has no half.

    Early in the morning an hour that is shortly ahead is of the morning: "every day at 5:45" at half past five.
    """
    if len(meaning.clocks) != 1 or meaning.parts or meaning.until is not None:
        return [meaning]
    clock = meaning.clocks[0]
    if is_early_ahead(clock, present.local, present.parts):
        return [_with_half(meaning, "am")]
    hour = _named_hour(clock)
    if clock.half or not FIRST_AFTERNOON_HOUR <= hour < NOON_HOUR:
        return [meaning]
    return [meaning, _with_half(meaning, "am" if hour <= LAST_AFTERNOON_HOUR else "pm")]


def _named_hour(clock: Clock) -> int:
    """Return the hour that the words name: the eight of "a quarter to eight"."""
    return clock.ahead_of or clock.hour


def _with_half(meaning: Meaning, half: str) -> Meaning:
    return meaning._replace(clocks=(meaning.clocks[0]._replace(half=half, ahead_of=0),))
