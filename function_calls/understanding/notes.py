"""Understand a note with its time that is put to the bot: "dentist tomorrow 9am" needs no "remind me"."""

from itertools import chain
from typing import Final

from function_calls.understanding.blanks import Blanked
from function_calls.understanding.clauses import LONGEST
from function_calls.understanding.listed import listed
from function_calls.understanding.matching import Match
from function_calls.understanding.questions import is_question
from function_calls.understanding.reminder_request import ReminderReader, ReminderRequest
from function_calls.understanding.requests import Ear

_LONGEST_TITLE: Final = 2
"""Words that may stand above a list of notes: "to do", "reminders"."""


def noted(text: str, ear: Ear) -> tuple[ReminderRequest, ...]:
    """The reminders that `text` notes: things to do, each with its exact time, and nobody who does or says them."""
    several = listed(text)
    if several is not None and len(several.head.split()) <= _LONGEST_TITLE:
        each = [_noted(point, ear) for point in several.points]
        if all(each):
            return ear.dated(list(chain.from_iterable(each)))
    return _noted(text, ear)


def _noted(text: str, ear: Ear) -> tuple[ReminderRequest, ...]:
    core, plain = ear.forms(text)
    folded = ear.pack.fold(plain)
    if len(plain) > LONGEST or ear.pack.no_note.search(folded):
        return ()
    clause = ear.clause(core)
    if is_question(plain, ear.pack) and not ear.pack.to_do.search(folded) and not _repeats(clause):
        return ()
    noted = Match(intent="reminder_set", slots={"content": clause.text})
    found = ReminderReader(clause, ear.pack, ear).read(noted) if clause.times else ()
    is_all_read = len({each.time for each in found}) >= len(clause.times)
    is_named = not any(ear.pack.nameless.fullmatch(ear.pack.fold(each.content)) for each in found)
    return ear.dated(found) if is_all_read and is_named and all(map(_is_exact, found)) else ()


def _repeats(clause: Blanked) -> bool:
    """Whether the only time is one of every week or so, by the clock: nobody looks that up."""
    bests = [time.best for time in clause.times]
    return len(bests) == 1 and bests[0] is not None and bests[0].rrule is not None and bests[0].has_clock


def _is_exact(request: ReminderRequest) -> bool:
    best = None if request.time is None else request.time.best
    return bool(request.content) and best is not None and (best.has_clock or best.rrule is not None)
