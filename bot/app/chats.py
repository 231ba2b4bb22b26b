"""Open the platforms, outbox, leases and turn claims of a bot."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct

from bot.app.cluster import join_cluster
from bot.app.infrastructure import Infrastructure
from bot.inbound.turn_claims import TurnCoordinator
from bot.outbound.drafts import Drafts
from bot.outbound.outbox import Outbox
from bot.outbound.remote_outbox import RemoteOutbox
from bot.platforms.base import HearsAnswers, Platform
from services.history.service import HistoryService
from services.kernel.chat import ChatMessage
from services.language_model.ports import TextListener
from services.storage.messages.store import SqlMessageStore


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
