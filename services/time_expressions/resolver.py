"""Decide what a meaning is on the calendar, against the present moment."""

from services.time_expressions.clocks import LAST_AFTERNOON_HOUR, UNSURE_HOURS
from services.time_expressions.instants import instants
from services.time_expressions.present import Answer, Present
from services.time_expressions.recurring import recurring
from services.time_expressions.values import Every, Meaning
from services.time_expressions.zones import repeated_at_home, zone_of


def resolve(meaning: Meaning, present: Present) -> list[Answer]:
    """All readings of `meaning`, best first; empty where it names no time that exists."""
    try:
        meaning = _daily_for_days(meaning)
        if meaning.every is None:
            return instants(meaning, present)
        answers = [answer for way in ways(meaning) if (answer := _recurring(way, present))]
    except (OverflowError, ValueError):  # the calendar ends with the year 9999
        return []
    return [answer._replace(unsure=len(answers) > 1) for answer in answers]


def _daily_for_days(meaning: Meaning) -> Meaning:
    """For a week from tomorrow, at nine; for the next five days at nine: every day of it."""
    lasting = meaning.lasting
    is_bounded = lasting is not None and lasting.days > 1 and not lasting.seconds
    begins = meaning.since is not None or not (meaning.shift or meaning.weekdays or meaning.days or meaning.feast)
    is_open = meaning.every is None and meaning.until is None and bool(meaning.clocks or meaning.parts)
    return meaning._replace(every=Every(1, "day")) if is_bounded and begins and is_open else meaning


def _recurring(meaning: Meaning, present: Present) -> Answer | None:
    """Return a recurrence, counted by the clock of the place that was named and told by that of `present`."""
    if not (meaning.zone and meaning.clocks):
        return recurring(meaning, present)
    there = recurring(meaning._replace(zone=""), present._replace(now=present.now.astimezone(zone_of(meaning.zone))))
    return None if there is None else repeated_at_home(there, present.zone)


def ways(meaning: Meaning) -> list[Meaning]:
    """Return a recurrence as it is, and with its clock in the other half of the day where people mean either.

    Unlike a single time, one that repeats is wrong on every day, so that minutes do not settle its half.
    """
    if len(meaning.clocks) != 1 or meaning.parts or meaning.until is not None:
        return [meaning]
    clock = meaning.clocks[0]
    if clock.half or (clock.ahead_of or clock.hour) not in UNSURE_HOURS:
        return [meaning]
    other = "am" if (clock.ahead_of or clock.hour) <= LAST_AFTERNOON_HOUR else "pm"
    return [meaning, meaning._replace(clocks=(clock._replace(half=other, ahead_of=0),))]
