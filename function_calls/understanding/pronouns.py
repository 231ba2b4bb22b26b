"""Tell who is meant by "remind her": the one whom the requests just before were about."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from function_calls.tools.calls import Interpretation, Turn
from function_calls.understanding.clauses import LONGEST
from function_calls.understanding.pack import LanguagePack, languages_of, load_pack
from function_calls.understanding.reminder_request import ReminderRequest
from function_calls.understanding.requests import Ear
from services.kernel.chat import ChatMessage

_LATELY: Final = timedelta(minutes=10)
_MOST_LOOKED_AT: Final = 10
_JOINT: Final = "_"
_NOBODY: Final = "whom"
"""Stands in a message for one who is not known; no person of a chat is called so."""


class Named(Struct, frozen=True, kw_only=True):
    """A message in which a name stands for the pronoun.

    `joined` are the names of several words by the one word written for each; `content` what the person whom the
    pronoun stands for was to be reminded of. `is_unknown` says that nobody is known whom it may stand for.
    """

    turn: Turn
    joined: Mapping[str, str] = field(default_factory=dict)
    content: str = ""
    is_unknown: bool = False


def with_person_named(turn: Turn, ear: Ear) -> Named:
    """`turn` with the name of the one who is meant by the pronoun in "remind him", if it has one.

    Between people who do not speak to the bot nobody is sought: they remind each other.
    """
    text = turn.message.text
    spoken = _pronoun(text, ear.pack) if ear.is_addressed and len(text) <= LONGEST else None
    if spoken is None:
        return Named(turn=turn)
    before = _before(turn, ear)
    name = _NOBODY if before is None or before.person is None else before.person.removeprefix("@")
    word = _JOINT.join(name.split())
    start, end = spoken.span("who")
    written = f"{text[:start]}@{word} {_without_again(text[end:], ear.pack)}".rstrip()
    message = replace(turn.message, text=written)
    joined = {} if word == name else {word: name}
    content = "" if before is None else before.content
    return Named(turn=replace(turn, message=message), joined=joined, content=content, is_unknown=name == _NOBODY)


def asks_for_nobody(heard: Interpretation) -> bool:
    """Whether what was understood is a reminder for one of whom only the pronoun is known."""
    said = f"{heard.answer} {heard.notice}"
    return _NOBODY in said or any(_NOBODY in str(call.arguments.get("person")) for call in heard.calls)


def _pronoun(text: str, pack: LanguagePack) -> re.Match[str] | None:
    return pack.pronoun.search(pack.fold(text))


def _without_again(rest: str, pack: LanguagePack) -> str:
    """`rest` without "again" and "too" at its ends, which ask for nothing of their own."""
    again = pack.again.search(pack.fold(rest))
    return rest if again is None else f"{rest[: again.start()]} {rest[again.end() :]}".strip()


def _before(turn: Turn, ear: Ear) -> ReminderRequest | None:
    """The last request of somebody for somebody; who asked somebody else's reminder is meant by another's "her"."""
    message = turn.message
    people = [each for each in turn.recent if not each.sender.is_bot and message.sent_at - each.sent_at <= _LATELY]
    asked = (_asked(each, turn, ear) for each in reversed(people[-_MOST_LOOKED_AT:]))
    return next(filter(None, asked), None)


def _asked(said: ChatMessage, turn: Turn, ear: Ear) -> ReminderRequest | None:
    """Whom `said` asked to remind, and of what; the one who says "her" means nobody's own."""
    for language in languages_of(said.text, turn.language):
        heard = replace(ear, pack=load_pack(language))
        if _pronoun(said.text, heard.pack) is not None:
            return None
        for reminder in reversed([each for request in heard.requests(said.text) for each in request.reminders]):
            if reminder.person is not None:
                return reminder
            if said.sender.id != turn.message.sender.id:
                return replace(reminder, person=said.sender.name)
    return None
