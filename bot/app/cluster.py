"""Join a cluster of workers on one database: platform leases, turn claims and the remote outbox."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import uuid4

from bot.outbound.platform_leases import LEASE_LASTS, PlatformLeaseHolder
from bot.outbound.remote_outbox import PATIENCE, RemoteOutbox
from bot.platforms.base import Platform
from services.kernel.clock import Clock
from services.storage.database import Database
from services.storage.workers.platform_leases import PlatformLeases
from services.storage.workers.remote_outbox import RemoteMessages
from services.storage.workers.turn_claims import TurnClaims


@asynccontextmanager
async def join_cluster(
    database: Database, platforms: Sequence[Platform], clock: Clock
) -> AsyncIterator[tuple[RemoteOutbox, TurnClaims] | tuple[None, None]]:
    """Join the cluster while the context lasts; return the remote outbox and this process's turn claims.

    None where the database has one process.
    """
    if database.presence is None:
        yield None, None
        return
    owner = uuid4().hex
    await database.presence.hold(owner)
    own = {platform.name for platform in platforms if platform.capabilities.per_process}
    leases = PlatformLeases(database, owner, lasts=LEASE_LASTS)
    platform_leases = PlatformLeaseHolder(leases, {platform.name for platform in platforms} - own, clock, own=own)
    async with platform_leases.renewing():
        yield (
            RemoteOutbox(RemoteMessages(database, owner, fresh=PATIENCE), platform_leases, clock),
            TurnClaims(database, owner),
        )
