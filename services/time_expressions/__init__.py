"""Read points in time, intervals and recurrences out of English and Chinese text.

One engine, lexicons as data: `lexicons/<language>.toml` holds the words and the rules of a language.
"""

from services.time_expressions.effort import MOST_EFFORT, is_effort_spent, limited_effort, spend_effort
from services.time_expressions.engine import parse, parse_all, warm_up
from services.time_expressions.grammar import languages
from services.time_expressions.model import DateOrder, DayParts, Grain, Reading, TimeReadings
from services.time_expressions.reader import TimeReader

__all__ = [
    "MOST_EFFORT",
    "DateOrder",
    "DayParts",
    "Grain",
    "Reading",
    "TimeReader",
    "TimeReadings",
    "is_effort_spent",
    "languages",
    "limited_effort",
    "parse",
    "parse_all",
    "spend_effort",
    "warm_up",
]
