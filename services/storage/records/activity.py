"""Read the activity of the bot across all chats: turns, calls and usage."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal

import sqlalchemy as sa
from msgspec import Struct

from services.call_log.model import CallRecord, TurnRecord
from services.storage.engine.readonly import Readable
from services.storage.engine.rows import from_micros, to_micros
from services.storage.records.store import call_of, turn_of
from services.storage.tables import CALL, DELIVERY, MESSAGE, TURN
from services.storage.tables.base import IS_FREED, IS_HELD

_MAX_ROWS = 50_000


class CallFilter(Struct, frozen=True, kw_only=True):
    """Filters calls by tool, chat, person, status and contained text; None or empty for all."""

    tool: str | None = None
    chat_key: str | None = None
    person_id: str | None = None
    status: str | None = None
    text: str = ""


class PagedCall(Struct, frozen=True, kw_only=True):
    """A call with its position; `number` increases with every call."""

    number: int
    call: CallRecord


class PagedTurn(Struct, frozen=True, kw_only=True):
    """A turn with its position; `number` increases with every turn."""

    number: int
    turn: TurnRecord


class Timed(Struct, frozen=True, kw_only=True):
    """The duration of a call, or the lateness of a delivery, in milliseconds."""

    at: datetime
    name: str
    milliseconds: float
    is_ok: bool


class ActivityReader:
    """Reads the records, also while the bot writes; the last entries may be missing."""

    def __init__(self, database: Readable) -> None:
        self._database = database

    async def calls(self, criteria: CallFilter, *, before: int | None = None, limit: int) -> tuple[PagedCall, ...]:
        """Return calls, latest first; `before` is the last number of the previous page."""
        conditions: list[sa.ColumnElement[bool]] = [sa.true()]
        columns = (
            (CALL.c.tool_name, criteria.tool),
            (CALL.c.session_id, criteria.chat_key),
            (CALL.c.person_id, criteria.person_id),
            (CALL.c.status, criteria.status),
        )
        conditions += [column == value for column, value in columns if value is not None]
        if criteria.text:
            searched = (CALL.c.user_message, CALL.c.arguments, CALL.c.result, CALL.c.error, CALL.c.tool_name)
            conditions.append(sa.or_(*(column.icontains(criteria.text, autoescape=True) for column in searched)))
        if before is not None:
            conditions.append(CALL.c.number < before)
        query = sa.select(CALL).where(*conditions).order_by(CALL.c.number.desc()).limit(limit)
        return tuple(PagedCall(number=row["number"], call=call_of(row)) for row in await self._mappings(query))

    async def turns(
        self, *, chat_key: str | None = None, text: str = "", before: int | None = None, limit: int
    ) -> tuple[PagedTurn, ...]:
        """Return turns, latest first; `before` is the last number of the previous page."""
        conditions: list[sa.ColumnElement[bool]] = [sa.true()]
        if chat_key is not None:
            conditions.append(TURN.c.chat_key == chat_key)
        if text:
            searched = (TURN.c.text, TURN.c.reply, TURN.c.error)
            conditions.append(sa.or_(*(column.icontains(text, autoescape=True) for column in searched)))
        if before is not None:
            conditions.append(TURN.c.id < before)
        query = sa.select(TURN).where(*conditions).order_by(TURN.c.id.desc()).limit(limit)
        return tuple(PagedTurn(number=row["id"], turn=turn_of(row)) for row in await self._mappings(query))

    async def call_times(self, since: datetime) -> tuple[Timed, ...]:
        """Return the durations of calls since a moment, oldest first, at most the last 50,000."""
        rows = await self._since(since, CALL.c.timestamp, CALL.c.tool_name, CALL.c.duration_ms, CALL.c.status)
        return tuple(
            Timed(at=from_micros(at), name=name, milliseconds=took, is_ok=status == "success")
            for at, name, took, status in rows
        )

    async def lateness(self, since: datetime) -> tuple[Timed, ...]:
        """Return the lateness of sent reminders since a moment, oldest first, at most the last 50,000."""
        rows = await self._since(since, DELIVERY.c.sent_at, DELIVERY.c.due_at, DELIVERY.c.chat_key)
        return tuple(
            Timed(at=from_micros(sent), name=chat, milliseconds=max(0.0, (sent - due) / 1000), is_ok=True)
            for sent, due, chat in rows
        )

    async def count_waiting(self) -> int:
        """Return the number of due occurrences that are not settled: being sent, or to be retried."""
        freed, held = (sa.select(sa.func.count()).select_from(DELIVERY).where(part) for part in (IS_FREED, IS_HELD))
        [(count,)] = await self._rows(sa.select(freed.scalar_subquery() + held.scalar_subquery()))
        return int(count)

    async def message_times(self, since: datetime) -> tuple[datetime, ...]:
        """Return the times of messages sent since a moment, oldest first, at most the last 50,000."""
        return tuple(from_micros(at) for (at,) in await self._since(since, MESSAGE.c.sent_at))

    async def _since(
        self, moment: datetime, at: sa.Column[Any], *others: sa.Column[Any]
    ) -> Sequence[sa.Row[*tuple[Any, ...]]]:
        """Return the last rows in which `at` is not before `moment`, oldest first."""
        query = sa.select(at, *others).where(at >= to_micros(moment)).order_by(at.desc()).limit(_MAX_ROWS)
        return (await self._rows(query))[::-1]

    async def _rows(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[sa.Row[*tuple[Any, ...]]]:
        return await self._database.read(lambda connection: connection.execute(query).all())

    async def _mappings(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[sa.RowMapping]:
        return await self._database.read(lambda connection: connection.execute(query).mappings().all())


UsageBy = Literal["chat", "person", "function", "day"]
_Sum = sa.ColumnElement[Any]
_MICROS_A_DAY: Final = 86_400_000_000


class Usage(Struct, frozen=True, kw_only=True):
    """The usage of one chat, person, function or day.

    `count` is the number of turns, or of calls of a function; `failed` is the number of failed ones.
    """

    name: str
    count: int
    failed: int
    tokens: int
    cost: float


async def usage_by(database: Readable, by: UsageBy, since: datetime) -> tuple[Usage, ...]:
    """Return the usage since a moment, most expensive first; days (UTC) in order.

    For a function, count its calls with the tokens of the completions that led to them.
    """
    query = _of_functions(since) if by == "function" else _of_turns(by, since)
    rows = await database.read(lambda connection: connection.execute(query).mappings().all())
    used = [_usage(row, is_day=by == "day") for row in rows]
    if by == "day":
        return tuple(sorted(used, key=lambda entry: entry.name))
    return tuple(sorted(used, key=lambda entry: (-entry.cost, -entry.tokens, -entry.count, entry.name)))


def _of_turns(by: UsageBy, since: datetime) -> sa.Select[*tuple[Any, ...]]:
    names: Mapping[str, sa.ColumnElement[Any]] = {
        "chat": TURN.c.chat_key,
        "person": TURN.c.chat_key + sa.literal("#") + TURN.c.person_id,
        "day": sa.cast(TURN.c.at, sa.BigInteger) // sa.literal(_MICROS_A_DAY, sa.BigInteger),
    }
    name = names[by].label("name")
    failed = sa.func.sum(sa.case((TURN.c.outcome == "failed", 1), else_=0))
    query = _count(name, failed, sa.func.sum(TURN.c.tokens), sa.func.sum(TURN.c.cost))
    return query.where(TURN.c.at >= to_micros(since))


def _of_functions(since: datetime) -> sa.Select[*tuple[Any, ...]]:
    failed = sa.func.sum(sa.case((CALL.c.status != "success", 1), else_=0))
    tokens = sa.func.sum(CALL.c.prompt_tokens + CALL.c.completion_tokens)
    query = _count(CALL.c.tool_name.label("name"), failed, tokens, sa.func.sum(CALL.c.cost))
    return query.where(CALL.c.timestamp >= to_micros(since))


def _count(name: sa.Label[Any], failed: _Sum, tokens: _Sum, cost: _Sum) -> sa.Select[*tuple[Any, ...]]:
    sums = (failed.label("failed"), tokens.label("tokens"), cost.label("cost"))
    return sa.select(name, sa.func.count().label("count"), *sums).group_by(name)


def _usage(row: sa.RowMapping, *, is_day: bool) -> Usage:
    name = row["name"]
    shown = f"{datetime.fromtimestamp(int(name) * 86_400, UTC):%Y-%m-%d}" if is_day else str(name)
    return Usage(
        name=shown,
        count=int(row["count"]),
        failed=int(row["failed"]),
        tokens=int(row["tokens"] or 0),
        cost=float(row["cost"] or 0),
    )
