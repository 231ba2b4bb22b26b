"""What the memory needs from outside."""

from collections.abc import Sequence
from typing import Protocol

from services.chat import ChatAddress
from services.memory.model import Memory, NewMemory, Onlooker


class MemoryStore(Protocol):
    """Keeps memories."""

    async def add(self, memory: NewMemory) -> Memory:
        """Keep it durably; return it with its id."""
        ...

    async def seen_by(self, onlooker: Onlooker) -> tuple[Memory, ...]:
        """All that `onlooker` may see, the latest first."""
        ...

    async def count(self, address: ChatAddress, person_id: str | None = None) -> int:
        """Return how many there are of a chat, or of one person in it."""
        ...

    async def remove(self, ids: Sequence[str]) -> int:
        """Delete these; return how many there were."""
        ...
