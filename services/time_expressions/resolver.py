"""Decide what a meaning is on the calendar, against the present moment."""

from services.time_expressions.instants import instants
from services.time_expressions.present import Answer, Present
from services.time_expressions.recurring import recurring
from services.time_expressions.values import Meaning


def resolve(meaning: Meaning, present: Present) -> list[Answer]:
    """All readings of `meaning`, best first; empty where it names no time that exists."""
    try:
        if meaning.every is None:
            return instants(meaning, present)
        answer = recurring(meaning, present)
    except (OverflowError, ValueError):  # the calendar ends with the year 9999
        return []
    return [answer] if answer else []
