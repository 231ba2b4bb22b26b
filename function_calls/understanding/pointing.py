"""Tell what a request means that only points: "remind me about it at 5", below a message or right behind one."""

from datetime import timedelta
from typing import Final

from function_calls.tools.calls import Turn
from function_calls.understanding.clauses import LONGEST, trimmed, without_names
from function_calls.understanding.courtesies import is_courtesy
from function_calls.understanding.pack import LanguagePack, languages_of, load_pack
from function_calls.understanding.reminder_request import ReminderRequest
from function_calls.understanding.requests import Ear, Request
from services.kernel.chat import ChatMessage

_LATELY: Final = timedelta(minutes=10)
_MOST_LETTERS: Final = 200


def points_back(text: str, language: str) -> bool:
    """Whether `text` points at something, or at somebody to be reminded, so that what was said before is needed.

    So it is where it may answer another person as well as change what was just set: "actually 6", "every month please".
    """
    packs = map(load_pack, languages_of(text, language)) if len(text) <= LONGEST else ()
    return any(_points_back(pack.fold(text), pack) for pack in packs)


def _points_back(folded: str, pack: LanguagePack) -> bool:
    is_pointing = any(each.search(folded) for each in (pack.pointing, pack.pronoun))
    moving = (*pack.second_thoughts, *pack.rhythms)
    return is_pointing or any(each.fullmatch(trimmed(folded)) for each in moving)


def only_points(reminder: ReminderRequest, request: Request, ear: Ear) -> bool:
    """Whether a reminder says of what it is by "it" or "this" alone."""
    if reminder.content:
        return reminder.content.lower() in ear.pack.data.pointers
    return ear.pack.pointing.search(ear.pack.fold(request.clause.text)) is not None


def message_pointed_at(turn: Turn) -> ChatMessage | None:
    """The message that is replied to, or the last one of a person in the minutes before; None for none known."""
    message = turn.message
    if message.reply_to is not None:
        return next((each for each in turn.recent if each.id == message.reply_to), None)
    before = next((each for each in reversed(turn.recent) if not each.sender.is_bot), None)
    return before if before is not None and message.sent_at - before.sent_at <= _LATELY else None


def words_pointed_at(turn: Turn, ear: Ear) -> str:
    """What the message that is pointed at is about: its words, or what it asked to be reminded of; else nothing."""
    before = message_pointed_at(turn)
    if before is None or before.sender.is_bot or is_courtesy(before.text):
        return ""
    asked = [reminder for request in ear.requests(before.text) for reminder in request.reminders]
    if asked:
        return asked[-1].content
    said = trimmed(" ".join(without_names(before.text, ear.names).split()))
    return said if len(said) <= _MOST_LETTERS else f"{said[:_MOST_LETTERS].rsplit(' ', 1)[0]}…"


def named_by_answer(text: str, ear: Ear) -> str:
    """What an answer says that a reminder is about; nothing for a message that asks for something itself.

    In a group, what is not said to the bot is an answer only where it tells of something to do.
    """
    content = ear.core(text)
    if len(text) > LONGEST or ear.requests(text) or content.lower() in ear.pack.data.pointers:
        return ""
    joint = ear.pack.joint.match(content)
    content = trimmed(content[joint.end() :]) if joint else content
    return content if ear.is_addressed or ear.pack.to_do.search(ear.pack.fold(content)) else ""
