"""Read points in time, intervals and recurrences in English, Chinese and Spanish text.

`rules` compiles the lexicons (`lexicons/<language>.toml`), `scan` cuts a text into tokens, `parse` finds phrases by the
rules and selects those that are times, and `resolve` turns them into instants and recurrences.
"""

from services.time_expressions.effort import MAX_EFFORT, is_effort_spent, limited_effort, spend_effort
from services.time_expressions.engine import TimeReader, is_calendar_word, parse, parse_all, warm_up
from services.time_expressions.model import DateOrder, DayParts, Grain, Reading, ReadTimes, TimeReadings
from services.time_expressions.rules.grammar import languages

__all__ = [
    "MAX_EFFORT",
    "DateOrder",
    "DayParts",
    "Grain",
    "ReadTimes",
    "Reading",
    "TimeReader",
    "TimeReadings",
    "is_calendar_word",
    "is_effort_spent",
    "languages",
    "limited_effort",
    "parse",
    "parse_all",
    "spend_effort",
    "warm_up",
]
