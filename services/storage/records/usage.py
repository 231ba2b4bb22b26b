"""Sum the usage of a period by chat, person, function or day."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal

import sqlalchemy as sa
from msgspec import Struct

from services.storage.engine.column_values import to_micros
from services.storage.engine.readonly import Readable
from services.storage.tables import CALL, TURN

UsageBy = Literal["chat", "person", "function", "day"]
_MICROS_A_DAY: Final = 86_400_000_000


class Usage(Struct, frozen=True, kw_only=True):
    """The usage of one chat, person, function or day.

    `count` are turns, or the calls of a function; `failed` are those of them that failed.
    """

    name: str
    count: int
    failed: int
    tokens: int
    cost: float


async def usage_by(database: Readable, by: UsageBy, since: datetime) -> tuple[Usage, ...]:
    """Return what was used since then, the most expensive first; days (UTC) in their order.

    Of a function its calls are counted, with the tokens of the completions that led to them.
    """
    query = _of_functions(since) if by == "function" else _of_turns(by, since)
    rows = await database.read(lambda connection: connection.execute(query).mappings().all())
    used = [_usage(row, is_day=by == "day") for row in rows]
    if by == "day":
        return tuple(sorted(used, key=lambda each: each.name))
    return tuple(sorted(used, key=lambda each: (-each.cost, -each.tokens, -each.count, each.name)))


def _of_turns(by: UsageBy, since: datetime) -> sa.Select[*tuple[Any, ...]]:
    names: Mapping[str, sa.ColumnElement[Any]] = {
        "chat": TURN.c.chat_key,
        "person": TURN.c.chat_key + sa.literal("#") + TURN.c.person_id,
        "day": sa.cast(TURN.c.at, sa.BigInteger) // sa.literal(_MICROS_A_DAY, sa.BigInteger),
    }
    name = names[by].label("name")
    failed = sa.func.sum(sa.case((TURN.c.outcome == "failed", 1), else_=0))
    return _counted(name, failed, sa.func.sum(TURN.c.tokens), sa.func.sum(TURN.c.cost)).where(
        TURN.c.at >= to_micros(since)
    )


def _of_functions(since: datetime) -> sa.Select[*tuple[Any, ...]]:
    failed = sa.func.sum(sa.case((CALL.c.status != "success", 1), else_=0))
    tokens = sa.func.sum(CALL.c.prompt_tokens + CALL.c.completion_tokens)
    return _counted(CALL.c.tool_name.label("name"), failed, tokens, sa.func.sum(CALL.c.cost)).where(
        CALL.c.timestamp >= to_micros(since)
    )


def _counted(name: sa.Label[Any], *sums: sa.ColumnElement[Any]) -> sa.Select[*tuple[Any, ...]]:
    failed, tokens, cost = sums
    return sa.select(
        name, sa.func.count().label("count"), failed.label("failed"), tokens.label("tokens"), cost.label("cost")
    ).group_by(name)


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
