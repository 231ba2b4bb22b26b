"""Keep the names of people out of the times of a message: "remind Jun on the 20th" names no month."""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache

from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reading.named_weekdays import find_weekdays
from function_calls.understanding.reading.tokens import TimeReader
from services.time_expressions import TimeReadings, parse_all

_NAMES: ContextVar[Collection[str]] = ContextVar("names", default=())
_SOME_DAY = datetime(2001, 1, 1, tzinfo=UTC)
_LONGEST_BEFORE = 20
"""The most characters in front of a name that may say that it is a date, so that a long message takes linear time."""


@contextmanager
def hidden_names(names: Collection[str]) -> Iterator[None]:
    """Let each `NameIgnoringTimeReader` read no times in the names of these people."""
    token = _NAMES.set(names)
    try:
        yield
    finally:
        _NAMES.reset(token)


class NameIgnoringTimeReader:
    """Reads times as `read` does, but none in the names that `hidden_names` hides."""

    def __init__(self, read: TimeReader) -> None:
        self._read = read

    def __call__(self, text: str, now: datetime, *, language: str | None = None) -> tuple[TimeReadings, ...]:
        """Return the expressions in order; `now` is timezone-aware."""
        folded = text.casefold()
        names = [name for name in _NAMES.get() if name.casefold() in folded]
        hidden = text if language is None or not names else _hide(text, names, language)
        found = self._read(hidden, now, language=language)
        return found if hidden == text else tuple(each._replace(text=text) for each in found)


def _hide(text: str, names: Collection[str], language: str) -> str:
    """Return `text` with `_` for the letters of names that are months or holidays, unless a date is meant."""
    words = load_lexicon(language)
    space = r"\s+" if words.joint else ""
    before = re.compile(rf"(?:\d\w*|{'|'.join(map(re.escape, words.before_month))}){space}$", re.IGNORECASE)
    behind = re.compile("|".join([r"\s*\d", *map(re.escape, words.behind_holiday)]))
    for name in filter(lambda each: _may_be_date(each, language), names):
        edge = r"\b" if words.joint else ""
        for found in re.finditer(rf"{edge}{re.escape(name)}{edge}", text, re.IGNORECASE):
            start, end = found.span()
            if not (before.search(text[max(0, start - _LONGEST_BEFORE) : start]) or behind.match(text, end)):
                text = text[:start] + "_" * len(name) + text[end:]
    return text


@lru_cache(maxsize=4096)
def _may_be_date(name: str, language: str) -> bool:
    """Return whether a name is the word for a month or a holiday; for weekdays people are called otherwise."""
    if find_weekdays(name, _SOME_DAY, language, parse_all):
        return False
    dates = (name, f"{name} 5", f"5 de {name}")  # a month alone is no time in each language
    found = ((each.best, date.index(name)) for date in dates for each in parse_all(date, _SOME_DAY, language=language))
    return any(time is not None and _covers(time.spans, at, at + len(name)) for time, at in found)


def _covers(spans: Iterable[tuple[int, int]], start: int, end: int) -> bool:
    return any(first <= start and end <= last for first, last in spans)
