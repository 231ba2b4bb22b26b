"""Find the days that words name, and how many occurrences they mean."""

import re
from datetime import date
from typing import Final

from function_calls.language.recognized_phrases import is_clock
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import time_reader
from services.recurrence.edits import fires_from
from services.reminders.lookup.references import is_in
from services.reminders.model import Reminder
from services.time_expressions import Reading

EVERY: Final = re.compile(
    r"\b(?:daily|weekly|monthly|yearly|annual|every|each|regular|recurring|repeating)\b|每|天天|重复|重複|固定",
    re.IGNORECASE,
)
# "The Monday standup" of every Monday may be one of them, or all; "Monday's" and "on Monday" are one.
NAME_OF_ALL: Final = re.compile(
    r"(?:(?:the|my|our) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|週|星期|礼拜|禮拜)[一二三四五六日天]",
    re.IGNORECASE,
)
_MOVED_FROM: Final = re.compile(
    r"\bfrom (?P<day>(?:this |next |on )?(?:today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b(?=.*\bto\b)",
    re.IGNORECASE,
)


def readings_in(words: str, ctx: CallContext) -> list[Reading]:
    """Return the times that `words` name."""
    found = time_reader(ctx).parse_all(words, ctx.message_time, language=ctx.language) if words else ()
    return [each.best for each in found if each.best is not None]


def days_in(words: str, content: str, ctx: CallContext) -> list[Reading]:
    """Return the days that `words` name, without those in the content: "the Monday report"."""
    named = [(each, words) for each in readings_in(words, ctx)]
    moved = _MOVED_FROM.search(words) if not named else None
    if moved is not None:  # "from Monday to Tuesday" would last two days
        named = [(each, moved["day"]) for each in readings_in(moved["day"], ctx)]
    return [
        each
        for each, spoken_in in named
        if each.has_day and each.rrule is None and not is_in(content, spoken(each, spoken_in))
    ]


def spoken(day: Reading, words: str) -> str:
    """Return the words of the day, without those of the clock that belongs to it."""
    parts = [words[start:end].strip() for start, end in day.spans]
    return " ".join(part for part in parts if not is_clock(part))


def comes_on(day: date, reminder: Reminder, ctx: CallContext) -> bool:
    """Return whether `reminder` fires on `day`, by its own clock."""
    return any(fire.date() == day for fire in fires_from(reminder.schedule, day, ctx.now, 1))
