"""Queue messages for the process that is connected to their platform."""

from collections.abc import Collection
from datetime import timedelta

import sqlalchemy as sa

from services.storage.database import Database
from services.storage.tables import REMOTE_MESSAGE

_STORED_FOR = timedelta(minutes=10)
_AT_ONCE = 50
_ADD = sa.text(
    "INSERT INTO handed_over (platform, taken_by, made_at, content) "
    "VALUES (:platform, '', clock_timestamp(), :content) RETURNING id"
)
_TAKE = sa.text(
    "UPDATE handed_over SET taken_by = :owner WHERE id IN ("
    "SELECT id FROM handed_over WHERE taken_by = '' AND platform = ANY(:platforms) "
    "AND made_at > clock_timestamp() - CAST(:fresh AS interval) "
    "ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED) RETURNING id, content"
)
_CLEAR = sa.text("DELETE FROM handed_over WHERE made_at < clock_timestamp() - CAST(:kept AS interval)")


class RemoteMessages:
    """The queue for one process, `owner`. Messages older than `fresh` are not taken."""

    def __init__(self, database: Database, owner: str, *, fresh: timedelta) -> None:
        self._database = database
        self._owner = owner
        self._fresh = fresh

    async def add(self, platform: str, content: str) -> int:
        """Queue `content`; return its number for `outcome`."""
        values = {"platform": platform, "content": content}

        def work(connection: sa.Connection) -> int:
            connection.execute(_CLEAR, {"kept": _STORED_FOR})
            number: int = connection.execute(_ADD, values).scalar_one()
            return number

        return await self._database.run(work, is_durable=False)

    async def outcome(self, number: int) -> str | None:
        """Return the outcome of a message; None until it is known."""
        query = sa.select(REMOTE_MESSAGE.c.outcome).where(REMOTE_MESSAGE.c.id == number)
        return await self._database.read(lambda connection: connection.scalar(query))

    async def withdraw(self, number: int) -> bool:
        """Delete a message; return whether it was waiting."""
        of_number = REMOTE_MESSAGE.delete().where(REMOTE_MESSAGE.c.id == number).returning(REMOTE_MESSAGE.c.taken_by)
        taken_by = await self._database.run(lambda connection: connection.scalar(of_number), is_durable=False)
        return taken_by == ""

    async def take(self, platforms: Collection[str]) -> list[tuple[int, str]]:
        """Take the waiting messages for `platforms`, oldest first; return the number and content of each."""
        values = {"owner": self._owner, "platforms": sorted(platforms), "fresh": self._fresh, "limit": _AT_ONCE}

        def work(connection: sa.Connection) -> list[tuple[int, str]]:
            return sorted((row.id, row.content) for row in connection.execute(_TAKE, values))

        return await self._database.run(work, is_durable=False)

    async def settle(self, number: int, outcome: str) -> None:
        """Store the outcome of a message."""
        known = REMOTE_MESSAGE.update().where(REMOTE_MESSAGE.c.id == number).values(outcome=outcome)
        await self._database.run(lambda connection: connection.execute(known).close(), is_durable=False)
