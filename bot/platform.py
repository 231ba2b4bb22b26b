"""What a chat platform is to the bot."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from services.chat import ChatAddress, ChatMessage, Person

Receive = Callable[[ChatMessage], Awaitable[Awaitable[object]]]
"""Takes a message in at once; what it returns can be awaited until the message has been dealt with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Capabilities:
    """What a platform can do; the outbox and the wording adapt to it.

    `max_length` is in characters, 0 means no limit. `takes_idempotency_key` says that the platform drops a second
    message with the same key.
    """

    mentions: bool = True
    replies: bool = False
    max_length: int = 0
    takes_idempotency_key: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class OutgoingMessage:
    """What is to be said: plain text, the people to notify, and the key that makes a repeat recognisable."""

    text: str
    reply_to: str | None = None
    mentions: tuple[Person, ...] = ()
    mentions_everyone: bool = False
    idempotency_key: str | None = None


class Platform(Protocol):
    """A connection to one chat platform."""

    @property
    def name(self) -> str:
        """The name in addresses (`console`, `telegram`)."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    async def run(self, receive: Receive) -> None:
        """Receive messages until cancelled or until the input ends."""
        ...

    async def send(self, address: ChatAddress, message: OutgoingMessage) -> str | None:
        """Say `message` in the chat and return the platform's id of it, None when it gives none.

        Raises:
            DeliveryFailed: the platform did not take it.
        """
        ...
