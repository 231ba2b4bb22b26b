"""Save, search and forget texts that people asked the bot to remember."""

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from services.history.terms import index_terms, query_terms, rank
from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.people.model import Account


class Memory(Struct, frozen=True, kw_only=True):
    """A text that `person` asked the bot to remember in `address`.

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


class MemoryViewer(Struct, frozen=True, kw_only=True):
    """A person in a chat, who may see and delete certain memories.

    In a group these are the shared memories of that group, and the person's own from there. In a private
    chat they are also the person's own from the whole platform, and from the platforms of their `others`:
    accounts that were linked with this one.
    """

    address: ChatAddress
    person: Person
    is_private: bool = False
    is_admin: bool = False
    others: tuple[Account, ...] = ()

    def may_see(self, memory: Memory) -> bool:
        """Return whether they may see `memory`."""
        if memory.address.key == self.address.key:
            return memory.is_shared or memory.person.id == self.person.id
        return self.is_private and not memory.is_shared and self._is_own(memory)

    def may_forget(self, memory: Memory) -> bool:
        """Return whether they may delete it: their own, and shared ones if they are an admin."""
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
        """Store it durably; return it with its id."""
        ...

    async def visible_to(self, onlooker: MemoryViewer) -> tuple[Memory, ...]:
        """Return all memories that `onlooker` may see, latest first."""
        ...

    async def count(self, address: ChatAddress, person_id: str | None = None) -> int:
        """Return how many there are of a chat, or of one person in it."""
        ...

    async def remove(self, ids: Sequence[str]) -> int:
        """Delete these; return how many there were."""
        ...


_ID = re.compile(r"m\d{1,18}")
_EDGES = " \t\n[]【】\"“”'.,;:!?。，；：！？"


class MemoryService:
    """The memories of every chat; only texts that a person asked for are saved."""

    def __init__(self, store: MemoryStore, *, limits: MemoryLimits | None = None) -> None:
        self._store = store
        self._limits = limits or MemoryLimits()
        self._saving = asyncio.Lock()

    async def save(self, onlooker: MemoryViewer, text: str, *, is_shared: bool, at: datetime) -> Memory:
        """Save `text` durably; the same text of the same person is saved once.

        Raises:
            RequestRefused: `memory_empty`, `memory_too_long(limit)` or `too_many_memories(limit)`.
        """
        kept = " ".join(text.split())
        if not kept:
            raise RequestRefused("memory_empty")
        if len(kept) > self._limits.text_length:
            raise RequestRefused("memory_too_long", limit=self._limits.text_length)
        async with self._saving:  # so that two at once do not pass a cap together
            for each in await self._store.visible_to(onlooker):
                if (each.text, each.is_shared, each.person.id) == (kept, is_shared, onlooker.person.id):
                    return each
            await self._check_caps(onlooker)
            return await self._store.add(
                NewMemory(
                    address=onlooker.address, person=onlooker.person, text=kept, is_shared=is_shared, created_at=at
                )
            )

    async def search(self, onlooker: MemoryViewer, query: str = "", limit: int = 20) -> tuple[Memory, ...]:
        """Return at most `limit` visible memories that match `query`, best first; without a query the latest."""
        seen = await self._store.visible_to(onlooker)
        terms = query_terms(query)
        if not terms:
            return seen[:limit]
        return tuple(rank(((each, frozenset(index_terms(each.text))) for each in seen), terms, limit))

    async def forget(self, onlooker: MemoryViewer, reference: str) -> Memory:
        """Delete the memory that `reference` names, by its id or by words of it.

        Raises:
            RequestRefused: `memory_unknown(reference)`, `memory_ambiguous(reference, candidates)`, or
                `not_your_memory(id, owner)`.
        """
        found = await self._find_referenced(onlooker, reference)
        if not found:
            raise RequestRefused("memory_unknown", reference=reference)
        own = [each for each in found if onlooker.may_forget(each)]
        if not own:
            raise RequestRefused("not_your_memory", id=found[0].id, owner=found[0].person.name)
        if len(own) > 1:
            raise RequestRefused("memory_ambiguous", reference=reference, candidates=tuple(own))
        await self._store.remove([own[0].id])
        return own[0]

    async def _find_referenced(self, onlooker: MemoryViewer, reference: str) -> tuple[Memory, ...]:
        seen = await self._store.visible_to(onlooker)
        word = reference.strip(_EDGES).casefold()
        if _ID.fullmatch(word):
            return tuple(each for each in seen if each.id == word)
        exact = tuple(each for each in seen if each.text.casefold().strip(_EDGES) == word)
        terms = query_terms(reference)
        return exact or tuple(each for each in seen if terms and set(terms) <= set(index_terms(each.text)))

    async def _check_caps(self, onlooker: MemoryViewer) -> None:
        if await self._store.count(onlooker.address, onlooker.person.id) >= self._limits.per_person:
            raise RequestRefused("too_many_memories", limit=self._limits.per_person)
        if await self._store.count(onlooker.address) >= self._limits.per_chat:
            raise RequestRefused("too_many_memories", limit=self._limits.per_chat)
