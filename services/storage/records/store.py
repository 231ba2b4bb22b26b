"""Store the records of turns and calls in SQL, and find them."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from services.call_log.model import CallRecord, CompletionRecord, Spent, TurnRecord, UsageCost, person_key
from services.kernel.chat import ChatAddress, Person
from services.storage.database import Database
from services.storage.engine.readonly import Readable
from services.storage.engine.rows import from_micros, insert_many, to_micros
from services.storage.messages.consent import recordable_calls, recordable_turns
from services.storage.tables import CALL, TURN

# The fields of records that are columns of the same name, unchanged.
_TURN_FIELDS = frozenset(TurnRecord.__struct_fields__) & frozenset(TURN.c.keys()) - {"at", "completions"}
_CALL_FIELDS = frozenset(CallRecord.__struct_fields__) & frozenset(CALL.c.keys()) - {"repairs", "receipts"}


def turn_columns(turn: TurnRecord) -> dict[str, object]:
    """Return the columns of a turn."""
    used = turn.charge
    return {name: getattr(turn, name) for name in _TURN_FIELDS} | {
        "chat_key": turn.address.key,
        "thread_id": turn.address.thread_id,
        "person_id": turn.person.id,
        "person_name": turn.person.name,
        "person_is_admin": turn.person.is_admin,
        "at": to_micros(turn.at),
        "completions": completions_text(turn.completions),
        "tokens": used.tokens,
        "cost": used.cost,
    }


def turn_of(row: sa.RowMapping) -> TurnRecord:
    """Return the turn of a row."""
    return TurnRecord(
        **{name: row[name] for name in _TURN_FIELDS},
        address=ChatAddress.of_key(row["chat_key"], row["thread_id"]),
        person=Person(id=row["person_id"], name=row["person_name"], is_admin=row["person_is_admin"]),
        at=from_micros(row["at"]),
        completions=msgspec.json.decode(row["completions"], type=tuple[CompletionRecord, ...]),
    )


def call_columns(call: CallRecord) -> dict[str, object]:
    """Return the columns of a call."""
    return {name: getattr(call, name) for name in _CALL_FIELDS} | {
        "session_id": call.address.key,
        "thread_id": call.address.thread_id,
        "timestamp": to_micros(call.at),
        "repairs": msgspec.json.encode(call.repairs).decode(),
        "receipts": msgspec.json.encode(call.receipts).decode(),
        **msgspec.structs.asdict(call.charge),
    }


def call_of(row: sa.RowMapping) -> CallRecord:
    """Return the call of a row."""
    return CallRecord(
        **{name: row[name] for name in _CALL_FIELDS},
        address=ChatAddress.of_key(row["session_id"], row["thread_id"]),
        at=from_micros(row["timestamp"]),
        repairs=msgspec.json.decode(row["repairs"], type=tuple[str, ...]),
        receipts=msgspec.json.decode(row["receipts"], type=tuple[tuple[str, str], ...]),
        charge=UsageCost(**{name: row[name] for name in UsageCost.__struct_fields__}),
    )


def completions_text(completions: tuple[CompletionRecord, ...]) -> str:
    """Return completions as JSON."""
    return msgspec.json.encode(completions).decode()


class SqlCallReader:
    """Reads records of turns and calls, also from a database that is open for reading only."""

    def __init__(self, database: Readable) -> None:
        self._readable = database

    async def turn(self, message_id: str, chat_key: str | None = None) -> TurnRecord | None:
        """Return the latest turn of a message."""
        condition = TURN.c.message_id == message_id
        if chat_key is not None:
            condition = sa.and_(condition, TURN.c.chat_key == chat_key)
        return next(iter(await self._latest(condition, 1)), None)

    async def latest_turns(
        self, limit: int, *, chat_key: str | None = None, person_id: str | None = None
    ) -> tuple[TurnRecord, ...]:
        """Return the last `limit` turns, latest first."""
        condition: sa.ColumnElement[bool] = sa.true()
        if chat_key is not None:
            condition = sa.and_(condition, TURN.c.chat_key == chat_key)
        if person_id is not None:
            condition = sa.and_(condition, TURN.c.person_id == person_id)
        return await self._latest(condition, limit)

    async def calls(self, chat_key: str, message_ids: Sequence[str]) -> tuple[CallRecord, ...]:
        """Return the calls made for these messages, in the order of their end."""
        condition = sa.and_(CALL.c.session_id == chat_key, CALL.c.message_id.in_(message_ids))
        query = sa.select(CALL).where(condition).order_by(CALL.c.number)
        rows = await self._readable.read(lambda connection: connection.execute(query).mappings().all())
        return tuple(call_of(row) for row in rows)

    async def spent_since(self, moment: datetime) -> tuple[Spent, ...]:
        """Return the usage since `moment`, one entry per person and chat."""
        names = (TURN.c.chat_key, TURN.c.person_id)
        query = (
            sa.select(*names, sa.func.sum(TURN.c.tokens).label("tokens"), sa.func.sum(TURN.c.cost).label("cost"))
            .where(TURN.c.at >= to_micros(moment))
            .group_by(*names)
        )
        rows = await self._readable.read(lambda connection: connection.execute(query).all())
        return tuple(
            Spent(
                chat_key=row.chat_key,
                person_key=person_key(ChatAddress.of_key(row.chat_key), row.person_id),
                tokens=int(row.tokens),
                cost=row.cost,
            )
            for row in rows
        )

    async def _latest(self, condition: sa.ColumnElement[bool], limit: int) -> tuple[TurnRecord, ...]:
        query = sa.select(TURN).where(condition).order_by(TURN.c.id.desc()).limit(limit)
        rows = await self._readable.read(lambda connection: connection.execute(query).mappings().all())
        return tuple(turn_of(row) for row in rows)


class SqlCallStore(SqlCallReader):
    """A `CallStore` over a `Database`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    async def add(self, turns: Sequence[TurnRecord], calls: Sequence[CallRecord]) -> None:
        """Store records in one transaction that does not wait for the disk, without text of people who opted out."""

        def work(connection: sa.Connection) -> None:
            if turns:
                insert_many(connection, TURN, recordable_turns(connection, [turn_columns(turn) for turn in turns]))
            if calls:
                insert_many(connection, CALL, recordable_calls(connection, [call_columns(call) for call in calls]))

        await self._database.run(work, is_durable=False)

    async def forget(self, chat_key: str, message_id: str) -> None:
        """Delete the records of a message, except its usage."""
        of_turn = sa.and_(TURN.c.chat_key == chat_key, TURN.c.message_id == message_id)
        of_call = sa.and_(CALL.c.session_id == chat_key, CALL.c.message_id == message_id)

        def work(connection: sa.Connection) -> None:
            connection.execute(CALL.delete().where(of_call))
            for row in connection.execute(sa.select(TURN).where(of_turn)).mappings().all():
                completions = tuple(
                    replace(completion, requested=(), refused=()) for completion in turn_of(row).completions
                )
                emptied = {"text": "", "reply": "", "error": "", "completions": completions_text(completions)}
                connection.execute(TURN.update().where(TURN.c.id == row["id"]).values(emptied))

        await self._database.run(work)

    async def purge(self, before: datetime) -> int:
        """Delete records of turns and calls that began before `before`."""

        def work(connection: sa.Connection) -> int:
            connection.execute(CALL.delete().where(CALL.c.timestamp < to_micros(before)))
            return connection.execute(TURN.delete().where(TURN.c.at < to_micros(before))).rowcount

        return await self._database.run(work, is_durable=False)
