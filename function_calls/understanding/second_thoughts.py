"""Hear what moves what was just set and says so by a turn of mind alone: "actually 6", "monthly from now on"."""

import re
from collections.abc import Callable, Iterable

from function_calls.tools.calls import Turn
from function_calls.understanding.clauses import LONGEST, trimmed, without_names
from function_calls.understanding.lazy_pattern import LazyPattern
from function_calls.understanding.pack import LanguagePack
from function_calls.understanding.requests import Ear, Request
from function_calls.understanding.whole_time import whole_time
from services.time_expressions import Grain, Reading

_ASKING = re.compile(r"[?？]\s*$")
_DOTTED = re.compile(r"(?<=\d)\.(?=\d\d\b)")


def second_thought(turn: Turn, ear: Ear) -> tuple[Request, ...]:
    """The change of what was just set that a message is; nothing where it says more than when, or may be an answer.

    To another person, who spoke in between, "actually 6" says something else.
    """
    said = turn.message.text
    if len(said) > LONGEST or not (ear.is_addressed or (_nobody_spoke_since(turn) and not _ASKING.search(said))):
        return ()
    plain = trimmed(without_names(said, ear.names))
    words = _named(plain, ear.pack.second_thoughts, ear, _moment) or _named(plain, ear.pack.rhythms, ear, _rhythm)
    if not words or (words == plain and not ear.is_addressed):
        return ()
    moved = ear.requests(ear.pack.data.moved_to.format(time=words))
    return moved if [each.intent for each in moved] == ["reminder_update"] else ()


def _named(plain: str, patterns: Iterable[LazyPattern], ear: Ear, read: Callable[[str, Ear], str]) -> str:
    """The time that a message names as one of `patterns` does, in the words that `read` makes of it."""
    folded = ear.pack.fold(plain)
    found = next(filter(None, (each.fullmatch(folded) for each in patterns)), None)
    return "" if found is None else read(trimmed(plain[slice(*found.span("time"))]), ear)


def _rhythm(words: str, ear: Ear) -> str:
    """`words` where they are a repetition and leave its clock open."""
    time = whole_time(words, ear.now, ear.pack.language, ear.read_times)
    return words if time is not None and time.rrule is not None and not time.has_clock else ""


def _moment(words: str, ear: Ear) -> str:
    """`words` as those of an hour or a day, where they are and no amount of time; a bare figure is an hour."""
    if ear.pack.length.fullmatch(words):
        return ""
    written = _DOTTED.sub(":", words)
    for form in (written, ear.pack.data.clock.format(time=written)):
        time = whole_time(form, ear.now, ear.pack.language, ear.read_times)
        if time is not None and _is_when(time):
            return form
    return ""


def _is_when(time: Reading) -> bool:
    """Whether somebody moves a reminder there in so few words: an hour, a day or a repetition, and not "march"."""
    return time.rrule is not None or time.has_clock or (time.has_day and time.grain is Grain.DAY)


def _nobody_spoke_since(turn: Turn) -> bool:
    people = (each.sender.id for each in reversed(turn.recent) if not each.sender.is_bot)
    return next(people, turn.message.sender.id) == turn.message.sender.id


def put_right(text: str, content: str, pack: LanguagePack, is_time: Callable[[str], bool]) -> str:
    """`content` with the word that `text` takes back replaced; nothing where it takes back none of its words.

    "Change yoga to Mondays at 6" names no other word: of what `is_time` the content does not become.
    """
    if len(text) > LONGEST:
        return ""
    plain = trimmed(text)
    for pattern in pack.replacing:
        found = pattern.fullmatch(pack.fold(plain))
        if found is None:
            continue
        wrong, right = (trimmed(plain[slice(*found.span(name))]) for name in ("wrong", "right"))
        if is_time(right):
            continue
        edge = r"\b" if pack.data.is_spaced else ""
        said = re.search(f"{edge}{re.escape(pack.fold(wrong))}{edge}", pack.fold(content)) if wrong and right else None
        if said is not None:
            return content[: said.start()] + right + content[said.end() :]
    return ""
