"""The one door out: finds the platform, keeps the order of a chat, records what the bot said."""

import asyncio
from collections.abc import Mapping

from loguru import logger

from bot.platform import OutgoingMessage, Platform
from function_calls.calls import Reply
from services.chat import ChatAddress
from services.clock import Clock
from services.errors import DeliveryFailed
from services.history.service import HistoryService

_ATTEMPTS = 5
_FIRST_PAUSE_SECONDS = 1.0


class Outbox:
    """Sends replies and notices; one message at a time in each chat."""

    def __init__(self, platforms: Mapping[str, Platform], history: HistoryService, clock: Clock) -> None:
        self.platforms = platforms
        self._history = history
        self._clock = clock
        self._turns: dict[str, asyncio.Lock] = {}

    async def reply(self, address: ChatAddress, reply: Reply) -> None:
        """Say `reply`, trying again while the platform asks for patience; a reply that cannot be said is logged."""
        message = OutgoingMessage(
            text=reply.text,
            reply_to=reply.reply_to,
            mentions=reply.mentions,
            mentions_everyone=reply.mentions_everyone,
        )
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

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Say `message` once, after what is already being said in that chat.

        Raises:
            DeliveryFailed: the platform did not take it, or no such platform is connected.
        """
        platform = self.platforms.get(address.platform)
        if platform is None:
            raise DeliveryFailed(f"platform {address.platform} is not connected")
        async with self._turn(address):
            message_id = await platform.send(address, message)
        await self._record(address, message, message_id)
        return message_id

    async def _record(self, address: ChatAddress, message: OutgoingMessage, message_id: str | None) -> None:
        """Keep what was said. A history that fails must not make a message that was sent look unsent."""
        try:
            await self._history.record_own(
                address, message.text, message_id=message_id, sent_at=self._clock.now(), reply_to=message.reply_to
            )
        except Exception as error:  # noqa: BLE001 - whatever the store raises, the message is out
            logger.bind(chat=str(address)).opt(exception=error).error("a sent message could not be recorded")

    def _turn(self, address: ChatAddress) -> asyncio.Lock:
        return self._turns.setdefault(address.key, asyncio.Lock())
