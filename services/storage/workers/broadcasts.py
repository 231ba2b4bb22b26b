"""Send short texts between processes on one PostgreSQL, without delivery guarantee.

Source: https://www.postgresql.org/docs/current/sql-notify.html
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

import sqlalchemy as sa
from loguru import logger

from services.storage.database import Database

MAX_BYTES: Final = 7_900
"""The server refuses 8,000 bytes."""

_AGAIN_SECONDS: Final = 1.0
_CALL = sa.text("SELECT pg_notify(:channel, :text)")


class Broadcasts:
    """Sends and receives on one channel of a PostgreSQL. `channel` is a plain identifier."""

    def __init__(self, database: Database, channel: str) -> None:
        self._database = database
        self._channel = channel

    async def send(self, text: str) -> None:
        """Send `text`, at most `MAX_BYTES`, to all listening processes, including this one."""
        values = {"channel": self._channel, "text": text}
        await self._database.run(lambda connection: connection.execute(_CALL, values).close(), is_durable=False)

    async def receive(self) -> AsyncGenerator[str | None, None]:
        """Yield received texts until cancelled; None at each beginning of listening, before which texts may be lost."""
        import psycopg

        address = self._database.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(address, autocommit=True) as session:
                    await session.execute(f"LISTEN {self._channel}".encode())
                    yield None
                    async for note in session.notifies():
                        yield note.payload
            except psycopg.Error as error:
                logger.warning("lost the connection for notifications of other workers; reconnecting: {}", error)
            await asyncio.sleep(_AGAIN_SECONDS)
