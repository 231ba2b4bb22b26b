"""The history of chats in SQL."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from services.chat import ChatAddress, ChatMessage, Person
from services.history.finding import NEWEST_OF_A_TERM, best_first
from services.history.terms import indexed_terms, wanted_terms
from services.storage.database import Database
from services.storage.indexing import IS_INDEXED, index_for, index_of, indexed_rows
from services.storage.inserts import insert_new
from services.storage.instants import from_micros, to_micros
from services.storage.message_index import Indexed
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
            columns = (MESSAGE.c.id, MESSAGE.c.chat_key, MESSAGE.c.message_id, MESSAGE.c.text, MESSAGE.c.sender_is_bot)
            insert = insert_new(connection, MESSAGE).returning(*columns)
            rows = connection.execute(insert, [_columns(message) for message in messages]).all()
            of_people = [Indexed(row.id, row.chat_key, row.text) for row in rows if not row.sender_is_bot]
            index_of(connection).add(connection, of_people)
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

    async def search(self, address: ChatAddress, query: str, limit: int) -> tuple[ChatMessage, ...]:
        """The messages of people that fit `query`, those with all of its terms first, of these the latest."""
        terms = wanted_terms(query)
        if not terms:
            return ()
        index = index_for(self._database.dialect)
        shown = sa.and_(_in_thread(address), _IS_SHOWN)
        complete = index.newest(address.key, terms).where(shown).limit(limit)
        by_term = [index.newest(address.key, [term]).where(shown).limit(NEWEST_OF_A_TERM) for term in terms]

        def work(connection: sa.Connection) -> list[sa.RowMapping]:
            found = list(connection.execute(complete).mappings())
            if len(found) >= limit or len(terms) == 1:
                return found
            known = {row["id"] for row in found}
            rows = (row for query in by_term for row in connection.execute(query).mappings())
            others = {row["id"]: row for row in rows if row["id"] not in known}
            newest_first = sorted(others.values(), key=lambda row: -row["id"])
            partly = ((row, frozenset(indexed_terms(row["text"]))) for row in newest_first)
            return found + best_first(partly, terms, limit - len(found))

        return tuple(message_of(row) for row in await self._database.read(work))

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

        def work(connection: sa.Connection) -> bool:
            index = index_of(connection)
            index.remove(connection, indexed_rows(connection, sa.and_(one, IS_INDEXED)))
            is_known = connection.execute(MESSAGE.update().where(one).values(values)).rowcount > 0
            index.add(connection, indexed_rows(connection, sa.and_(one, IS_INDEXED)))
            return is_known

        return await self._database.run(work)


def _take(new: set[tuple[str, str]], name: tuple[str, str]) -> bool:
    """Whether `name` is new; of two equal ones in a batch the first is."""
    is_new = name in new
    new.discard(name)
    return is_new


def _of(address: ChatAddress) -> sa.ColumnElement[bool]:
    return sa.and_(MESSAGE.c.chat_key == address.key, _in_thread(address))


def _in_thread(address: ChatAddress) -> sa.ColumnElement[bool]:
    return sa.true() if address.thread_id is None else MESSAGE.c.thread_id == address.thread_id


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
