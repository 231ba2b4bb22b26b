"""Retry undelivered reminders of a chat when a message arrives from it."""

from datetime import datetime, timedelta
from typing import Final

from loguru import logger
from msgspec import Struct

from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.reminders.service import ReminderService

_RETRY_INTERVAL: Final = timedelta(hours=1)
"""Minimum time between attempts in one chat."""

BlockedChats = dict[str, datetime | None]
"""The chats that refuse messages of the bot, by key, with the time of the next attempt; None for the next message."""


class DeliveryRetry(Struct, frozen=True, kw_only=True):
    """Retries the undelivered reminders of a chat when a message arrives from it.

    Platforms do not report that the bot may write again, and some not that it was added again.
    """

    reminders: ReminderService
    blocked: BlockedChats
    clock: Clock

    async def load_blocked(self) -> None:
        """Load the chats that were blocked in earlier runs."""
        for key in await self.reminders.chats_with_failures():
            self.blocked.setdefault(key)

    def is_due(self, chat: ChatAddress) -> bool:
        """Return whether `chat` is blocked and the next attempt is due."""
        retry_at = self.blocked.get(chat.key)
        return chat.key in self.blocked and (retry_at is None or self.clock.now() >= retry_at)

    async def resume(self, chat: ChatAddress) -> None:
        """Retry the undelivered reminders of `chat`; the next attempt is due in an hour."""
        self.blocked[chat.key] = self.clock.now() + _RETRY_INTERVAL
        try:
            count = await self.reminders.resume_in(chat)
        except Exception as error:  # noqa: BLE001 - the next message or start tries again
            logger.bind(chat=str(chat)).opt(exception=error).error("retrying undelivered reminders failed")
            return
        if not count:
            self.blocked.pop(chat.key, None)
