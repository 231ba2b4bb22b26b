"""Rows of the message table, and the messages that they are."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from services.chat import ChatAddress, ChatMessage, Person
from services.storage.instants import from_micros
from services.storage.message_extras import attachments_of, mentions_of
from services.storage.reminder_rows import address_of
from services.storage.tables import MESSAGE

MESSAGE_COLUMNS = (
    MESSAGE.c.id,
    MESSAGE.c.chat_key,
    MESSAGE.c.thread_id,
    MESSAGE.c.message_id,
    MESSAGE.c.sender_id,
    MESSAGE.c.sender_name,
    MESSAGE.c.sender_is_bot,
    MESSAGE.c.sender_username,
    MESSAGE.c.text,
    MESSAGE.c.sent_at,
    MESSAGE.c.reply_to,
    MESSAGE.c.is_addressed,
    MESSAGE.c.is_private,
    MESSAGE.c.mentions,
    MESSAGE.c.attachments,
)
IS_SHOWN = MESSAGE.c.deleted_at.is_(None)
"""Messages that were not taken back."""


class NewMessage(NamedTuple):
    """What is read of a message that was kept; with the columns' names."""

    id: int
    chat_key: str
    message_id: str
    text: str
    attachments: str
    sender_is_bot: bool


def in_thread(address: ChatAddress) -> sa.ColumnElement[bool]:
    """Messages of the address's thread; of the whole chat where it names none."""
    return sa.true() if address.thread_id is None else MESSAGE.c.thread_id == address.thread_id


def messages_of(rows: Iterable[Sequence[Any]]) -> Iterator[ChatMessage]:
    """The messages of rows of `MESSAGE_COLUMNS`; equal addresses and people are one object."""
    addresses: dict[tuple[str, str | None], ChatAddress] = {}
    people: dict[tuple[str, str, bool, str], Person] = {}
    for (
        _,
        chat,
        thread,
        message_id,
        *sender,
        text,
        sent_at,
        reply_to,
        is_addressed,
        is_private,
        who_else,
        files,
    ) in rows:
        identifier, name, is_bot, username = sender
        who, where = (identifier, name, bool(is_bot), username), (chat, thread)
        if where not in addresses:
            addresses[where] = address_of(chat, thread)
        if who not in people:
            people[who] = Person(id=identifier, name=name, is_bot=bool(is_bot), username=username)
        yield ChatMessage(
            id=message_id,
            address=addresses[where],
            sender=people[who],
            text=text,
            sent_at=from_micros(sent_at),
            is_addressed=bool(is_addressed),
            is_private=bool(is_private),
            reply_to=reply_to,
            mentions=mentions_of(who_else),
            attachments=attachments_of(files),
        )
