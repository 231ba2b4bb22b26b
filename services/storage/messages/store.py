"""Store the message history of chats in SQL."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from loguru import logger

from services.history.terms import NEWEST_OF_A_TERM, index_terms, query_terms, rank
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.errors import StorageBusy, StorageFull, StorageUnavailable
from services.storage.database import Database
from services.storage.engine import sqlite
from services.storage.engine.rows import format_people, insert_new, to_micros
from services.storage.message_index.index import MessageIndex
from services.storage.message_index.rows import (
    IS_SHOWN,
    MESSAGE_COLUMNS,
    NewMessage,
    attachments_text,
    in_thread,
    messages_of,
    row_search_text,
)
from services.storage.message_index.updates import (
    IS_INDEXED,
    completes_batch,
    index_new,
    index_of,
    index_waiting,
    indexed_rows,
    remove_from_index,
)
from services.storage.messages.consent import blank_opted_out, is_consented
from services.storage.tables import MESSAGE
from services.storage.workers.turn_claims import Key, TurnClaims


class SqlMessageStore:
    """A `MessageStore` over a `Database`."""

    def __init__(self, database: Database, claims: TurnClaims | None = None) -> None:
        """Create the store; `claims` claims messages of people for this process when they are stored."""
        self._database = database
        self._claims = claims

    async def add(self, messages: Sequence[ChatMessage]) -> tuple[bool, ...]:
        """Store messages in one transaction, not waiting for the disk if it is one; return True for each new one."""
        if len(messages) == 1 and (messages[0].sender.is_bot or self._database.dialect == "sqlite"):
            return await self._add_one(messages[0])

        def work(connection: sa.Connection) -> tuple[bool, ...]:
            rows = store_rows(connection, blank_opted_out(connection, [_columns(message) for message in messages]))
            if self._claims is not None:
                self._claims.make(connection, [_key(row) for row in rows if not row.sender_is_bot])
            new = {_key(row) for row in rows}
            return tuple(_discard(new, (message.address.key, message.id)) for message in messages)

        is_new = await self._database.run(work, is_durable=not all(message.sender.is_bot for message in messages))
        if self._claims is not None:
            claimed = (each for each, new in zip(messages, is_new, strict=True) if new and not each.sender.is_bot)
            self._claims.hold([(message.address.key, message.id) for message in claimed])
        return is_new

    async def flush(self) -> None:
        """Wait until the stored messages survive a power cut."""
        await self._database.flush()

    async def _add_one(self, message: ChatMessage) -> tuple[bool, ...]:
        """Store one message, the usual case; those of people are indexed later, in batches."""
        columns = _columns(message)

        def work(connection: sa.Connection) -> tuple[bool, bool]:
            new = _insert(connection, blank_opted_out(connection, [columns]))
            return bool(new), completes_batch(connection, new)

        write = self._database.run_inline if message.sender.is_bot else self._database.run_relaxed
        is_new, is_batch_complete = await write(work)
        if is_batch_complete:
            await self._index_waiting()
        return (is_new,)

    async def _index_waiting(self) -> None:
        """Index the waiting messages; after a failure they stay waiting, and searches read them."""
        try:
            await self._database.run(index_waiting, is_durable=False)
        except (StorageBusy, StorageFull, StorageUnavailable, sa.exc.DatabaseError, sqlite3.DatabaseError) as error:
            logger.error("could not index messages for search; retrying later: {}", error)

    async def find(self, address: ChatAddress, message_id: str) -> ChatMessage | None:
        """Return the message with that id in any thread of the chat."""
        is_it = sa.and_(MESSAGE.c.chat_key == address.key, MESSAGE.c.message_id == message_id)
        found = await self._latest(sa.and_(is_it, is_consented(address)), 1)
        return found[0] if found else None

    async def recent(self, address: ChatAddress, limit: int) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages, oldest first."""
        return await self._latest(sa.and_(_of(address), is_consented(address)), limit)

    async def speakers(self, address: ChatAddress, limit: int) -> tuple[tuple[str, str], ...]:
        """Return the message and person ids of the last `limit` messages of people, oldest first."""
        latest_first = (
            sa.select(MESSAGE.c.message_id, MESSAGE.c.sender_id)
            .where(_of(address), sa.not_(MESSAGE.c.sender_is_bot))
            .order_by(MESSAGE.c.sent_at.desc(), MESSAGE.c.id.desc())
            .limit(limit)
        )

        def work(connection: sa.Connection) -> tuple[tuple[str, str], ...]:
            return tuple((row[0], row[1]) for row in reversed(connection.execute(latest_first).all()))

        return await self._database.read(work)

    async def since(self, address: ChatAddress, moment: datetime, limit: int) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages sent after `moment`, oldest first."""
        is_later = MESSAGE.c.sent_at > to_micros(moment)
        return await self._latest(sa.and_(_of(address), is_consented(address), is_later), limit)

    async def after(self, message: ChatMessage, limit: int) -> tuple[ChatMessage, ...]:
        """Return the first `limit` messages after `message`, oldest first."""
        first = (
            sa.select(*MESSAGE_COLUMNS)
            .where(_of(message.address), is_consented(message.address), IS_SHOWN, _is_after(message))
            .order_by(MESSAGE.c.sent_at, MESSAGE.c.id)
            .limit(limit)
        )
        return await self._database.read(lambda connection: tuple(messages_of(connection.execute(first))))

    async def last_message_of(
        self, address: ChatAddress, person: Person, before: datetime | None
    ) -> ChatMessage | None:
        """Return the latest message of `person` in the chat, sent before `before`."""
        condition = sa.and_(_of(address), MESSAGE.c.sender_id == person.id, sa.not_(MESSAGE.c.sender_is_bot))
        if before is not None:
            condition = sa.and_(condition, MESSAGE.c.sent_at < to_micros(before))
        found = await self._latest(condition, 1)
        return found[0] if found else None

    async def search(self, address: ChatAddress, query: str, limit: int) -> tuple[ChatMessage, ...]:
        """Return the messages of people that match `query`, first those with all terms, latest first."""
        terms = query_terms(query)
        if not terms:
            return ()
        return await self._database.read(lambda connection: search(connection, address, terms, limit))

    async def edit(self, address: ChatAddress, message_id: str, text: str, at: datetime) -> bool:
        """Replace the text of a message."""
        return await self._update(address, message_id, {"text": text, "edited_at": to_micros(at)}, _deleted_columns(at))

    async def delete(self, address: ChatAddress, message_id: str, at: datetime) -> bool:
        """Delete the text of a message."""
        return await self._update(address, message_id, _deleted_columns(at), _deleted_columns(at))

    async def _latest(self, condition: sa.ColumnElement[bool], limit: int) -> tuple[ChatMessage, ...]:
        latest_first = (
            sa.select(*MESSAGE_COLUMNS)
            .where(condition, IS_SHOWN)
            .order_by(MESSAGE.c.sent_at.desc(), MESSAGE.c.id.desc())
            .limit(limit)
        )

        def work(connection: sa.Connection) -> tuple[ChatMessage, ...]:
            return tuple(messages_of(reversed(connection.execute(latest_first).all())))

        return await self._database.read(work)

    async def _update(
        self, address: ChatAddress, message_id: str, values: dict[str, object], otherwise: dict[str, object]
    ) -> bool:
        """Update a message with `values`, or with `otherwise` if its author has opted out."""
        this_message = sa.and_(MESSAGE.c.chat_key == address.key, MESSAGE.c.message_id == message_id, IS_SHOWN)

        def work(connection: sa.Connection) -> bool:
            remove_from_index(connection, this_message)
            may_store = is_consented(address)
            updated = connection.execute(MESSAGE.update().where(this_message, may_store).values(values)).rowcount
            blanked = connection.execute(MESSAGE.update().where(this_message, ~may_store).values(otherwise)).rowcount
            index_of(connection).add(connection, indexed_rows(connection, sa.and_(this_message, IS_INDEXED)))
            return updated + blanked > 0

        return await self._database.run(work)


def store_rows(connection: sa.Connection, rows: Sequence[dict[str, object]]) -> list[NewMessage]:
    """Store rows of the message table and index those of people; return the new ones."""
    new = _insert(connection, rows) if rows else []
    index_new(connection, new)
    return new


def _insert(connection: sa.Connection, rows: Sequence[dict[str, object]]) -> list[NewMessage]:
    """Store messages; return the new ones. Usually there is one."""
    dialect = connection.dialect.name
    if len(rows) == 1 and dialect == "sqlite":
        done = sqlite.driver_of(connection).execute(_new_message(tuple(rows[0])), tuple(rows[0].values()))
        row = rows[0] | {"id": done.lastrowid}
        return [NewMessage._make(row[name] for name in NewMessage._fields)] if done.rowcount else []
    return [NewMessage(*row) for row in connection.execute(_new_messages(dialect), rows)]


@cache
def _new_message(names: tuple[str, ...]) -> str:
    """Return the statement that stores one message in SQLite; RETURNING would take as long as the rest of it."""
    columns, places = ", ".join(names), ", ".join("?" * len(names))
    return f"INSERT INTO message ({columns}) VALUES ({places}) ON CONFLICT DO NOTHING"  # noqa: S608 - names of ours


@cache
def _new_messages(dialect: str) -> sa.Executable:
    """Return the statement that stores messages and returns the new ones; cached because every message needs it."""
    return insert_new(dialect, MESSAGE).returning(*(MESSAGE.c[name] for name in NewMessage._fields))


def _deleted_columns(at: datetime) -> dict[str, object]:
    """Return the columns of a deleted message."""
    return {"text": "", "mentions": "", "attachments": "", "deleted_at": to_micros(at)}


def _key(row: NewMessage) -> Key:
    return row.chat_key, row.message_id


def _discard(new: set[Key], key: Key) -> bool:
    """Remove `key` from the new ones; return False for the second of two equal messages in a batch."""
    is_new = key in new
    new.discard(key)
    return is_new


def _of(address: ChatAddress) -> sa.ColumnElement[bool]:
    return sa.and_(MESSAGE.c.chat_key == address.key, in_thread(address))


def _is_after(message: ChatMessage) -> sa.ColumnElement[bool]:
    """Return the condition for messages sent after `message`, or at its time and stored later."""
    row = sa.select(MESSAGE.c.id).where(MESSAGE.c.chat_key == message.address.key, MESSAGE.c.message_id == message.id)
    at = to_micros(message.sent_at)
    is_later = sa.or_(MESSAGE.c.sent_at > at, MESSAGE.c.id > row.scalar_subquery())
    return sa.and_(MESSAGE.c.sent_at >= at, is_later)


def _columns(message: ChatMessage) -> dict[str, object]:
    return {
        "chat_key": message.address.key,
        "thread_id": message.address.thread_id,
        "message_id": message.id,
        "sender_id": message.sender.id,
        "sender_name": message.sender.name,
        "sender_is_bot": message.sender.is_bot,
        "sender_username": message.sender.username,
        "text": message.text,
        "sent_at": to_micros(message.sent_at),
        "reply_to": message.reply_to,
        "is_addressed": message.is_addressed,
        "is_private": message.is_private,
        "mentions": format_people(message.mentions),
        "attachments": attachments_text(message.attachments),
        "deleted_at": None,
    }


def search(
    connection: sa.Connection, address: ChatAddress, terms: Sequence[str], limit: int
) -> tuple[ChatMessage, ...]:
    """Return at most `limit` messages of people: those with all `terms`, latest first, then those with most of them."""
    index = index_of(connection)
    shown = sa.and_(in_thread(address), is_consented(address), IS_SHOWN)
    waiting = _read_waiting(connection, index, address, shown)
    found = [row for row, has in waiting if has.issuperset(terms)]
    found += connection.execute(index.newest(address.key, terms).where(shown).limit(limit))
    if len(found) < limit and len(terms) > 1:
        by_term = [index.newest(address.key, [term]).where(shown).limit(NEWEST_OF_A_TERM) for term in terms]
        rows = {row.id: row for query in by_term for row in connection.execute(query)}
        newest_first = waiting + [(rows[key], _terms_of(rows[key])) for key in sorted(rows, reverse=True)]
        complete = {row.id for row in found}
        found += rank((message for message in newest_first if message[0].id not in complete), terms, limit - len(found))
    return tuple(messages_of(found[:limit]))


def _read_waiting(
    connection: sa.Connection, index: MessageIndex, address: ChatAddress, shown: sa.ColumnElement[bool]
) -> list[tuple[sa.Row[*tuple[Any, ...]], frozenset[str]]]:
    """Return the messages of the chat that are not indexed yet, newest first, with their terms."""
    if index.newest_row is None:
        return []
    # The unary plus keeps SQLite from reading the whole chat by its index.
    in_chat = sa.literal_column("+message.chat_key") == address.key
    after = sa.and_(MESSAGE.c.id > index.newest_row, in_chat, IS_INDEXED, shown)
    rows = connection.execute(sa.select(*MESSAGE_COLUMNS).where(after).order_by(MESSAGE.c.id.desc()))
    return [(row, _terms_of(row)) for row in rows]


def _terms_of(row: sa.Row[*tuple[Any, ...]]) -> frozenset[str]:
    return frozenset(index_terms(row_search_text(row.text, row.attachments)))
