"""Store short-lived state in SQL."""

import json
from datetime import timedelta
from functools import cache

import sqlalchemy as sa
from loguru import logger

from services.kernel.clock import Clock
from services.kernel.errors import StorageFull
from services.kernel.state import Json
from services.storage.database import Database
from services.storage.engine.column_values import to_micros
from services.storage.engine.inserts import upsert
from services.storage.tables import STATE


class SqlStateStore:
    """A `StateStore` that survives the process."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, key: str) -> Json:
        """Return what was last set under `key`."""
        now = to_micros(self._clock.now())
        query = sa.select(STATE.c.value).where(STATE.c.key == key, STATE.c.expires_at > now)
        text = await self._database.read(lambda connection: connection.scalar(query))
        value: Json = None if text is None else json.loads(text)
        return value

    async def take(self, key: str) -> Json:
        """Return what was last set under `key`, and forget it.

        One statement, so that of several processes one gets it.
        """
        is_there = sa.and_(STATE.c.key == key, STATE.c.expires_at > to_micros(self._clock.now()))
        taken = STATE.delete().where(is_there).returning(STATE.c.value)
        text = await self._database.run(lambda connection: connection.scalar(taken))
        value: Json = None if text is None else json.loads(text)
        return value

    async def set(self, key: str, value: Json, *, keep: timedelta, is_promised: bool = False) -> None:
        """Remember `value` for `keep`, and forget what is over.

        Raises:
            StorageFull: there is no room for what is promised.
        """
        now = self._clock.now()
        row = {"key": key, "value": json.dumps(value, ensure_ascii=False), "expires_at": to_micros(now + keep)}

        def work(connection: sa.Connection) -> None:
            connection.execute(_forget_over(), {"now": to_micros(now)})
            if value is None:
                connection.execute(STATE.delete().where(STATE.c.key == key))
            else:
                connection.execute(upsert(connection, STATE, key=["key"]), row)

        try:
            await self._database.run(work, is_durable=is_promised)
        except StorageFull as error:
            if is_promised:
                raise
            # What is asked for must not fail because a small thing is forgotten.
            logger.error("could not store state {}: {}", key.partition(":")[0], error)


@cache
def _forget_over() -> sa.Delete:
    return STATE.delete().where(STATE.c.expires_at <= sa.bindparam("now"))
