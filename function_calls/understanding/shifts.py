"""Read where, or by how much, a reminder is to be moved: "to 6pm", "back by an hour", 把开会的提醒提前十分钟."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.understanding.clauses import trimmed
from function_calls.understanding.lazy_pattern import LazyPattern
from function_calls.understanding.requests import Ear, Request
from function_calls.understanding.time_words import TimeWords
from services.time_expressions import Reading

_FIGURE = re.compile(r"\d{1,2}(?::\d\d)?", re.ASCII)


_FROM = re.compile(r"from\b", re.IGNORECASE)


def new_time(request: Request, ear: Ear) -> Reading | None:
    """The new time, if one was named; of "from 5pm to 6pm" the last."""
    told = _told(request, ear)
    best = next((time.best for time in told if time.best is not None), None)
    if best is None or best.end is None or best.rrule is not None:
        return best
    if not best.has_clock:
        last = (best.end - timedelta(seconds=1)).date()
        is_moved = any(_FROM.match(time.words) for time in told)
        return best._replace(start=datetime.combine(last, best.start.timetz()), end=None) if is_moved else best
    return best._replace(start=best.end, end=None)


def bare_clock(request: Request, ear: Ear) -> str:
    """The words of the new time, if they are an hour of which either half of the day may be meant; else nothing."""
    told = [time for time in _told(request, ear) if time.best is not None]
    words = ear.pack.timed_words.sub("", told[0].words) if told else ""
    if not is_clock_without_half(words):
        return ""
    return f"at {words}" if words[-1].isdigit() else words


def _told(request: Request, ear: Ear) -> tuple[TimeWords, ...]:
    """The times in the words of the new one; a bare figure is a clock time."""
    span, until, hour = request.words("span"), request.words("until"), request.words("hour")
    words = ear.pack.data.from_now.format(span=span) if span else until
    if hour or _FIGURE.fullmatch(until):
        words = ear.pack.data.clock.format(time=hour or until)
    if words:
        return ear.clause(words).times
    named = request.times("which", "reference")
    if any(time in named for time in request.times("when")):  # "my 5pm reminder to tomorrow morning" is no one time
        return ear.clause(request.words("when")).times
    return request.times("when") or tuple(time for time in request.clause.times if time not in named)[-1:]


def moved_by(request: Request, ear: Ear) -> timedelta | None:
    """How much later, or earlier if negative, than it was; None where no such amount was named."""
    when = request.words("when")
    later = request.words("later") or _span(when, ear.pack.later)
    earlier = request.words("earlier") or _span(when, ear.pack.earlier)
    words = trimmed(later or earlier)
    if not ear.pack.length.fullmatch(words):
        return None
    told = ear.read_times(ear.pack.data.from_now.format(span=words), ear.now, language=ear.pack.language)
    best = told[0].best if len(told) == 1 else None
    if best is None or best.rrule is not None:
        return None
    return best.start - ear.now if later else ear.now - best.start


def _span(words: str, patterns: Iterable[LazyPattern]) -> str:
    found = (pattern.fullmatch(trimmed(words)) for pattern in patterns)
    return next((match["span"] for match in found if match), "")
