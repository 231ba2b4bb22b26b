"""Run the platforms of a bot: receive messages and resume those that an earlier run left unanswered."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Final

from msgspec import Struct, field

from bot.app.cluster import SingleWorker
from bot.app.infrastructure import Infrastructure
from bot.inbound.middleware import AccessFilter
from bot.inbound.recovery import NOTIFIED_WITHIN, Recovery
from bot.inbound.router import MessageRouter
from bot.inbound.welcome import Welcome
from bot.observability.watchdog import Watchdog
from bot.outbound.outbox import Outbox
from bot.outbound.reminder_notifier import DeliveryRetry
from bot.platforms.base import KeepsState, Platform, Receive, ResumesMessages
from services.kernel.background_tasks import BackgroundTasks, log_failure
from services.kernel.chat import BotAdded, ChatMessage, ChatMoved, Incoming
from services.kernel.state import StateStore
from services.storage.messages.pages import UnansweredMessages
from services.storage.workers.turn_claims import Key

DRAIN_SECONDS: Final = 10.0
"""Seconds that a stop waits for messages in progress."""

Resume = Callable[[Collection[Key] | None], Awaitable[Recovery]]
"""Finds the unanswered messages: all, or those with these keys of another worker."""


class PlatformConnections(Struct, kw_only=True):
    """Runs the platforms, with a task per message, so that a slow chat does not delay others.

    `recovery` has the messages pending at the start; None in a cluster, where they are taken over with the lease of
    their platform.
    """

    router: MessageRouter
    welcome: Welcome
    delivery_retry: DeliveryRetry
    state: StateStore
    resume: Resume
    cluster: SingleWorker
    recovery: Recovery | None = None
    _platforms: list[asyncio.Task[object]] = field(default_factory=list)
    _messages: set[asyncio.Task[object]] = field(default_factory=set)

    async def wait_finished(self) -> None:
        """Wait for the platforms to end, then for the messages in progress."""
        if self._platforms:
            await asyncio.wait(self._platforms)
        while self._messages:
            await asyncio.wait(self._messages)

    async def wait_ended(self, name: str) -> None:
        """Wait until the input of one platform has ended."""
        named = [task for task in self._platforms if task.get_name() == name]
        if named:
            await asyncio.wait(named)

    async def drain(self) -> None:
        """Wait up to `DRAIN_SECONDS` for the messages in progress."""
        if self._messages:
            await asyncio.wait(self._messages, timeout=DRAIN_SECONDS)

    def connect(self, platform: Platform, tasks: BackgroundTasks) -> None:
        """Run `platform`, and resume its pending messages."""

        async def receive(incoming: Incoming) -> Awaitable[object]:
            accepted = await self.router.accept(incoming)
            return self._track(tasks.start(self._handle(accepted), f"message {accepted.address}"))

        if isinstance(platform, KeepsState):
            platform.use_state(self.state)
        if self.recovery is not None and self.recovery.pending_on(platform.name):
            resuming = self._resume_pending(self.recovery, platform, receive)
            resuming = log_failure(resuming, f"platform {platform.name}")
            self._track(tasks.start(resuming, f"{platform.name}: pending messages"))

        async def take_over(keys: Collection[Key]) -> None:
            await self._resume_pending(await self.resume(keys), platform, receive)

        running = self.cluster.run(platform, partial(platform.run, receive), take_over, tasks)
        self._platforms.append(tasks.start(log_failure(running, f"platform {platform.name}"), platform.name))

    async def _resume_pending(self, recovery: Recovery, platform: Platform, receive: Receive) -> None:
        handle = platform.resume_message if isinstance(platform, ResumesMessages) else partial(_handle_new, receive)
        await recovery.resume(platform.name, handle, self.router.screen)

    def _track(self, task: asyncio.Task[object]) -> asyncio.Task[object]:
        """Make `drain` wait for `task`."""
        self._messages.add(task)
        task.add_done_callback(self._messages.discard)
        return task

    async def _handle(self, incoming: Incoming) -> None:
        """Greet a new group or answer a message, and retry undelivered reminders of the chat."""
        if isinstance(incoming, BotAdded | ChatMoved):
            await self.delivery_retry.resume(incoming.address)
        else:
            await self.router.handle(incoming)
            if self.delivery_retry.is_due(incoming.address):
                await self.delivery_retry.resume(incoming.address)
        if isinstance(incoming, BotAdded):
            await log_failure(self.welcome.greet(incoming), f"greeting of {incoming.address}")


async def _handle_new(receive: Receive, message: ChatMessage) -> None:
    await (await receive(message))


async def create_connections(
    infrastructure: Infrastructure,
    outbox: Outbox,
    router: MessageRouter,
    delivery_retry: DeliveryRetry,
    cluster: SingleWorker,
    watchdog: Watchdog | None,
) -> PlatformConnections:
    """Return the connections of the platforms, with the messages that an earlier run left unanswered."""
    settings, clock, state = infrastructure.settings, infrastructure.clock, infrastructure.state_store
    language, unanswered = settings.bot.language, UnansweredMessages(infrastructure.database)

    async def resume(keys: Collection[Key] | None) -> Recovery:
        if watchdog is not None and keys is not None:
            watchdog.load_unreadable()  # the other worker may have recorded a message that blocked it
        found = await unanswered.since(clock.now() - NOTIFIED_WITHIN)
        pending = [each for each in found if keys is None or (each.address.key, each.id) in keys]
        return Recovery(pending=pending, outbox=outbox, state=state, clock=clock, language=language, watchdog=watchdog)

    return PlatformConnections(
        router=router,
        welcome=Welcome(
            outbox=outbox,
            state=state,
            bot_name=settings.bot.name,
            language=language,
            listens_to_all=settings.router.listen == "all",
            access=AccessFilter(settings.router.allowed_chats),
        ),
        delivery_retry=delivery_retry,
        state=state,
        resume=resume,
        cluster=cluster,
        # In a cluster another worker may be handling the messages; unhandled ones are taken over later.
        recovery=None if cluster.is_shared else await resume(None),
    )
