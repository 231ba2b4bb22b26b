"""Keep the names of people out of the times of a message: "remind Jun on the 20th" names no month."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache

from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reading.slots.small_words import match_any
from services.time_expressions import ReadTimes, TimeReadings, is_calendar_word

_NAMES: ContextVar[frozenset[str]] = ContextVar("names", default=frozenset())
_MAX_PREFIX_LENGTH = 20
"""The most characters in front of a name that may say that it is a date, so that a long message takes linear time."""


@contextmanager
def hidden_names(names: frozenset[str]) -> Iterator[None]:
    """Let each `NameIgnoringTimeReader` read no times in the names of these people."""
    token = _NAMES.set(names)
    try:
        yield
    finally:
        _NAMES.reset(token)


class NameIgnoringTimeReader:
    """Reads times as `read` does, but none in the names that `hidden_names` hides."""

    def __init__(self, read: ReadTimes) -> None:
        self._read = read

    def __call__(
        self, text: str, now: datetime, *, language: str | None = None, eager: bool = False
    ) -> tuple[TimeReadings, ...]:
        """Return the expressions in order; `now` is timezone-aware."""
        hidden = text if language is None else _hide(text, _NAMES.get(), language)
        times = self._read(hidden, now, language=language, eager=eager)
        return times if hidden == text else tuple(each._replace(text=text) for each in times)


def _hide(text: str, people: frozenset[str], language: str) -> str:
    """Return `text` with `_` for the letters of names that are calendar words, unless a time is meant."""
    names = _list_calendar_words(people, language)
    if not names:
        return text
    words = load_lexicon(language)
    edge, space = (r"\b", r"\s+") if words.joint else ("", "")
    before = re.compile(rf"(?:\d\w*|{match_any(words.before_month)}){space}$", re.IGNORECASE)
    behind = re.compile("|".join([r"\s*\d", *map(re.escape, words.behind_holiday)]))

    def hide(match: re.Match[str]) -> str:
        start, end = match.span()
        is_date = before.search(text[max(0, start - _MAX_PREFIX_LENGTH) : start]) or behind.match(text, end)
        return match[0] if is_date else "_" * (end - start)

    return re.sub(rf"{edge}(?:{match_any(names)}){edge}", hide, text, flags=re.IGNORECASE)


@lru_cache(maxsize=64)  # a message is read several times
def _list_calendar_words(names: frozenset[str], language: str) -> tuple[str, ...]:
    """Return those of `names` that are a day, a month or the like in `language`."""
    return tuple(name for name in names if is_calendar_word(name, language))
