"""Understand the answer to a question that the bot asked before."""

from datetime import datetime

from function_calls.offline.clauses import trimmed
from function_calls.offline.open_questions import OpenQuestion
from function_calls.offline.pack import LanguagePack
from function_calls.offline.reminder_request import ReminderRequest
from function_calls.offline.requests import Ear
from services.time_expressions import Reading

_ORDER = ("first", "second", "third")
_NOON = 12


def is_choice(text: str, pack: LanguagePack) -> bool:
    """Whether the whole of `text` picks one of several answers: "the first" is no date then."""
    word = trimmed(text).lower()
    return any(word in words for words in pack.data.choices.values())


def is_dropped(text: str, pack: LanguagePack) -> bool:
    """Whether the person wants none of it."""
    is_chosen = trimmed(text).lower() in pack.data.choices.get("dropped", ())
    return is_chosen or pack.taken_back.search(pack.fold(text)) is not None


def chosen_option(text: str, question: OpenQuestion, ear: Ear) -> Reading | None:
    """The option that `text` names: by number, by part of the day, or by its time."""
    word = trimmed(text).lower()
    choices = ear.pack.data.choices
    for name, option in zip(_ORDER, question.options, strict=False):
        if word in choices.get(name, ()):
            return option
    for name, is_wanted in (("before_noon", True), ("after_noon", False)):
        fitting = [option for option in question.options if (option.start.hour < _NOON) is is_wanted]
        if word in choices.get(name, ()) and len(fitting) == 1:
            return fitting[0]
    said = [reading.start for time in ear.clause(text).times for reading in time.readings[:1]]
    for is_meant in (_is_same_moment, _is_same_clock):
        fitting = [option for option in question.options if any(is_meant(option, start) for start in said)]
        if len(fitting) == 1:
            return fitting[0]
    return None


def named_time(text: str, question: OpenQuestion, ear: Ear) -> ReminderRequest | None:
    """The reminder that `text` completes: its whole is a time, or a time and the content that was missing too."""
    clause = ear.clause(text)
    readable = [time for time in clause.times if time.best is not None]
    if len(readable) != 1:
        return None
    rest = ear.without_times(clause)
    if rest and question.content:
        return None
    return ReminderRequest(content=question.content or rest, person=question.person, time=readable[0])


def _is_same_moment(option: Reading, start: datetime) -> bool:
    return option.start == start


def _is_same_clock(option: Reading, start: datetime) -> bool:
    return option.start.time() == start.time()
