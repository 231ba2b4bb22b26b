"""Convert messages and due reminders to the schemas of the page and the HTTP API."""

import re
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from bot.platforms.base import OutgoingMessage
from bot.platforms.web import ids
from bot.platforms.web.choices import choice_shape
from bot.platforms.web.extras import NOTHING, Extras
from bot.platforms.web.frames import AuthorShape, CallShape, FiredShape, MessageShape, written
from services.kernel.chat import Person
from services.reminders.model import EVERYONE, DueNotice

_NOT_IN_IDS: Final = re.compile(r"[^A-Za-z0-9_-]")


def message_shape(
    message_id: str,
    author: AuthorShape,
    text: str,
    at: datetime,
    *,
    reply_to: str | None = None,
    extras: Extras = NOTHING,
    calls: Sequence[CallShape] = (),
    edited: bool = False,
) -> MessageShape:
    """Return a message as the room shows it."""
    return MessageShape(
        id=message_id,
        client_id=ids.client_id_of(message_id),
        author=author,
        text=text,
        reply_to=reply_to,
        ts=written(at),
        edited=edited,
        stopped=extras.stopped,
        mentions=extras.mentions,
        attachments=extras.attachments,
        choices=extras.choices,
        reactions=extras.reactions,
        reminder=extras.reminder,
        tool_calls=list(calls),
    )


def extras_of(message: OutgoingMessage, now: datetime) -> Extras:
    """Return what a message of the bot has beside its text."""
    return Extras(
        choices=[choice_shape(each, written) for each in message.choices],
        mentions=[*(person.id for person in message.mentions), *([EVERYONE] if message.mentions_everyone else [])],
        reminder=_fired_shape(message, now),
    )


def due_shape(notice: DueNotice, now: datetime) -> dict[str, object]:
    """Return a reminder at the moment it is said."""
    return {
        "id": notice.reminder_id,
        "text": notice.content,
        "due_at": written(notice.due_at),
        "tz": str(notice.due_at.tzinfo),
        "repeat": "",
        "created_by": notice.creator.id,
        "created_by_name": notice.creator.name,
        "mentions": [person.id for person in notice.targets or (notice.creator,)],
        "status": "fired",
        "late_ms": _late_ms(notice, now),
        "missed": notice.missed,
    }


def person_of(author: object) -> Person | None:
    """Return who an author of another worker's frame is; None for the bot, and for what is none."""
    if not isinstance(author, Mapping) or author.get("kind") != "person":
        return None
    return Person(id=str(author.get("id")), name=str(author.get("name")))


def id_for(idempotency_key: str | None) -> str:
    """Return the id of a message of the bot: the same for the same key."""
    if idempotency_key is None:
        return f"bot-{uuid.uuid4().hex}"
    return f"due-{_NOT_IN_IDS.sub('-', idempotency_key)}"


def _fired_shape(message: OutgoingMessage, now: datetime) -> FiredShape | None:
    if not message.notices:
        return None
    notice = message.notices[0]
    due = written(notice.due_at)
    return FiredShape(id=notice.reminder_id, text=notice.content, due_at=due, late_ms=_late_ms(notice, now))


def _late_ms(notice: DueNotice, now: datetime) -> int:
    return max(0, round((now - notice.due_at).total_seconds() * 1000))
