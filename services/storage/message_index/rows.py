"""Convert rows of the message table to messages."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from services.history.terms import searchable_text
from services.kernel.chat import Attachment, ChatAddress, ChatMessage, Person
from services.storage.engine.rows import from_micros, parse_people
from services.storage.tables import MESSAGE


def attachments_text(attachments: Sequence[Attachment]) -> str:
    """Return attachments as JSON triples of kind, description and address."""
    triples = [[attachment.kind, attachment.description, attachment.url] for attachment in attachments]
    return json.dumps(triples, ensure_ascii=False) if triples else ""


def parse_attachments(text: str) -> tuple[Attachment, ...]:
    """Parse the text of `attachments_text`."""
    if not text:
        return ()
    return tuple(Attachment(kind=kind, description=words, url=url) for kind, words, url in json.loads(text))


def row_search_text(text: str, attachments: str) -> str:
    """Return the searchable text of a row of the message table."""
    return searchable_text(text, parse_attachments(attachments)) if attachments else text


MESSAGE_COLUMNS = tuple(column for column in MESSAGE.c if column.name not in {"edited_at", "deleted_at"})
"""The columns that `messages_of` reads."""

IS_SHOWN = MESSAGE.c.deleted_at.is_(None)
"""Messages that were not deleted."""


class NewMessage(NamedTuple):
    """The columns of a stored message that are read, by their names."""

    id: int
    chat_key: str
    message_id: str
    text: str
    attachments: str
    sender_is_bot: bool


def in_thread(address: ChatAddress) -> sa.ColumnElement[bool]:
    """Return the condition for messages of the thread in an address, or of the chat if it has none."""
    return sa.true() if address.thread_id is None else MESSAGE.c.thread_id == address.thread_id


def messages_of(rows: Iterable[sa.Row[*tuple[Any, ...]]]) -> Iterator[ChatMessage]:
    """Yield the messages of rows with `MESSAGE_COLUMNS`; equal addresses and people share an object."""
    addresses: dict[tuple[str, str | None], ChatAddress] = {}
    people: dict[tuple[str, str, bool, str], Person] = {}
    for row in rows:
        where = (row.chat_key, row.thread_id)
        who = (row.sender_id, row.sender_name, bool(row.sender_is_bot), row.sender_username)
        if where not in addresses:
            addresses[where] = ChatAddress.of_key(*where)
        if who not in people:
            identifier, name, is_bot, username = who
            people[who] = Person(id=identifier, name=name, is_bot=is_bot, username=username)
        yield ChatMessage(
            id=row.message_id,
            address=addresses[where],
            sender=people[who],
            text=row.text,
            sent_at=from_micros(row.sent_at),
            is_addressed=bool(row.is_addressed),
            is_private=bool(row.is_private),
            reply_to=row.reply_to,
            mentions=parse_people(row.mentions),
            attachments=parse_attachments(row.attachments),
        )
