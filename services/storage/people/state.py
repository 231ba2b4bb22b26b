"""Store short-lived state and the permanent scopes of tools in SQL."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache

import sqlalchemy as sa
from loguru import logger

from services.kernel.clock import Clock
from services.kernel.errors import StorageFull
from services.kernel.state import Json, StateDelta, to_json
from services.storage.database import Database
from services.storage.engine.postgres import take_advisory_lock
from services.storage.engine.rows import to_micros, upsert
from services.storage.tables import SCOPE, STATE


class SqlStateStore:
    """A `StateStore` that survives the process."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, key: str) -> Json:
        """Return the value under `key`."""
        now = self._clock.now()
        return await self._database.read(lambda connection: _get(connection, key, now))

    async def take(self, key: str) -> Json:
        """Delete and return the value under `key` in one statement, so that only one of several processes gets it."""
        is_there = sa.and_(STATE.c.key == key, STATE.c.expires_at > to_micros(self._clock.now()))
        taken = STATE.delete().where(is_there).returning(STATE.c.value)
        return _parse(await self._database.run(lambda connection: connection.scalar(taken)))

    async def set(self, key: str, value: Json, *, keep: timedelta, is_promised: bool = False) -> None:
        """Store `value` for `keep`, and delete expired values.

        Raises:
            StorageFull: the disk is full, for a promised value.
        """
        now = self._clock.now()

        def work(connection: sa.Connection) -> None:
            _set(connection, key, value, now, keep)

        try:
            await self._database.run(work, is_durable=is_promised)
        except StorageFull as error:
            if is_promised:
                raise
            # A request must not fail because a small value is lost.
            logger.error("could not store state {}: {}", key.partition(":")[0], error)

    async def set_unless_changed(self, key: str, value: Json, *, read: Json, keep: timedelta) -> bool:
        """Store `value` if `key` still has the value `read`, in one transaction."""
        now = self._clock.now()

        def work(connection: sa.Connection) -> bool:
            take_advisory_lock(connection, key)
            is_unchanged = _get(connection, key, now) == read
            if is_unchanged:
                _set(connection, key, value, now, keep)
            return is_unchanged

        return await self._database.run(work)


def _parse(text: str | None) -> Json:
    value: Json = None if text is None else json.loads(text)
    return value


def _get(connection: sa.Connection, key: str, now: datetime) -> Json:
    return _parse(connection.scalar(_select_value(), {"key": key, "now": to_micros(now)}))


@cache
def _select_value() -> sa.Select[str]:
    is_current = STATE.c.expires_at > sa.bindparam("now")
    return sa.select(STATE.c.value).where(STATE.c.key == sa.bindparam("key"), is_current)


def _set(connection: sa.Connection, key: str, value: Json, now: datetime, keep: timedelta) -> None:
    connection.execute(_delete_expired(), {"now": to_micros(now)})
    if value is None:
        connection.execute(STATE.delete().where(STATE.c.key == key))
    else:
        row = {"key": key, "value": to_json(value), "expires_at": to_micros(now + keep)}
        connection.execute(upsert(connection, STATE, key=["key"]), row)


@cache
def _delete_expired() -> sa.Delete:
    return STATE.delete().where(STATE.c.expires_at <= sa.bindparam("now"))


class SqlScopeStore:
    """Values by scope and key; a commit is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, scopes: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """Return the values of each of `scopes`, in that order."""
        found = await self._database.read(lambda connection: _values(connection, scopes))
        return [found[scope] for scope in scopes]

    async def commit(self, deltas: Sequence[StateDelta]) -> None:
        """Store all of `deltas` or none of them."""
        await self._database.run(lambda connection: _write(connection, deltas))

    async def commit_unless_changed(self, deltas: Sequence[StateDelta], read: Mapping[str, Mapping[str, Json]]) -> bool:
        """Store all of `deltas` if the scopes in `read` still have these values; else return False."""

        def work(connection: sa.Connection) -> bool:
            for scope in sorted(read):
                take_advisory_lock(connection, scope)
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
            rows = [{"scope": delta.scope, "key": key, "value": to_json(value)} for key, value in delta.written.items()]
            connection.execute(upsert(connection, SCOPE, key=["scope", "key"]), rows)
