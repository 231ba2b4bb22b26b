"""Decide what a meaning is on the calendar, against the present moment."""

from dataclasses import replace

from services.time_expressions.clocks import LAST_AFTERNOON_HOUR, UNSURE_HOURS
from services.time_expressions.instants import instants
from services.time_expressions.present import Answer, Present
from services.time_expressions.recurring import recurring
from services.time_expressions.values import Meaning


def resolve(meaning: Meaning, present: Present) -> list[Answer]:
    """All readings of `meaning`, best first; empty where it names no time that exists."""
    try:
        if meaning.every is None:
            return instants(meaning, present)
        answers = [answer for way in ways(meaning) if (answer := recurring(way, present))]
    except (OverflowError, ValueError):  # the calendar ends with the year 9999
        return []
    return [replace(answer, unsure=len(answers) > 1) for answer in answers]


def ways(meaning: Meaning) -> list[Meaning]:
    """A recurrence as it is, and with its clock in the other half of the day where people mean either."""
    if len(meaning.clocks) != 1 or meaning.parts or meaning.until is not None:
        return [meaning]
    clock = meaning.clocks[0]
    if clock.half or clock.grain != "hour" or clock.hour not in UNSURE_HOURS:
        return [meaning]
    other = "am" if clock.hour <= LAST_AFTERNOON_HOUR else "pm"
    return [meaning, replace(meaning, clocks=(clock._replace(half=other),))]
