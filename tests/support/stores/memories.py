"""Store memories in the process, for tests."""

from collections.abc import Sequence

from services.kernel.chat import ChatAddress
from services.people.memory import Memory, NewMemory, Onlooker


class ProcessMemoryStore:
    """A `MemoryStore` that forgets everything when the process ends."""

    def __init__(self) -> None:
        self._memories: dict[str, Memory] = {}
        self._last = 0

    async def add(self, memory: NewMemory) -> Memory:
        """Keep it."""
        self._last += 1
        kept = Memory(
            id=f"m{self._last}",
            address=memory.address,
            person=memory.person,
            text=memory.text,
            is_shared=memory.is_shared,
            created_at=memory.created_at,
        )
        self._memories[kept.id] = kept
        return kept

    async def seen_by(self, onlooker: Onlooker) -> tuple[Memory, ...]:
        """Return all memories that `onlooker` may see, latest first."""
        return tuple(each for each in reversed(self._memories.values()) if onlooker.may_see(each))

    async def count(self, address: ChatAddress, person_id: str | None = None) -> int:
        """Return how many there are of a chat, or of one person in it."""
        here = [each for each in self._memories.values() if each.address.key == address.key]
        return sum(person_id in {None, each.person.id} for each in here)

    async def remove(self, ids: Sequence[str]) -> int:
        """Delete these."""
        return sum(self._memories.pop(each, None) is not None for each in ids)
