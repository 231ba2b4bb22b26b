"""Store the permanent scopes of tools in SQL."""

import json
from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from services.kernel.chat import ChatAddress
from services.kernel.state import Json, StateDelta
from services.storage.database import Database
from services.storage.engine.column_values import address_of
from services.storage.engine.inserts import upsert
from services.storage.engine.postgres import queue_up
from services.storage.engine.readonly import Readable
from services.storage.tables import MESSAGE, SCOPE


class SqlScopeStore:
    """Values by scope and key; a commit is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, scopes: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """Return the values of each of `scopes`, in that order."""
        found = await self._database.read(lambda connection: _values(connection, scopes))
        return [found[scope] for scope in scopes]

    async def commit(self, deltas: Sequence[StateDelta]) -> None:
        """Keep all of `deltas` or none of them."""
        await self._database.run(lambda connection: _write(connection, deltas))

    async def commit_unless_changed(self, deltas: Sequence[StateDelta], read: Mapping[str, Mapping[str, Json]]) -> bool:
        """Keep all of `deltas` where the scopes of `read` still have those values; else none, and return False."""

        def work(connection: sa.Connection) -> bool:
            for scope in sorted(read):
                queue_up(connection, scope)
            is_unchanged = _values(connection, read) == read
            if is_unchanged:
                _write(connection, deltas)
            return is_unchanged

        return await self._database.run(work)


def _values(connection: sa.Connection, scopes: Collection[str]) -> dict[str, dict[str, Json]]:
    found: dict[str, dict[str, Json]] = {scope: {} for scope in scopes}
    for row in connection.execute(sa.select(SCOPE).where(SCOPE.c.scope.in_(scopes))):
        found[row.scope][row.key] = json.loads(row.value)
    return found


def _write(connection: sa.Connection, deltas: Sequence[StateDelta]) -> None:
    for delta in deltas:
        connection.execute(SCOPE.delete().where(SCOPE.c.scope == delta.scope, SCOPE.c.key.in_(delta.removed)))
        if delta.written:
            connection.execute(upsert(connection, SCOPE, key=["scope", "key"]), _rows(delta))


def _rows(delta: StateDelta) -> list[dict[str, str]]:
    return [
        {"scope": delta.scope, "key": key, "value": json.dumps(value, ensure_ascii=False)}
        for key, value in delta.written.items()
    ]


class PrivateChats:
    """Finds private chats in the history."""

    def __init__(self, database: Readable) -> None:
        self._database = database

    async def of(self, platform: str, person_id: str) -> ChatAddress | None:
        """Return the private chat of a person on a platform; None where they never wrote in one."""
        query = (
            sa.select(MESSAGE.c.chat_key, MESSAGE.c.thread_id)
            .where(
                MESSAGE.c.sender_id == person_id,
                MESSAGE.c.is_private,
                MESSAGE.c.chat_key.startswith(f"{platform}:", autoescape=True),
            )
            .order_by(MESSAGE.c.id.desc())
            .limit(1)
        )
        row = await self._database.read(lambda connection: connection.execute(query).one_or_none())
        return None if row is None else address_of(row.chat_key, row.thread_id)
