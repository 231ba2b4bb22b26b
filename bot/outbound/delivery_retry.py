"""Retry undelivered reminders of a chat when a message arrives from it."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from loguru import logger

from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.reminders.service import ReminderService

_RETRY_INTERVAL: Final = timedelta(hours=1)
"""Minimum time between attempts in one chat."""


class BlockedChats:
    """The chats that refuse messages of the bot, with the time of the next attempt."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._retry_at: dict[str, datetime | None] = {}

    def add(self, keys: Iterable[str]) -> None:
        """Add chats that refused a message."""
        for key in keys:
            self._retry_at.setdefault(key)

    def is_due(self, key: str) -> bool:
        """Return whether a chat is blocked and the next attempt is due."""
        if key not in self._retry_at:
            return False
        retry_at = self._retry_at[key]
        return retry_at is None or self._clock.now() >= retry_at

    def postpone(self, key: str) -> None:
        """Record an attempt in a chat; the next one is due in an hour."""
        self._retry_at[key] = self._clock.now() + _RETRY_INTERVAL

    def remove(self, key: str) -> None:
        """Remove a chat that accepts messages again."""
        self._retry_at.pop(key, None)


class DeliveryRetry:
    """Retries the undelivered reminders of a chat when a message arrives from it.

    Platforms do not report that the bot may write again, and some not that it was added again.
    """

    def __init__(self, reminders: ReminderService, blocked: BlockedChats) -> None:
        self._reminders = reminders
        self._blocked = blocked

    async def load_blocked(self) -> None:
        """Load the chats that were blocked in earlier runs."""
        self._blocked.add(await self._reminders.chats_with_failures())

    def is_due(self, chat: ChatAddress) -> bool:
        """Return whether an attempt in `chat` is due."""
        return self._blocked.is_due(chat.key)

    async def resume(self, chat: ChatAddress) -> None:
        """Retry the undelivered reminders of `chat`."""
        self._blocked.postpone(chat.key)
        try:
            count = await self._reminders.resume_in(chat)
        except Exception as error:  # noqa: BLE001 - the next message or start tries again
            logger.bind(chat=str(chat)).opt(exception=error).error("retrying undelivered reminders failed")
            return
        if not count:
            self._blocked.remove(chat.key)
