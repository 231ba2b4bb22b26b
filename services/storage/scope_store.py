"""What tools keep in scopes, in SQL."""

import json
from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from services.session import Json, StateDelta
from services.storage.database import Database
from services.storage.inserts import upsert
from services.storage.tables import SCOPE


class SqlScopeStore:
    """Values by scope and key; a commit is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, scopes: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """The values of each of `scopes`, in that order."""
        query = sa.select(SCOPE).where(SCOPE.c.scope.in_(scopes))
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        found: dict[str, dict[str, Json]] = {scope: {} for scope in scopes}
        for row in rows:
            found[row.scope][row.key] = json.loads(row.value)
        return [found[scope] for scope in scopes]

    async def commit(self, deltas: Sequence[StateDelta]) -> None:
        """Keep all of `deltas` or none of them."""

        def work(connection: sa.Connection) -> None:
            for delta in deltas:
                connection.execute(SCOPE.delete().where(SCOPE.c.scope == delta.scope, SCOPE.c.key.in_(delta.removed)))
                if delta.written:
                    connection.execute(upsert(connection, SCOPE, key=["scope", "key"]), _rows(delta))

        await self._database.run(work)


def _rows(delta: StateDelta) -> list[dict[str, str]]:
    return [
        {"scope": delta.scope, "key": key, "value": json.dumps(value, ensure_ascii=False)}
        for key, value in delta.written.items()
    ]
