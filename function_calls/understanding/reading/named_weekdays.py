"""Find the weekdays that words name, and the last day of a repetition."""

import re
from collections.abc import Iterable
from datetime import date, datetime, time
from typing import Final

from function_calls.language.recognized_phrases import LANGUAGES, phrases
from function_calls.understanding.reading.times import parse_until, parse_whole_time
from services.time_expressions import ReadTimes

_WEEKLY: Final = re.compile("FREQ=WEEKLY;BYDAY=(?P<days>[A-Z]{2}(?:,[A-Z]{2})*)")
_END: Final = "UNTIL="
_LAST_SECOND: Final = time(23, 59, 59)


def find_weekdays(words: str, now: datetime, language: str, read: ReadTimes) -> frozenset[str]:
    """Return the weekdays, as in BYDAY, that `words` name; empty where they name anything else.

    A single day counts as one that recurs ("Sunday"); see `find_recurring_weekdays`.
    """
    return find_recurring_weekdays(words, now, language, read) or _find_first(
        (phrases(each).each.format(days=words) for each in _list_languages(language)), now, language, read
    )


def find_recurring_weekdays(words: str, now: datetime, language: str, read: ReadTimes) -> frozenset[str]:
    """Return the weekdays that `words` name as recurring: those of "Sundays" and "weekdays", none of "Sunday"."""
    return _find_first((words,), now, language, read)


def names_weekday(words: str, now: datetime, language: str, read: ReadTimes) -> bool:
    """Return whether `words` name one weekday and at most a clock: "Friday at 8", but not "this Friday"."""
    texts = ((phrases(each).each.format(days=words), each) for each in _list_languages(language))
    times = (parse_whole_time(text, now, each, read) for text, each in texts)
    rules = (_WEEKLY.match(time.rrule) for time in times if time is not None and time.rrule)
    return any(weekly is not None and weekly["days"].isalpha() for weekly in rules)


def parse_last_day(words: str, now: datetime, language: str, read: ReadTimes) -> date | None:
    """Return the last day of a repetition that ends "until `words`"; None where they name no day."""
    for each in _list_languages(language):
        until = phrases(each).until.match(words)
        text = phrases(each).daily_until.format(day=words[until.end() :].strip() if until else words)
        reading = parse_whole_time(text, now, each, read)
        end = next((part for part in (reading.rrule or "").split(";") if part.startswith(_END)), "") if reading else ""
        last = parse_until(end.removeprefix(_END), now.tzinfo) if end else None
        if last is not None and last.time() == _LAST_SECOND:  # an hour is no day: "until 8"
            return last.date()
    return None


def _find_first(texts: Iterable[str], now: datetime, language: str, read: ReadTimes) -> frozenset[str]:
    """Return the weekdays of the first of `texts` that is a weekly repetition in any language; empty for none."""
    for text in texts:
        for each in _list_languages(language):
            reading = parse_whole_time(text, now, each, read)
            weekly = _WEEKLY.fullmatch(reading.rrule) if reading and reading.rrule else None
            if weekly is not None:
                return frozenset(weekly["days"].split(","))
    return frozenset()


def _list_languages(language: str) -> tuple[str, ...]:
    """Return the languages that have phrases for repetitions, `language` first."""
    return tuple(dict.fromkeys(each for each in (language, *LANGUAGES) if each in LANGUAGES))
