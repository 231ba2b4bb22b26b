"""Understand the answer to a question that the bot asked before."""

import re
from collections.abc import Iterable
from datetime import datetime

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.understanding.blanks import Blanked
from function_calls.understanding.carried_days import on_day
from function_calls.understanding.clauses import trimmed
from function_calls.understanding.open_questions import OpenQuestion
from function_calls.understanding.pack import LanguagePack
from function_calls.understanding.reminder_request import ReminderRequest
from function_calls.understanding.requests import Ear
from services.time_expressions import Reading

_ORDER = ("first", "second", "third")
_BOTH = ("first", "second")
_NOON = 12
_FIGURE = re.compile(r"\d{1,2}", re.ASCII)
"""A bare figure names a clock time where a time was asked for."""


def is_choice(text: str, pack: LanguagePack) -> bool:
    """Whether the whole of `text` picks one of several answers: "the first" is no date then."""
    word = trimmed(text).lower()
    return any(word in words for words in pack.data.choices.values())


def is_dropped(text: str, pack: LanguagePack) -> bool:
    """Whether the person wants none of it."""
    is_chosen = trimmed(text).lower() in pack.data.choices.get("dropped", ())
    folded = pack.fold(text)
    return is_chosen or pack.taken_back.search(folded) is not None or pack.waved_off.fullmatch(folded) is not None


def chosen_options(text: str, question: OpenQuestion, ear: Ear) -> tuple[Reading, ...]:
    """The option that `text` names, by number, by part of the day, or by its time; all of them for "both"."""
    words = _barer(text, ear)
    return _by_word(words, question.options, ear) or _by_time(words[-1], question.options, ear)


def is_as_unclear(text: str, question: OpenQuestion, ear: Ear) -> bool:
    """Whether `text` says again what each of the options may be: "8" where it was asked which eight o'clock."""
    *_, answer = _barer(text, ear)
    said = [reading.start for time in _clause(answer, ear).times for reading in time.readings[:1]]
    clocks = {(start.hour % _NOON, start.minute) for start in (*said, *map(_start, question.options))}
    return is_clock_without_half(answer) and len(said) == len(clocks) == 1


def _by_word(words: Iterable[str], options: tuple[Reading, ...], ear: Ear) -> tuple[Reading, ...]:
    choices = ear.pack.data.choices
    for word in words:
        if word in choices.get("both", ()) and len(options) == len(_BOTH):
            return options
        for name, option in zip(_ORDER, options, strict=False):
            if word in choices.get(name, ()):
                return (option,)
        for name, is_wanted in (("before_noon", True), ("after_noon", False)):
            fitting = tuple(option for option in options if (option.start.hour < _NOON) is is_wanted)
            if word in choices.get(name, ()) and len(fitting) == 1:
                return fitting
        for name, which in (("earlier", min), ("later", max)):
            if word in choices.get(name, ()):
                return (which(options, key=_start),)
    return ()


def _by_time(answer: str, options: tuple[Reading, ...], ear: Ear) -> tuple[Reading, ...]:
    """The only option that `answer` may mean; none where it says more than a time."""
    clause = ear.clause(answer)
    said = [] if ear.without_times(clause) else [reading for time in clause.times for reading in time.readings[:1]]
    for is_meant in (_is_same_moment, _is_same_clock, _is_of_that_half):
        fitting = tuple(option for option in options if any(is_meant(option, reading) for reading in said))
        if len(fitting) == 1:
            return fitting
    return ()


def named_time(text: str, question: OpenQuestion, ear: Ear) -> ReminderRequest | None:
    """The reminder that `text` completes: its whole is a time, or a time and the content that was missing too.

    Where it was asked which of several times is meant, another one without a day is on the day of these.
    """
    *_, answer = _barer(text, ear)
    clause = _clause(answer, ear)
    readable = [time for time in clause.times if time.best is not None]
    if len(readable) != 1:
        return None
    rest = ear.without_times(clause)
    if rest and question.content:
        return None
    (time,) = readable
    days = {option.start.date() for option in question.options}
    if len(days) == 1 and time.best is not None and not (time.best.has_day or time.best.rrule):
        time = replace(time, readings=tuple(on_day(reading, min(days)) for reading in time.readings))
    return ReminderRequest(content=question.content or rest, person=question.person, time=time)


def named_content(text: str, question: OpenQuestion, ear: Ear) -> ReminderRequest | None:
    """The reminder that `text` says what is about, where that was asked as well, and names no time."""
    words = ear.core(text)
    joint = ear.pack.joint.match(words)
    content = words[joint.end() :] if joint else words
    if question.content or ear.clause(text).times or not ear.pack.to_do.search(ear.pack.fold(content)):
        return None
    return ReminderRequest(content=content, person=question.person)


def _barer(text: str, ear: Ear) -> list[str]:
    """An answer without politeness, and without one after the other of the words that answers are given with."""
    found = [trimmed(ear.core(text)).lower()]
    while True:
        match = ear.pack.answering.search(found[-1])
        shorter = "" if match is None else trimmed(found[-1][: match.start()] + found[-1][match.end() :])
        if not shorter:
            return found
        found.append(shorter)


def _clause(answer: str, ear: Ear) -> Blanked:
    return ear.clause(ear.pack.data.clock.format(time=answer) if _FIGURE.fullmatch(answer) else answer)


def _start(option: Reading) -> datetime:
    return option.start


def _is_same_moment(option: Reading, said: Reading) -> bool:
    return option.start == said.start


def _is_same_clock(option: Reading, said: Reading) -> bool:
    return option.start.time() == said.start.time()


def _is_of_that_half(option: Reading, said: Reading) -> bool:
    """Whether `said` is a part of a day without a clock time, in which the option may be."""
    is_day = not said.has_day or option.start.date() == said.start.date()
    is_half = (option.start.hour < _NOON) is (said.start.hour < _NOON)
    return bool(said.part) and not said.has_clock and is_day and is_half
