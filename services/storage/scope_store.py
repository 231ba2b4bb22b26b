"""What tools keep in scopes, in SQL."""

import json
from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from services.session import Json, StateDelta
from services.storage.database import Database
from services.storage.inserts import upsert
from services.storage.queueing import queue_up
from services.storage.tables import SCOPE


class SqlScopeStore:
    """Values by scope and key; a commit is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, scopes: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """The values of each of `scopes`, in that order."""
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
