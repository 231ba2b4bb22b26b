"""Opt people out, export and delete their data, and apply retention."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from loguru import logger

from services.kernel.chat import ChatAddress
from services.people.privacy.model import DataScope, Erasure, GoneMessage, PersonData, PrivacyStore

_BATCH = 1_000
_PAUSE_SECONDS = 0.05
"""Between two batches, so that whoever writes messages or reminders gets a turn."""


class PrivacyService:
    """Opting out, deletion, export and retention.

    `keep_days` is how long messages are kept in a chat without a rule of its own; 0 means for ever. `on_forgotten`
    is told the id of who asked to be forgotten, for whatever else is remembered in the process. `settle` waits until
    what was recorded is stored, so that nothing about a person is written after it was removed or counted. `on_gone`
    is told of messages whose words have gone, for the files that came with them.
    """

    def __init__(
        self,
        store: PrivacyStore,
        *,
        keep_days: int = 0,
        on_forgotten: Callable[[str], None] | None = None,
        settle: Callable[[], Awaitable[None]] | None = None,
        on_gone: Callable[[Sequence[GoneMessage]], Awaitable[None]] | None = None,
    ) -> None:
        self._store = store
        self._on_forgotten = on_forgotten
        self._keep_days = keep_days
        self._settle = settle or _settled
        self._on_gone = on_gone or _nothing_beside

    async def opt_out(self, scope: DataScope, at: datetime) -> bool:
        """Store no messages of the person from now on; return False when that was so already."""
        return await self._store.opt_out(scope, at)

    async def opt_in(self, scope: DataScope) -> bool:
        """Keep the person's messages again; False when they were kept anyway."""
        return await self._store.opt_in(scope)

    async def forget(self, scope: DataScope, at: datetime) -> Erasure:
        """Remove what is kept about the person; reminders stay, they are deleted as reminders."""
        await self._settle()
        erasure = await self._store.erase(scope, at)
        if self._on_forgotten is not None:
            self._on_forgotten(scope.person.id)
        await self._on_gone(erasure.gone)
        return erasure

    async def export(self, scope: DataScope, limit: int = 5_000) -> PersonData:
        """Return what is kept about the person, with the latest `limit` messages."""
        await self._settle()
        return await self._store.export(scope, limit)

    async def set_retention_days(self, chat: ChatAddress, days: int | None) -> None:
        """Keep the messages of `chat` for so many days, 0 for ever; None is as the settings say."""
        await self._store.set_retention(chat.key, days)

    async def retention_days(self, chat: ChatAddress) -> int:
        """Return how many days messages of `chat` are kept; 0 means for ever."""
        return (await self._store.retention()).get(chat.key, self._keep_days)

    async def purge(self, now: datetime) -> int:
        """Delete the messages whose time is over, a few at a time; return how many there were."""
        rules = await self._store.retention()
        chats = await self._store.chats() if self._keep_days else tuple(rules)
        deleted = 0
        for chat in chats:
            days = rules.get(chat, self._keep_days)
            if days:
                deleted += await self._purged(chat, now - timedelta(days=days))
        if deleted:
            logger.info("deleted {} messages beyond their retention period", deleted)
        return deleted

    async def _purged(self, chat: str, before: datetime) -> int:
        total = 0
        with_files = await self._store.with_files(chat, before)
        while removed := await self._store.purge(chat, before, _BATCH):
            total += removed
            await asyncio.sleep(_PAUSE_SECONDS)
        await self._on_gone(with_files)
        return total


async def _settled() -> None:
    """Report that no message is on its way."""


async def _nothing_beside(gone: Sequence[GoneMessage]) -> None:
    """Delete no files."""
    del gone
