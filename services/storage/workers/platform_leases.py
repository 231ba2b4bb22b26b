"""Lease chat platforms to one of the processes that share a PostgreSQL.

The owner of a lease renews its row before it expires; another process may take an expired one. Times are those of the
server, because the clocks of several hosts differ.
"""

from collections.abc import Collection
from datetime import timedelta

import sqlalchemy as sa

from services.storage.database import Database
from services.storage.tables import PLATFORM_LEASE

_TAKE = sa.text(
    "INSERT INTO platform_lease (platform, owner, until) "
    "SELECT platform, :owner, clock_timestamp() + :lasts FROM unnest(CAST(:platforms AS text[])) AS platform "
    "ON CONFLICT (platform) DO UPDATE SET owner = excluded.owner, until = excluded.until "
    "WHERE platform_lease.owner = excluded.owner OR platform_lease.until < clock_timestamp() RETURNING platform"
)


class PlatformLeases:
    """The leases of one process, `owner`. A lease expires after `lasts` unless it is renewed."""

    def __init__(self, database: Database, owner: str, *, lasts: timedelta) -> None:
        self._database = database
        self._owner = owner
        self._lasts = lasts

    async def take(self, platforms: Collection[str]) -> frozenset[str]:
        """Renew leases of `platforms` and take free ones; return the leased platforms."""
        values = {"owner": self._owner, "lasts": self._lasts, "platforms": sorted(platforms)}

        def work(connection: sa.Connection) -> frozenset[str]:
            return frozenset(connection.scalars(_TAKE, values))

        return await self._database.run(work, is_durable=False)

    async def give_back(self) -> None:
        """Delete the leases of this process, so that other processes can take the platforms immediately."""
        ours = PLATFORM_LEASE.delete().where(PLATFORM_LEASE.c.owner == self._owner)
        await self._database.run(lambda connection: connection.execute(ours).close(), is_durable=False)
