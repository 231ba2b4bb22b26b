"""Understand a note with its time that is put to the bot: "dentist tomorrow 9am" needs no "remind me"."""

from function_calls.offline.clauses import LONGEST
from function_calls.offline.questions import is_question
from function_calls.offline.reminder_request import ReminderRequest
from function_calls.offline.requests import Ear


def noted(text: str, ear: Ear) -> ReminderRequest | None:
    """The reminder that `text` notes: something to do and one exact time, and nobody who does or says it."""
    core, plain = ear.forms(text)
    if len(plain) > LONGEST or is_question(plain, ear.pack) or ear.pack.no_note.search(ear.pack.fold(plain)):
        return None
    clause = ear.clause(core)
    content = ear.without_times(clause)
    if len(clause.times) != 1 or not content:
        return None
    best = clause.times[0].best
    if best is None or not (best.has_clock or best.rrule):
        return None
    return ReminderRequest(content=content, time=clause.times[0])
