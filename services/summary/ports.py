"""Declare the interfaces that summaries need."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Protocol

from services.kernel.chat import ChatAddress, ChatMessage
from services.summary.model import Bullet, SummaryMethod

ProgressListener = Callable[[int, int], Awaitable[None]]
"""Hears how many parts of how many are done."""


class MessageSource(Protocol):
    """Stored messages of a chat; the history service is one."""

    async def recent(self, address: ChatAddress, limit: int) -> Sequence[ChatMessage]:
        """Return the last `limit` messages, oldest first."""
        ...

    async def since(self, address: ChatAddress, when: datetime) -> Sequence[ChatMessage]:
        """Return the messages sent at or after `when`, oldest first."""
        ...


class Summarizer(Protocol):
    """Turns content messages into bullets, and can drop what it cached of them."""

    def forget_message(self, chat: ChatAddress, message_id: str) -> None:
        """Drop the cached bullets of a message that was edited or deleted."""
        ...

    def forget_person(self, person_id: str) -> None:
        """Drop the cached bullets of the person's messages."""
        ...

    @property
    def method(self) -> SummaryMethod:
        """Return how this summarizer works."""
        ...

    async def bullets(
        self,
        messages: Sequence[ChatMessage],
        *,
        language: str,
        count: int,
        on_progress: ProgressListener | None = None,
    ) -> tuple[Bullet, ...]:
        """Return at most `count` bullets in the order of the conversation.

        Raises:
            ModelUnavailable: a model was needed and gave no usable answer.
        """
        ...


class TimeReader(Protocol):
    """Resolves a time phrase found in a message."""

    def __call__(self, phrase: str, sent_at: datetime, language: str) -> datetime | None:
        """Return the moment that `phrase` meant at `sent_at`, in its zone; None when it cannot be told."""
        ...
