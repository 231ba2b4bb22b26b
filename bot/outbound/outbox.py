"""Send all messages of the bot: find the platform, keep the order of a chat, record them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from loguru import logger
from msgspec import Struct, field
from msgspec.structs import replace

from bot.outbound.circuit_breakers import CircuitBreakers
from bot.platforms.base import (
    Capabilities,
    EditsMessages,
    KnowsMembers,
    LinksMessages,
    ListsMembers,
    OutgoingMessage,
    Platform,
    ShowsTyping,
)
from function_calls.tools.calls import Reply
from services.history.service import HistoryService
from services.kernel.background_tasks import run_beside
from services.kernel.chat import ChatAddress, Person, SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed
from services.kernel.network import RequestPauses, growing_pauses
from services.kernel.text import replace_unstorable

if TYPE_CHECKING:
    from bot.outbound.workers import RemoteOutbox


_ATTEMPTS = 5
_FIRST_PAUSE_SECONDS = 1.0
_MAX_PAUSE_SECONDS = 60.0
# Quick answers show no typing indicator.
_TYPING_BEGINS_SECONDS = 0.8
_TYPING_LASTS_SECONDS = 4.0

_PROGRESS_INTERVAL = timedelta(seconds=3)


class Outbox(Struct, eq=False):
    """Sends replies and notices, one message at a time in each chat, and respects the pauses that a platform asks for.

    A `remote_outbox` takes messages for platforms to which another worker is connected.
    """

    platforms: Mapping[str, Platform]
    history: HistoryService
    clock: Clock
    remote_outbox: "RemoteOutbox | None" = None
    _reply_locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    _send_locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    _pauses: RequestPauses = field(default_factory=RequestPauses)
    _circuit_breakers: CircuitBreakers = field(default_factory=CircuitBreakers)

    async def reply(self, address: ChatAddress, reply: Reply, *, key: str | None = None) -> None:
        """Send `reply` with retries; failures are logged.

        `key` identifies a repeat of the turn after a crash. Later replies in the chat wait; due reminders do not. A
        private reply is sent to the whole chat if the platform has no private replies: the request was public, too.
        """
        async with self._reply_locks.setdefault(address.key, asyncio.Lock()):
            await self.send_with_retries(address, replace(self.to_outgoing(address, reply), idempotency_key=key))

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send `message` once, after earlier messages to the chat.

        Raises:
            DeliveryFailed: the platform refused it, is paused or not connected, or has no private replies.
        """
        if self.remote_outbox is not None and not self.remote_outbox.platform_leases.is_here(address.platform):
            return await self.remote_outbox.hand_over(address, _storable(message))
        message_id = await self.send_without_record(address, message)
        await self.record(address, message, message_id)
        return message_id

    async def send_without_record(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Send like `send`, without recording the message, because it will be edited.

        Raises:
            DeliveryFailed: as for `send`.
        """
        platform = self.platforms.get(address.platform)
        if platform is None:
            raise DeliveryFailed(f"platform {address.platform} is not connected")
        if message.private_to is not None and not platform.capabilities.private_replies:
            raise DeliveryFailed(f"{address.platform} has no private replies", is_permanent=True)
        async with self._serialize(address):
            with self._circuit_breakers.guard(address):
                return await platform.send(address, _storable(message))

    def editor(self, address: ChatAddress) -> EditsMessages | None:
        """Return the platform of the chat if this worker can edit messages there."""
        platform = self.platforms.get(address.platform)
        is_here = self.remote_outbox is None or self.remote_outbox.platform_leases.is_here(address.platform)
        if not is_here or platform is None:
            return None
        return platform if isinstance(platform, EditsMessages) else None

    async def edit(self, address: ChatAddress, message_id: str, message: OutgoingMessage) -> None:
        """Edit an earlier message of the bot to `message`, once; the history is not changed.

        Raises:
            DeliveryFailed: the platform refused it, cannot edit messages, or is paused.
        """
        editor = self.editor(address)
        if editor is None:
            raise DeliveryFailed(f"{address.platform} cannot edit messages", is_permanent=True)
        async with self._serialize(address):
            await editor.edit(address, message_id, _storable(message))

    def link(self, address: ChatAddress, message_id: str) -> str | None:
        """Return a link to a message; None if the platform has no links."""
        platform = self.platforms.get(address.platform)
        if platform is None or not isinstance(platform, LinksMessages):
            return None
        return platform.link(address, message_id)

    async def members(self, address: ChatAddress) -> Sequence[Person]:
        """Return the members of the chat; empty if the platform does not list them."""
        platform = self.platforms.get(address.platform)
        if platform is None or not isinstance(platform, ListsMembers):
            return ()
        try:
            return await platform.members(address)
        except DeliveryFailed as failure:
            logger.bind(chat=str(address)).debug("could not list members: {}", failure)
            return ()

    async def is_member(self, address: ChatAddress, person_id: str) -> bool | None:
        """Return whether a person is in the chat; None where the platform does not report members."""
        platform = self.platforms.get(address.platform)
        if platform is None or not isinstance(platform, KnowsMembers):
            return None
        try:
            return await platform.is_member(address, person_id)
        except DeliveryFailed as failure:
            logger.bind(chat=str(address)).warning("could not check whether a person is in the chat: {}", failure)
            return False

    @asynccontextmanager
    async def typing(self, address: ChatAddress) -> AsyncIterator[None]:
        """Show the typing indicator until the context ends, if the platform has one."""
        platform = self.platforms.get(address.platform)
        if platform is None or not isinstance(platform, ShowsTyping):
            yield
            return
        async with run_beside(self._show_typing(platform, address), f"typing {address}"):
            yield

    async def _show_typing(self, platform: ShowsTyping, address: ChatAddress) -> None:
        await asyncio.sleep(_TYPING_BEGINS_SECONDS)
        while True:
            try:
                await platform.typing(address)
            except DeliveryFailed as failure:
                logger.bind(chat=str(address)).debug("could not show typing: {}", failure)
                return
            await asyncio.sleep(_TYPING_LASTS_SECONDS)

    def to_outgoing(self, address: ChatAddress, reply: Reply) -> OutgoingMessage:
        """Convert `reply` to what the platform of the chat can show; unsupported files are named in the text."""
        platform = self.platforms.get(address.platform)
        capabilities = Capabilities() if platform is None else platform.capabilities
        shown = tuple(file for file in reply.files if _accepts(capabilities, file))
        named = (
            f"📎 {each.name} ({each.media_type}, {each.kilobytes} kB)" for each in reply.files if each not in shown
        )
        text = reply.text if capabilities.choices else reply.text_with_hint
        return OutgoingMessage(
            text="\n".join([text, *named]).strip(),
            files=shown,
            reply_to=reply.reply_to,
            mentions=reply.mentions,
            mentions_everyone=reply.mentions_everyone,
            choices=reply.choices,
            private_to=reply.private_to if capabilities.private_replies else None,
            can_retry=reply.can_retry,
        )

    async def send_with_retries(
        self, address: ChatAddress, message: OutgoingMessage, *, is_recorded: bool = False
    ) -> bool:
        """Send `message` with retries; failures are logged. Return whether it was sent, or may have been.

        `is_recorded` says that the history contains it.
        """
        send = partial(self.send_without_record if is_recorded else self.send, address, message)
        failure = await self.retry(send, address, is_final=lambda each: each.is_unknown)
        return failure is None or failure.is_unknown

    async def retry(
        self,
        work: Callable[[], Awaitable[object]],
        address: ChatAddress,
        *,
        is_final: Callable[[DeliveryFailed], bool] = lambda _: False,
    ) -> DeliveryFailed | None:
        """Repeat `work` until it succeeds, with growing pauses or those of the platform; return the last failure.

        A failure that is permanent, or for which `is_final` is true, is not repeated.
        """
        for attempt, pause in enumerate(growing_pauses(_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS), 1):
            try:
                await work()
            except DeliveryFailed as failure:
                logger.bind(chat=str(address)).warning("delivery failed (attempt {}): {}", attempt, failure)
                if failure.is_permanent or is_final(failure) or attempt == _ATTEMPTS:
                    return failure
                await self.clock.nap(failure.retry_after or pause)
            else:
                break
        return None

    @asynccontextmanager
    async def _serialize(self, address: ChatAddress) -> AsyncIterator[None]:
        """Wait for earlier messages to the chat, and respect the pause of the platform."""
        async with self._send_locks.setdefault(address.key, asyncio.Lock()):
            self._check_pause(address)
            try:
                yield
            except DeliveryFailed as failure:
                if failure.retry_after:
                    key = address.platform if failure.is_global else address.key
                    self._pauses.begin(key, self.clock.now(), failure.retry_after)
                raise

    def _check_pause(self, address: ChatAddress) -> None:
        """Raise `DeliveryFailed` while the platform is paused."""
        now = self.clock.now()
        for key in (address.key, address.platform):
            if seconds := self._pauses.seconds_left(key, now):
                raise DeliveryFailed("the platform asked for a pause", retry_after=seconds)

    async def record(self, address: ChatAddress, message: OutgoingMessage, message_id: str | None) -> None:
        """Record a sent message, a private one without its text; failures are logged."""
        text = replace_unstorable(message.text) if message.private_to is None else ""
        try:
            await self.history.record_own(
                address, text, message_id=message_id, sent_at=self.clock.now(), reply_to=message.reply_to
            )
        except Exception as error:  # noqa: BLE001 - the message is sent in any case
            logger.bind(chat=str(address)).opt(exception=error).error("could not record a sent message")


def _storable(message: OutgoingMessage) -> OutgoingMessage:
    """Replace characters in the text that a model or a tool may write, but neither platforms nor the history take."""
    text = replace_unstorable(message.text)
    return message if text == message.text else replace(message, text=text)


def _accepts(capabilities: Capabilities, file: SentFile) -> bool:
    is_too_large = 0 < capabilities.max_file_kilobytes < file.kilobytes
    return capabilities.files and not is_too_large


class ProgressMessage:
    """Reports progress in a chat by one message, which is edited at most every three seconds."""

    def __init__(self, outbox: Outbox, address: ChatAddress, clock: Clock) -> None:
        self._outbox = outbox
        self._address = address
        self._clock = clock
        self._message_id: str | None = None
        self._reported_at: datetime | None = None

    async def __call__(self, text: str) -> None:
        """Report `text`, unless the last report is too recent."""
        now = self._clock.now()
        if self._reported_at is not None and (self._message_id is None or now - self._reported_at < _PROGRESS_INTERVAL):
            return
        self._reported_at = now
        message = OutgoingMessage(text=text)
        try:
            if self._message_id is None:
                self._message_id = await self._outbox.send(self._address, message)
            elif self._outbox.editor(self._address) is not None:
                await self._outbox.edit(self._address, self._message_id, message)
        except DeliveryFailed as failure:
            logger.bind(chat=str(self._address)).debug("could not show progress: {}", failure)
