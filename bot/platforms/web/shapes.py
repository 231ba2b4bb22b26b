"""Convert messages and due reminders to the schemas of the page and the HTTP API."""

import re
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

from bot.platforms.base import OutgoingMessage
from bot.platforms.web.extras import Extras
from bot.platforms.web.frames import AuthorShape, CallShape, FiredShape, MessageShape, choice_shape, format_instant
from services.kernel.chat import Person
from services.reminders.model import EVERYONE, DueNotice

SESSION: Final = re.compile(r"[\w-]{1,64}")
_MESSAGE: Final = re.compile(r"(?P<client>[A-Za-z0-9_-]{1,64})\.[0-9a-f]{8}")
MAX_NAME_LENGTH: Final = 40

_NOT_IN_IDS: Final = re.compile(r"[^A-Za-z0-9_-]")


def post_id(client_id: str, person: Person) -> str:
    """Return the id of the message that `person` sent as `client_id`; two people may use the same."""
    return f"{client_id}.{sha256(person.id.encode()).hexdigest()[:8]}"


def client_id_of(identifier: str) -> str | None:
    """Return the client's own id of a message; None for one of the bot."""
    found = _MESSAGE.fullmatch(identifier)
    return None if found is None else found["client"]


def person_called(name: str, *, is_admin: bool = False) -> Person:
    """Return the person of a name; the same name is the same person.

    Raises:
        ValueError: the name is empty, too long or not printable.
    """
    shown = " ".join(name.split())
    if not shown or len(shown) > MAX_NAME_LENGTH or not shown.isprintable():
        raise ValueError(f"a name has 1 to {MAX_NAME_LENGTH} characters")
    return Person(id=shown.casefold().replace(" ", "-"), name=shown, is_admin=is_admin)


def message_shape(
    message_id: str,
    author: AuthorShape,
    text: str,
    at: datetime,
    *,
    reply_to: str | None,
    extras: Extras,
    calls: Sequence[CallShape] = (),
    edited: bool = False,
) -> MessageShape:
    """Return a message as the room shows it."""
    return MessageShape(
        id=message_id,
        client_id=client_id_of(message_id),
        author=author,
        text=text,
        reply_to=reply_to,
        ts=format_instant(at),
        edited=edited,
        stopped=extras.stopped,
        retryable=extras.can_retry,
        mentions=extras.mentions,
        attachments=extras.attachments,
        choices=extras.choices,
        reactions=extras.reactions,
        reminder=extras.reminder,
        tool_calls=list(calls),
    )


def extras_of(message: OutgoingMessage, now: datetime) -> Extras:
    """Return the extras of a message of the bot."""
    return Extras(
        choices=[choice_shape(each) for each in message.choices],
        mentions=[*(person.id for person in message.mentions), *([EVERYONE] if message.mentions_everyone else [])],
        reminder=_fired_shape(message, now),
        can_retry=message.can_retry,
    )


def due_shape(notice: DueNotice, now: datetime) -> dict[str, object]:
    """Return the schema of a due reminder."""
    return {
        "id": notice.reminder_id,
        "text": notice.content,
        "due_at": format_instant(notice.due_at),
        "tz": str(notice.due_at.tzinfo),
        "repeat": "",
        "created_by": notice.creator.id,
        "created_by_name": notice.creator.name,
        "mentions": [person.id for person in notice.recipients],
        "status": "fired",
        "late_ms": _late_ms(notice, now),
        "missed": notice.missed,
    }


def person_of(author: object) -> Person | None:
    """Return the author of another worker's frame; None for the bot, and for a malformed author."""
    if not isinstance(author, Mapping) or author.get("kind") != "person":
        return None
    return Person(id=str(author.get("id")), name=str(author.get("name")))


def bot_message_id(idempotency_key: str | None) -> str:
    """Return the id of a message of the bot: the same for the same key."""
    if idempotency_key is None:
        return f"bot-{uuid.uuid4().hex}"
    return f"due-{_NOT_IN_IDS.sub('-', idempotency_key)}"


def _fired_shape(message: OutgoingMessage, now: datetime) -> FiredShape | None:
    if not message.notices:
        return None
    notice = message.notices[0]
    due = format_instant(notice.due_at)
    return FiredShape(id=notice.reminder_id, text=notice.content, due_at=due, late_ms=_late_ms(notice, now))


def _late_ms(notice: DueNotice, now: datetime) -> int:
    return max(0, round((now - notice.due_at).total_seconds() * 1000))
