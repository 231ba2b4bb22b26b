"""Declare the values of privacy requests and the interface of their store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.people.memory.model import Memory


class DataScope(Struct, frozen=True, kw_only=True):
    """The data of one person: of one chat or, asked for in private, of every chat of the platform."""

    address: ChatAddress
    person: Person
    is_everywhere: bool = False

    @property
    def place(self) -> str:
        """The chat's key, or the platform's name for all of its chats."""
        return self.address.platform if self.is_everywhere else self.address.key


class GoneMessage(Struct, frozen=True, kw_only=True):
    """A message whose text was deleted; `files` are the addresses of its attachments."""

    address: ChatAddress
    message_id: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Erasure:
    """The receipt of a "forget me": how much was deleted.

    `replies` are the bot's answers to the messages, `records` what was written down about how they were understood.
    `gone` are those messages and answers, for whoever keeps something beside them.
    """

    messages: int
    replies: int
    memories: int
    records: int
    gone: tuple[GoneMessage, ...] = field(default=(), compare=False, repr=False)

    @property
    def is_empty(self) -> bool:
        """Return whether there was nothing to remove."""
        return not (self.messages or self.replies or self.memories or self.records)


class PersonData(Struct, frozen=True, kw_only=True):
    """The stored data of a person: complete counts, and in `messages` the latest ones, oldest first."""

    messages: tuple[ChatMessage, ...]
    message_count: int
    memories: tuple[Memory, ...]
    record_count: int
    is_opted_out: bool


class PrivacyStore(Protocol):
    """Changes stored personal data; each change is one transaction, durable when it returns."""

    async def opt_out(self, scope: DataScope, at: datetime) -> bool:
        """Keep no more messages of the person; False when that was so already."""
        ...

    async def opt_in(self, scope: DataScope) -> bool:
        """Keep messages of the person again; False when they were kept anyway."""
        ...

    async def erase(self, scope: DataScope, at: datetime) -> Erasure:
        """Remove the person's messages, the answers to them, the memories and the records.

        That a message was there stays known by its id, so that one delivered twice is not handled twice, and what a
        model cost stays in the record without any text.
        """
        ...

    async def export(self, scope: DataScope, limit: int) -> PersonData:
        """Return what is kept about the person, with the latest `limit` messages."""
        ...

    async def set_retention(self, chat_key: str, keep_days: int | None) -> None:
        """Keep the messages of a chat for so many days, 0 for ever; None leaves it to the settings again."""
        ...

    async def retention(self) -> Mapping[str, int]:
        """Return the chats with a rule of their own, and their days."""
        ...

    async def chats(self) -> tuple[str, ...]:
        """Return the keys of all chats that messages are kept of."""
        ...

    async def with_files(self, chat_key: str, before: datetime) -> tuple[GoneMessage, ...]:
        """Return the messages of the chat sent earlier that files came with."""
        ...

    async def purge(self, chat_key: str, before: datetime, limit: int) -> int:
        """Delete at most `limit` messages of the chat sent earlier; return how many there were."""
        ...
