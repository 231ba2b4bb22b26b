"""Declare the interface of message stores."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from services.kernel.chat import ChatAddress, ChatMessage, Person


class MessageStore(Protocol):
    """Stores messages; a chat and a message id name one message for ever."""

    async def add(self, messages: Sequence[ChatMessage]) -> tuple[bool, ...]:
        """Keep these in one transaction; say of each whether it was new.

        The end of the process does not undo it; a power cut does not either once `flush` returns, or a moment later.
        """
        ...

    async def flush(self) -> None:
        """Return once what was added survives a power cut."""
        ...

    async def find(self, address: ChatAddress, message_id: str) -> ChatMessage | None:
        """Return the message of that id in the chat, in whichever thread; None when there is none, or it was erased."""
        ...

    async def recent(self, address: ChatAddress, limit: int) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages of a chat (of a thread, where the address names one), oldest first."""
        ...

    async def speakers(self, address: ChatAddress, limit: int) -> tuple[tuple[str, str], ...]:
        """Return the last `limit` messages of people, oldest first, as message and person ids.

        Messages that were taken back count too. The person is empty where nothing is kept about who wrote.
        """
        ...

    async def since(self, address: ChatAddress, moment: datetime, limit: int) -> tuple[ChatMessage, ...]:
        """Return the last `limit` messages sent after `moment`, oldest first."""
        ...

    async def last_of(self, address: ChatAddress, person: Person, before: datetime | None) -> ChatMessage | None:
        """Return the latest message of `person` in the chat, sent before `before`."""
        ...

    async def search(self, address: ChatAddress, query: str, limit: int) -> tuple[ChatMessage, ...]:
        """Return at most `limit` messages of people that match `query`, best first.

        Those that have all of its words come first, the latest in front; then those with half of them or more.
        """
        ...

    async def rewrite(self, address: ChatAddress, message_id: str, text: str, at: datetime) -> bool:
        """Replace the text of a message; False when there is none, or it was erased."""
        ...

    async def erase(self, address: ChatAddress, message_id: str, at: datetime) -> bool:
        """Forget the text of a message and leave it out from now on; its id stays known. False when there is none."""
        ...
