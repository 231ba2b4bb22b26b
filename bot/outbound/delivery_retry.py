"""Retry undelivered reminders of a chat when a message arrives from it."""

from datetime import datetime, timedelta
from typing import Final

from loguru import logger

from services.kernel.chat import ChatAddress
from services.kernel.clock import Clock
from services.reminders.service import ReminderService

_TRIED_AGAIN_AFTER: Final = timedelta(hours=1)
"""A chat may be read and not written to for long: so often at most it is tried."""


class DeliveryRetry:
    """Retries the undelivered reminders of a chat when a message arrives from it.

    Platforms that tell of the bot's return do not tell that it may speak again, and some tell of neither.
    """

    def __init__(self, reminders: ReminderService, clock: Clock, blocked_chats: set[str]) -> None:
        """`blocked_chats` are the keys of the chats, which others add to."""
        self._reminders = reminders
        self._clock = clock
        self._blocked_chats = blocked_chats
        self._not_before: dict[str, datetime] = {}

    async def recall(self) -> None:
        """Look up the chats of earlier runs."""
        self._blocked_chats |= await self._reminders.chats_with_failures()

    def is_waited_for(self, chat: ChatAddress) -> bool:
        """Return whether it is worth trying in `chat` again now."""
        if chat.key not in self._blocked_chats:
            return False
        not_before = self._not_before.get(chat.key)
        return not_before is None or self._clock.now() >= not_before

    async def resume(self, chat: ChatAddress) -> None:
        """Retry the undelivered reminders of `chat`."""
        self._not_before[chat.key] = self._clock.now() + _TRIED_AGAIN_AFTER
        try:
            count = await self._reminders.resume_in(chat)
        except Exception as error:  # noqa: BLE001 - the next message there, or the next start, tries it again
            logger.bind(chat=str(chat)).opt(exception=error).error("retrying undelivered reminders failed")
            return
        if not count:
            self._blocked_chats.discard(chat.key)
            self._not_before.pop(chat.key, None)
