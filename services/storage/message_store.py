"""The history of chats in SQL."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from services.chat import ChatAddress, ChatMessage, Person
from services.storage.database import Database
from services.storage.inserts import insert_new
from services.storage.instants import from_micros, to_micros
from services.storage.reminder_rows import address_of
from services.storage.tables import MESSAGE

_IS_SHOWN = MESSAGE.c.deleted_at.is_(None)


class SqlMessageStore:
    """A `MessageStore` over a `Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, messages: Sequence[ChatMessage]) -> tuple[bool, ...]:
        """Keep these in one transaction; say of each whether it was new."""

        def work(connection: sa.Connection) -> tuple[bool, ...]:
            insert = insert_new(connection, MESSAGE).returning(MESSAGE.c.chat_key, MESSAGE.c.message_id)
            rows = connection.execute(insert, [_columns(message) for message in messages]).all()
            new = {(row.chat_key, row.message_id) for row in rows}
            return tuple(_take(new, (message.address.key, message.id)) for message in messages)

        return await self._database.run(work)

    async def recent(self, address: ChatAddress, limit: int) -> tuple[ChatMessage, ...]:
        """The last `limit` messages, oldest first."""
        return await self._latest(_of(address), limit)

    async def since(self, address: ChatAddress, moment: datetime, limit: int) -> tuple[ChatMessage, ...]:
        """The last `limit` messages sent after `moment`, oldest first."""
        return await self._latest(sa.and_(_of(address), MESSAGE.c.sent_at > to_micros(moment)), limit)

    async def last_of(self, address: ChatAddress, person: Person, before: datetime | None) -> ChatMessage | None:
        """The latest message of `person` in the chat, sent before `before`."""
        wanted = sa.and_(_of(address), MESSAGE.c.sender_id == person.id)
        if before is not None:
            wanted = sa.and_(wanted, MESSAGE.c.sent_at < to_micros(before))
        found = await self._latest(wanted, 1)
        return found[0] if found else None

    async def rewrite(self, address: ChatAddress, message_id: str, text: str, at: datetime) -> bool:
        """Replace the text of a message."""
        return await self._update(address, message_id, {"text": text, "edited_at": to_micros(at)})

    async def erase(self, address: ChatAddress, message_id: str, at: datetime) -> bool:
        """Forget the text of a message and leave it out from now on."""
        return await self._update(address, message_id, {"text": "", "deleted_at": to_micros(at)})

    async def _latest(self, wanted: sa.ColumnElement[bool], limit: int) -> tuple[ChatMessage, ...]:
        latest_first = (
            sa.select(MESSAGE)
            .where(wanted, _IS_SHOWN)
            .order_by(MESSAGE.c.sent_at.desc(), MESSAGE.c.id.desc())
            .limit(limit)
        )
        rows = await self._database.read(lambda connection: connection.execute(latest_first).mappings().all())
        return tuple(message_of(row) for row in reversed(rows))

    async def _update(self, address: ChatAddress, message_id: str, values: dict[str, object]) -> bool:
        one = sa.and_(MESSAGE.c.chat_key == address.key, MESSAGE.c.message_id == message_id)
        update = MESSAGE.update().where(one).values(values)
        return await self._database.run(lambda connection: connection.execute(update).rowcount > 0)


def _take(new: set[tuple[str, str]], name: tuple[str, str]) -> bool:
    """Whether `name` is new; of two equal ones in a batch the first is."""
    is_new = name in new
    new.discard(name)
    return is_new


def _of(address: ChatAddress) -> sa.ColumnElement[bool]:
    in_chat = MESSAGE.c.chat_key == address.key
    return in_chat if address.thread_id is None else sa.and_(in_chat, MESSAGE.c.thread_id == address.thread_id)


def _columns(message: ChatMessage) -> dict[str, object]:
    return {
        "chat_key": message.address.key,
        "thread_id": message.address.thread_id,
        "message_id": message.id,
        "sender_id": message.sender.id,
        "sender_name": message.sender.name,
        "sender_is_bot": message.sender.is_bot,
        "text": message.text,
        "sent_at": to_micros(message.sent_at),
        "reply_to": message.reply_to,
        "is_addressed": message.is_addressed,
        "is_private": message.is_private,
    }


def message_of(row: sa.RowMapping) -> ChatMessage:
    """The message of a row."""
    return ChatMessage(
        id=row["message_id"],
        address=address_of(row["chat_key"], row["thread_id"]),
        sender=Person(id=row["sender_id"], name=row["sender_name"], is_bot=bool(row["sender_is_bot"])),
        text=row["text"],
        sent_at=from_micros(row["sent_at"]),
        is_addressed=bool(row["is_addressed"]),
        is_private=bool(row["is_private"]),
        reply_to=row["reply_to"],
    )
