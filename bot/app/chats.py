"""Open the platforms, outbox, leases and turn claims of a bot, alone or in a cluster of workers on one database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import uuid4

from msgspec import Struct

from bot.app.infrastructure import Infrastructure
from bot.inbound.turn_claims import TurnCoordinator
from bot.outbound.drafts import Drafts
from bot.outbound.outbox import Outbox
from bot.outbound.platform_leases import LEASE_LASTS, PlatformLeaseHolder
from bot.outbound.remote_outbox import PATIENCE, RemoteOutbox
from bot.platforms.base import HearsAnswers, Platform
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.kernel.clock import Clock
from services.language_model.ports import TextListener
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore
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


class Chats(Struct, frozen=True, kw_only=True):
    """`remote_outbox` and `turn_claims` are None where this is the only process of its database."""

    platforms: tuple[Platform, ...]
    remote_outbox: RemoteOutbox | None
    turn_claims: TurnCoordinator | None
    history: HistoryService
    outbox: Outbox
    drafts: Drafts

    def listener(self, message: ChatMessage) -> TextListener | None:
        """Return who hears the answer to `message` while it is written: the platform, or a draft that grows there."""
        platform = self.outbox.platforms.get(message.address.platform)
        if platform is not None and isinstance(platform, HearsAnswers):
            return platform.listener(message)
        return self.drafts.listener(message)


@asynccontextmanager
async def open_chats(infrastructure: Infrastructure, platforms: tuple[Platform, ...]) -> AsyncIterator[Chats]:
    """Return the chats of `platforms`, shared with other processes for as long as the context lasts."""
    settings, clock = infrastructure.settings, infrastructure.clock
    async with join_cluster(infrastructure.database, platforms, clock) as (remote_outbox, claims):
        history = HistoryService(
            SqlMessageStore(infrastructure.database, claims),
            bot_name=settings.bot.name,
            on_kept=infrastructure.counts.keep,
        )
        outbox = Outbox({platform.name: platform for platform in platforms}, history, clock, remote_outbox)
        yield Chats(
            platforms=platforms,
            remote_outbox=remote_outbox,
            turn_claims=None if claims is None else TurnCoordinator(claims, clock),
            history=history,
            outbox=outbox,
            drafts=Drafts(outbox, clock, is_wanted=settings.router.stream_replies),
        )
