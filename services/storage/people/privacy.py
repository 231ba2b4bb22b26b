"""Store opt-outs and retention, and delete and export personal data, in SQL."""

from collections.abc import Mapping
from datetime import datetime

import sqlalchemy as sa

from services.people.privacy import DataScope, Erasure, GoneMessage, PersonData
from services.storage.database import Database
from services.storage.engine.column_values import to_micros
from services.storage.message_index.indexing import take_out
from services.storage.message_index.rows import MESSAGE_COLUMNS, messages_of
from services.storage.people.deletion import erase_messages, erase_records, erase_state, gone_messages, is_in_scope
from services.storage.people.memories import memory_of
from services.storage.tables import MEMORY, MESSAGE, OPT_OUT, RETENTION, TURN


class SqlPrivacyStore:
    """A `PrivacyStore` over a `Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def opt_out(self, scope: DataScope, at: datetime) -> bool:
        """Keep no more messages of the person; False when that was so already."""
        row = {"place": scope.place, "person_id": scope.person.id, "since": to_micros(at)}

        def work(connection: sa.Connection) -> bool:
            if connection.scalar(sa.select(OPT_OUT.c.since).where(_is_opt_out(scope))) is not None:
                return False
            connection.execute(OPT_OUT.insert(), row)
            return True

        return await self._database.run(work)

    async def opt_in(self, scope: DataScope) -> bool:
        """Keep messages of the person again; False when they were kept anyway."""
        mine = _is_opt_out(scope)
        if scope.is_everywhere:
            mine = sa.and_(OPT_OUT.c.person_id == scope.person.id, _of_platform(OPT_OUT.c.place, scope))
        delete = OPT_OUT.delete().where(mine)
        return await self._database.run(lambda connection: connection.execute(delete).rowcount > 0)

    async def erase(self, scope: DataScope, at: datetime) -> Erasure:
        """Remove the person's messages, the answers to them, the memories and the records."""
        moment = to_micros(at)
        of_person = sa.and_(is_in_scope(MEMORY.c.chat_key, scope), MEMORY.c.person_id == scope.person.id)

        def work(connection: sa.Connection) -> Erasure:
            messages, replies = erase_messages(connection, scope, moment)
            memories = connection.execute(MEMORY.delete().where(of_person)).rowcount
            records = erase_records(connection, scope)
            erase_state(connection, scope)
            return Erasure(
                messages=len(messages),
                replies=len(replies),
                memories=memories,
                records=records,
                gone=(*messages, *replies),
            )

        return await self._database.run(work)

    async def export(self, scope: DataScope, limit: int) -> PersonData:
        """Return what is kept about the person, with the latest `limit` messages."""
        mine = sa.and_(is_in_scope(MESSAGE.c.chat_key, scope), MESSAGE.c.sender_id == scope.person.id)
        shown = sa.and_(mine, MESSAGE.c.deleted_at.is_(None))
        latest = sa.select(*MESSAGE_COLUMNS).where(shown).order_by(MESSAGE.c.sent_at.desc(), MESSAGE.c.id.desc())
        memories = sa.and_(is_in_scope(MEMORY.c.chat_key, scope), MEMORY.c.person_id == scope.person.id)
        records = sa.and_(is_in_scope(TURN.c.chat_key, scope), TURN.c.person_id == scope.person.id, TURN.c.text != "")
        out = sa.or_(_is_opt_out(scope), _is_opt_out(scope, place=scope.address.platform))

        def work(connection: sa.Connection) -> PersonData:
            rows = connection.execute(latest.limit(limit)).all()
            kept = connection.execute(sa.select(MEMORY).where(memories).order_by(MEMORY.c.id)).mappings().all()
            return PersonData(
                messages=tuple(messages_of(list(reversed(rows)))),
                message_count=connection.scalar(sa.select(sa.func.count()).where(shown)) or 0,
                memories=tuple(memory_of(row) for row in kept),
                record_count=connection.scalar(sa.select(sa.func.count()).where(records)) or 0,
                is_opted_out=connection.scalar(sa.select(OPT_OUT.c.since).where(out).limit(1)) is not None,
            )

        return await self._database.read(work)

    async def set_retention(self, chat_key: str, keep_days: int | None) -> None:
        """Keep the messages of a chat for so many days, 0 for ever; None leaves it to the settings again."""

        def work(connection: sa.Connection) -> None:
            connection.execute(RETENTION.delete().where(RETENTION.c.chat_key == chat_key))
            if keep_days is not None:
                connection.execute(RETENTION.insert().values(chat_key=chat_key, keep_days=keep_days))

        await self._database.run(work)

    async def retention(self) -> Mapping[str, int]:
        """Return the chats with a rule of their own, and their days."""
        rows = await self._database.read(lambda connection: connection.execute(sa.select(RETENTION)).all())
        return {row.chat_key: row.keep_days for row in rows}

    async def chats(self) -> tuple[str, ...]:
        """Return the keys of all chats that messages are kept of."""
        query = sa.select(MESSAGE.c.chat_key).distinct()
        return tuple(await self._database.read(lambda connection: connection.scalars(query).all()))

    async def with_files(self, chat_key: str, before: datetime) -> tuple[GoneMessage, ...]:
        """Return the messages of the chat sent earlier that files came with."""
        is_old = sa.and_(MESSAGE.c.chat_key == chat_key, MESSAGE.c.sent_at < to_micros(before))
        wanted = sa.and_(is_old, MESSAGE.c.attachments != "")
        return await self._database.read(lambda connection: gone_messages(connection, wanted))

    async def purge(self, chat_key: str, before: datetime, limit: int) -> int:
        """Delete at most `limit` messages of the chat sent earlier; return how many there were."""
        is_old = sa.and_(MESSAGE.c.chat_key == chat_key, MESSAGE.c.sent_at < to_micros(before))
        oldest = sa.select(MESSAGE.c.id).where(is_old).order_by(MESSAGE.c.sent_at).limit(limit)

        def work(connection: sa.Connection) -> int:
            ids = connection.scalars(oldest).all()
            take_out(connection, MESSAGE.c.id.in_(ids))
            return connection.execute(MESSAGE.delete().where(MESSAGE.c.id.in_(ids))).rowcount

        return await self._database.run(work, is_durable=False)


def _is_opt_out(scope: DataScope, *, place: str | None = None) -> sa.ColumnElement[bool]:
    return sa.and_(OPT_OUT.c.place == (place or scope.place), OPT_OUT.c.person_id == scope.person.id)


def _of_platform(place: sa.ColumnElement[str], scope: DataScope) -> sa.ColumnElement[bool]:
    platform = scope.address.platform
    return sa.or_(place == platform, place.startswith(f"{platform}:", autoescape=True))
