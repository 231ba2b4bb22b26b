"""Declare memories, their limits and the interface of their store."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from services.kernel.chat import ChatAddress, Person
from services.people.model import Account


class Memory(Struct, frozen=True, kw_only=True):
    """Something that `person` asked to have remembered in `address`.

    `id` is `m` and a number, unique for ever. With `is_shared` everybody in that chat sees it, without only `person`.
    `created_at` is timezone-aware.
    """

    id: str
    address: ChatAddress
    person: Person
    text: str
    is_shared: bool
    created_at: datetime


class NewMemory(Struct, frozen=True, kw_only=True):
    """A memory before it is stored."""

    address: ChatAddress
    person: Person
    text: str
    is_shared: bool
    created_at: datetime


class Onlooker(Struct, frozen=True, kw_only=True):
    """A person in a chat, who may see and forget certain memories.

    In a group it is what was remembered for that group, and the person's own that was remembered there. In a private
    chat it is besides everything of the person's own from the whole platform, and from the platforms of their `others`:
    accounts that were linked with this one.
    """

    address: ChatAddress
    person: Person
    is_private: bool = False
    is_admin: bool = False
    others: tuple[Account, ...] = ()

    def may_see(self, memory: Memory) -> bool:
        """Return whether `memory` is for these eyes."""
        if memory.address.key == self.address.key:
            return memory.is_shared or memory.person.id == self.person.id
        return self.is_private and not memory.is_shared and self._is_own(memory)

    def may_forget(self, memory: Memory) -> bool:
        """Return whether they may have it forgotten: their own, and what is shared if they are an admin."""
        if self.is_private and not memory.is_shared:
            return self._is_own(memory)
        return memory.person.id == self.person.id or (memory.is_shared and self.is_admin)

    def _is_own(self, memory: Memory) -> bool:
        """Return whether the person asked for it, with this account or with another of theirs."""
        accounts = (Account.of(self.address, self.person), *self.others)
        asked_by = (memory.address.platform, memory.person.id)
        return any((each.platform, each.person_id) == asked_by for each in accounts)


class MemoryLimits(Struct, frozen=True, kw_only=True):
    """Limits: memories per person, memories per chat, and characters per memory."""

    per_person: int = 200
    per_chat: int = 1_000
    text_length: int = 1_000


class MemoryStore(Protocol):
    """Stores memories."""

    async def add(self, memory: NewMemory) -> Memory:
        """Keep it durably; return it with its id."""
        ...

    async def seen_by(self, onlooker: Onlooker) -> tuple[Memory, ...]:
        """Return all memories that `onlooker` may see, latest first."""
        ...

    async def count(self, address: ChatAddress, person_id: str | None = None) -> int:
        """Return how many there are of a chat, or of one person in it."""
        ...

    async def remove(self, ids: Sequence[str]) -> int:
        """Delete these; return how many there were."""
        ...
