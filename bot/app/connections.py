"""Run the platforms of a bot: receive messages and resume those that an earlier run left unanswered."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine
from functools import partial
from typing import Final

from loguru import logger
from msgspec import Struct, field

from bot.inbound.recovery import Recovery
from bot.inbound.router import MessageRouter
from bot.inbound.turn_claims import TurnCoordinator
from bot.inbound.welcome import Welcome
from bot.outbound.delivery_retry import DeliveryRetry
from bot.outbound.remote_outbox import RemoteOutbox
from bot.platforms.base import Platform, Receive, Remembers, TakesUp
from services.kernel.background_tasks import BackgroundTasks
from services.kernel.chat import BotAdded, ChatMessage, Incoming
from services.kernel.state import StateStore
from services.storage.workers.turn_claims import Key

DRAIN_SECONDS: Final = 10.0
"""So long a stop waits for what is being said."""

Resume = Callable[[Collection[Key] | None], Awaitable[Recovery]]
"""Looks up what is owed: all of it, or, of what was another worker's, the messages of these keys."""


class Connections(Struct, kw_only=True):
    """Connects platforms, each message in a task of its own: one slow chat holds up no other.

    `resumption` is what is owed at the start; None where another worker may be dealing with it, and what is not dealt
    with is taken over with its platform.
    """

    router: MessageRouter
    welcome: Welcome
    given_up: DeliveryRetry
    state: StateStore
    resume: Resume
    resumption: Recovery | None = None
    relay: RemoteOutbox | None = None
    claimed: TurnCoordinator | None = None
    _platforms: list[asyncio.Task[object]] = field(default_factory=list)
    _messages: set[asyncio.Task[object]] = field(default_factory=set)

    async def finished(self) -> None:
        """Wait for the platforms to end, then for what is still being answered."""
        if self._platforms:
            await asyncio.wait(self._platforms)
        while self._messages:
            await asyncio.wait(self._messages)

    async def ended(self, name: str) -> None:
        """Wait until the input of one platform has ended."""
        named = [task for task in self._platforms if task.get_name() == name]
        if named:
            await asyncio.wait(named)

    async def settled(self) -> None:
        """Wait a while for the messages that are being answered, so that a stop cuts nobody off."""
        if self._messages:
            await asyncio.wait(self._messages, timeout=DRAIN_SECONDS)

    def connect(self, platform: Platform, crew: BackgroundTasks) -> None:
        """Run `platform`, after what is owed there."""

        async def receive(incoming: Incoming) -> Awaitable[object]:
            accepted = await self.router.accept(incoming)
            return self._awaited(crew.start(self._handled(accepted), f"message {accepted.address}"))

        if isinstance(platform, Remembers):
            platform.remember_in(self.state)
        if self.resumption is not None and self.resumption.owed_on(platform.name):
            resuming = self._take_up(self.resumption, platform, receive)
            self._awaited(crew.start(_kept_apart(resuming, platform.name), f"{platform.name}: what is owed"))
        running = platform.run(receive) if self.relay is None else self._while_here(self.relay, platform, receive, crew)
        self._platforms.append(crew.start(_kept_apart(running, platform.name), platform.name))

    async def _take_up(self, resumption: Recovery, platform: Platform, receive: Receive) -> None:
        """Deal with what is owed on a platform."""
        handle = platform.take_up if isinstance(platform, TakesUp) else partial(_received, receive)
        await resumption.take_up(platform.name, handle, self.router.screen)

    def _awaited(self, task: asyncio.Task[object]) -> asyncio.Task[object]:
        """Let a stop wait for `task`."""
        self._messages.add(task)
        task.add_done_callback(self._messages.discard)
        return task

    async def _handled(self, incoming: Incoming) -> None:
        """Greet a new group, or answer; what could not be said there before is tried again beside that."""
        if isinstance(incoming, BotAdded):
            await self.given_up.resume(incoming.address)
            await self.welcome.greet(incoming)
            return
        await self.router.handle(incoming)
        if self.given_up.is_waited_for(incoming.address):
            await self.given_up.resume(incoming.address)

    async def _while_here(
        self, relay: RemoteOutbox, platform: Platform, receive: Receive, crew: BackgroundTasks
    ) -> None:
        """Run `platform` while it is this worker's, beside what another one has left undone there."""

        async def take_over(keys: Collection[Key]) -> None:
            await self._take_up(await self.resume(keys), platform, receive)

        async def run() -> None:
            if self.claimed is not None:
                following = self.claimed.follow(platform, take_over)
                crew.start(_kept_apart(following, platform.name), f"{platform.name}: what others have left")
            await platform.run(receive)

        await relay.holding.while_here(platform.name, run)


async def _received(receive: Receive, message: ChatMessage) -> None:
    await (await receive(message))


async def _kept_apart(running: Coroutine[object, object, None], name: str) -> None:
    """Log the failure of a platform, so that the others and the reminders go on."""
    try:
        await running
    except Exception as error:  # noqa: BLE001 - whatever a platform raises, it must not end the bot
        logger.opt(exception=error).error("platform {} ended with an error", name)
