"""Opt people out, export and delete their data, and apply retention."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

from loguru import logger
from msgspec import Struct

from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.people.memory import Memory

MAX_RETENTION_DAYS: Final = 36_500
"""The limit of settings and commands that count days, a century: there is a date that many days ago."""


class DataScope(Struct, frozen=True, kw_only=True):
    """The data of one person in one chat, or with `is_everywhere` in every chat of the platform."""

    address: ChatAddress
    person: Person
    is_everywhere: bool = False

    @property
    def place(self) -> str:
        """The key of the chat, or the name of the platform for all of its chats."""
        return self.address.platform if self.is_everywhere else self.address.key


class DeletedMessage(Struct, frozen=True, kw_only=True):
    """A message whose text was deleted; `files` are the URLs of its attachments."""

    address: ChatAddress
    message_id: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Erasure:
    """The numbers of deleted items of a person.

    `replies` are the bot's answers to the messages, `records` the records of their turns. `deleted` are the deleted
    messages and answers, for code that stores other data of them.
    """

    messages: int
    replies: int
    memories: int
    records: int
    deleted: tuple[DeletedMessage, ...] = field(default=(), compare=False, repr=False)


class PersonData(Struct, frozen=True, kw_only=True):
    """The stored data of a person: complete counts, and the latest `messages`, oldest first."""

    messages: tuple[ChatMessage, ...]
    message_count: int
    memories: tuple[Memory, ...]
    record_count: int
    is_opted_out: bool


class PrivacyStore(Protocol):
    """Changes stored personal data; each change is one transaction, durable when it returns."""

    async def opt_out(self, scope: DataScope, at: datetime) -> bool:
        """Stop storing messages of the person; return False if they had opted out."""

    async def opt_in(self, scope: DataScope) -> bool:
        """Store messages of the person again; return False if they had not opted out."""

    async def messages_to_erase(self, scope: DataScope) -> tuple[DeletedMessage, ...]:
        """Return the messages and answers that `erase` deletes."""

    async def erase(self, scope: DataScope, at: datetime) -> Erasure:
        """Delete the person's messages, the answers to them, the memories and the records.

        The ids of messages stay, so that a repeated delivery is ignored, and the cost of models stays in the records.
        """

    async def export(self, scope: DataScope, limit: int) -> PersonData:
        """Return the stored data of the person, with the latest `limit` messages."""

    async def set_retention(self, chat_key: str, keep_days: int | None) -> None:
        """Set the retention of a chat in days (0: for ever); None restores that of the settings."""

    async def retention(self) -> Mapping[str, int]:
        """Return the days of retention of chats with their own value, by chat key."""

    async def chats(self) -> tuple[str, ...]:
        """Return the keys of all chats with stored messages."""

    async def with_files(self, chat_key: str, before: datetime) -> tuple[DeletedMessage, ...]:
        """Return the messages of the chat with files, sent before `before`."""

    async def purge(self, chat_key: str, before: datetime, limit: int) -> int:
        """Delete at most `limit` messages of the chat sent before `before`; return their number."""


_BATCH = 1_000
_PAUSE_SECONDS = 0.05
"""The pause between two batches, so that other writes get their turn."""


class PrivacyService(Struct, frozen=True):
    """Handles opt-out, deletion, export and retention.

    `keep_days` is the retention of chats without their own value; 0 means for ever. `on_forgotten` gets the id of the
    person to clear caches. `settle` waits until all records are stored, so that none is written after the deletion or
    the export. `on_deleted` gets the deleted messages to delete their files.
    """

    store: PrivacyStore
    keep_days: int = 0
    on_forgotten: Callable[[str], None] | None = None
    settle: Callable[[], Awaitable[None]] | None = None
    on_deleted: Callable[[Sequence[DeletedMessage]], Awaitable[None]] | None = None

    async def opt_out(self, scope: DataScope, at: datetime) -> bool:
        """Stop storing messages of the person; return False if they had opted out."""
        return await self.store.opt_out(scope, at)

    async def opt_in(self, scope: DataScope) -> bool:
        """Store messages of the person again; return False if they had not opted out."""
        return await self.store.opt_in(scope)

    async def forget(self, scope: DataScope, at: datetime) -> Erasure:
        """Delete the stored data of the person, except reminders."""
        if self.settle is not None:
            await self.settle()
        known: tuple[DeletedMessage, ...] = ()
        if self.on_deleted is not None:  # before the messages, which alone name the files, as the process may be killed
            await self.on_deleted(known := await self.store.messages_to_erase(scope))
        erasure = await self.store.erase(scope, at)
        if self.on_forgotten is not None:
            self.on_forgotten(scope.person.id)
        if self.on_deleted is not None and (since := set(erasure.deleted) - set(known)):
            await self.on_deleted([*since])
        return erasure

    async def export(self, scope: DataScope, limit: int = 5_000) -> PersonData:
        """Return the stored data of the person, with the latest `limit` messages."""
        if self.settle is not None:
            await self.settle()
        return await self.store.export(scope, limit)

    async def set_retention_days(self, chat: ChatAddress, days: int | None) -> None:
        """Set the retention of `chat` in days (0: for ever); None restores that of the settings."""
        await self.store.set_retention(chat.key, days)

    async def retention_days(self, chat: ChatAddress) -> int:
        """Return the retention of `chat` in days; 0 means for ever."""
        return (await self.store.retention()).get(chat.key, self.keep_days)

    async def own_retention_days(self, chat: ChatAddress) -> int | None:
        """Return the value set for `chat`; None if the settings apply."""
        return (await self.store.retention()).get(chat.key)

    async def purge(self, now: datetime) -> int:
        """Delete expired messages in batches; return their number."""
        rules = await self.store.retention()
        chats = await self.store.chats() if self.keep_days else tuple(rules)
        deleted = 0
        for chat in chats:
            days = rules.get(chat, self.keep_days)
            if days:
                deleted += await self._purge_chat(chat, now - timedelta(days=days))
        if deleted:
            logger.info("deleted {} messages beyond their retention period", deleted)
        return deleted

    async def _purge_chat(self, chat: str, before: datetime) -> int:
        total = 0
        if self.on_deleted is not None:  # before the messages, which alone name the files, as the process may be killed
            await self.on_deleted(await self.store.with_files(chat, before))
        while removed := await self.store.purge(chat, before, _BATCH):
            total += removed
            await asyncio.sleep(_PAUSE_SECONDS)
        return total
