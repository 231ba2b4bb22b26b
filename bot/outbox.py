"""The one door out: finds the platform, keeps the order of a chat, records what the bot said."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from loguru import logger

from bot.platform import EditsMessages, LinksMessages, OutgoingMessage, Platform, ShowsTyping
from function_calls.calls import Reply
from services.chat import ChatAddress, SentFile
from services.clock import Clock
from services.errors import DeliveryFailed
from services.history.service import HistoryService

if TYPE_CHECKING:
    from bot.relay import Relay

_ATTEMPTS = 5
_FIRST_PAUSE_SECONDS = 1.0
# Quick answers need no sign that they are being written.
_TYPING_BEGINS_SECONDS = 0.8
_TYPING_LASTS_SECONDS = 4.0


class Outbox:
    """Sends replies and notices; one message at a time in each chat, and none while the platform wants patience.

    With a `relay` what another process is connected to is handed over to that one.
    """

    def __init__(
        self, platforms: Mapping[str, Platform], history: HistoryService, clock: Clock, relay: "Relay | None" = None
    ) -> None:
        self.platforms = platforms
        self._relay = relay
        self._history = history
        self._clock = clock
        self._replies: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._not_before: dict[str, datetime] = {}

    async def reply(self, address: ChatAddress, reply: Reply) -> None:
        """Say `reply`, trying again while the platform asks for patience; a reply that cannot be said is logged.

        Later replies in the chat wait for it; a due reminder does not. What is for one person only is said to all
        where the platform cannot keep it private: it is about this chat, and was asked for in front of everybody.
        """
        async with _lock_of(self._replies, address):
            await self._persist(address, self._outgoing(address, reply))

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Say `message` once, after what is already being said in that chat.

        Raises:
            DeliveryFailed: the platform did not take it or still wants patience, no such platform is connected, or it
                cannot keep private what is for one person only.
        """
        if self._relay is not None and not self._relay.is_here(address.platform):
            return await self._relay.hand_over(address, message)
        platform = self.platforms.get(address.platform)
        if platform is None:
            raise DeliveryFailed(f"platform {address.platform} is not connected")
        if message.private_to is not None and not platform.capabilities.private_replies:
            raise DeliveryFailed(f"{address.platform} has no private replies", is_permanent=True)
        async with _lock_of(self._turns, address):
            self._check_patience(address)
            try:
                message_id = await platform.send(address, message)
            except DeliveryFailed as failure:
                self._note_patience(address, failure)
                raise
        await self._record(address, message, message_id)
        return message_id

    def link(self, address: ChatAddress, message_id: str) -> str | None:
        """A link that opens a message of the chat, where the platform has such links."""
        platform = self.platforms.get(address.platform)
        if platform is None or not isinstance(platform, LinksMessages):
            return None
        return platform.link(address, message_id)

    async def progress(self, address: ChatAddress, text: str, said: str | None = None) -> str | None:
        """Tell how far an answer is; `said` is the earlier message about it, which is changed where that can be done.

        Returns the id of the message that tells it, None where nothing is told.
        """
        platform = self.platforms.get(address.platform)
        message = OutgoingMessage(text=text)
        try:
            if said is None:
                return await self.send(address, message)
            if platform is not None and isinstance(platform, EditsMessages):
                await platform.edit(address, said, message)
        except DeliveryFailed as failure:
            logger.bind(chat=str(address)).debug("progress not shown: {}", failure)
        return said

    @asynccontextmanager
    async def typing(self, address: ChatAddress) -> AsyncIterator[None]:
        """Show in the chat that an answer is being written, where the platform can, until the context ends."""
        platform = self.platforms.get(address.platform)
        if platform is None or not isinstance(platform, ShowsTyping):
            yield
            return
        showing = asyncio.create_task(self._show_typing(platform, address), name=f"typing {address}")
        try:
            yield
        finally:
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)

    async def _show_typing(self, platform: ShowsTyping, address: ChatAddress) -> None:
        await asyncio.sleep(_TYPING_BEGINS_SECONDS)
        while True:
            try:
                await platform.typing(address)
            except DeliveryFailed as failure:
                logger.bind(chat=str(address)).debug("typing not shown: {}", failure)
                return
            await asyncio.sleep(_TYPING_LASTS_SECONDS)

    def _outgoing(self, address: ChatAddress, reply: Reply) -> OutgoingMessage:
        platform = self.platforms.get(address.platform)
        can_whisper = platform is not None and platform.capabilities.private_replies
        can_show = platform is not None and platform.capabilities.files
        return OutgoingMessage(
            text=reply.text if can_show else "\n".join([reply.text, *map(_named, reply.files)]).strip(),
            files=reply.files if can_show else (),
            reply_to=reply.reply_to,
            mentions=reply.mentions,
            mentions_everyone=reply.mentions_everyone,
            choices=reply.choices,
            private_to=reply.private_to if can_whisper else None,
        )

    async def _persist(self, address: ChatAddress, message: OutgoingMessage) -> None:
        pause = _FIRST_PAUSE_SECONDS
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                await self.send(address, message)
            except DeliveryFailed as failure:
                logger.bind(chat=str(address)).warning("reply not taken (attempt {}): {}", attempt, failure)
                if failure.is_permanent or failure.is_unknown or attempt == _ATTEMPTS:
                    return
                await self._clock.nap(failure.retry_after or pause)
                pause *= 2
            else:
                return

    def _check_patience(self, address: ChatAddress) -> None:
        """Refuse what would come too early, in the name of the platform."""
        now = self._clock.now()
        for key in (address.key, address.platform):
            end = self._not_before.get(key)
            if end is not None and end <= now:
                del self._not_before[key]
            elif end is not None:
                raise DeliveryFailed("the platform asked for patience", retry_after=(end - now).total_seconds())

    def _note_patience(self, address: ChatAddress, failure: DeliveryFailed) -> None:
        if failure.retry_after:
            key = address.platform if failure.is_global else address.key
            self._not_before[key] = self._clock.now() + timedelta(seconds=failure.retry_after)

    async def _record(self, address: ChatAddress, message: OutgoingMessage, message_id: str | None) -> None:
        """Keep what was said. A history that fails must not make a message that was sent look unsent."""
        try:
            await self._history.record_own(
                address, message.text, message_id=message_id, sent_at=self._clock.now(), reply_to=message.reply_to
            )
        except Exception as error:  # noqa: BLE001 - whatever the store raises, the message is out
            logger.bind(chat=str(address)).opt(exception=error).error("a sent message could not be recorded")


def _named(file: SentFile) -> str:
    """What stands for a file where the platform shows none."""
    return f"📎 {file.name} ({file.media_type}, {file.kilobytes} kB)"


def _lock_of(locks: WeakValueDictionary[str, asyncio.Lock], address: ChatAddress) -> asyncio.Lock:
    lock = locks.get(address.key)
    if lock is None:
        lock = locks[address.key] = asyncio.Lock()
    return lock
