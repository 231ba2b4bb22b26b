"""What privacy needs from outside."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from services.privacy.model import DataScope, Erasure, GoneMessage, PersonData


class PrivacyStore(Protocol):
    """Changes what is kept about people. A change is one transaction, durable when it returns."""

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
        """The chats with a rule of their own, and their days."""
        ...

    async def chats(self) -> tuple[str, ...]:
        """The keys of all chats that messages are kept of."""
        ...

    async def with_files(self, chat_key: str, before: datetime) -> tuple[GoneMessage, ...]:
        """The messages of the chat sent earlier that files came with."""
        ...

    async def purge(self, chat_key: str, before: datetime, limit: int) -> int:
        """Delete at most `limit` messages of the chat sent earlier; return how many there were."""
        ...
