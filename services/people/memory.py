"""Save, search and delete texts that people asked the bot to remember."""

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from services.history.terms import index_terms, query_terms, rank
from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.kernel.text import replace_unstorable
from services.people.model import Account


class NewMemory(Struct, frozen=True, kw_only=True):
    """A memory before it is stored."""

    address: ChatAddress
    person: Person
    text: str
    is_shared: bool
    created_at: datetime


class Memory(NewMemory, frozen=True, kw_only=True):
    """A text that `person` asked the bot to remember in `address`.

    `id` is `m` and a number, permanently unique. With `is_shared` everybody in the chat sees it, else only `person`.
    `created_at` is timezone-aware.
    """

    id: str


class MemoryViewer(Struct, frozen=True, kw_only=True):
    """A person in a chat, with the memories that they may see and delete.

    In a group these are its shared memories and the person's own of that group; in a private chat also the person's own
    of the whole platform, and those of their linked accounts, `others`.
    """

    address: ChatAddress
    person: Person
    is_private: bool = False
    is_admin: bool = False
    others: tuple[Account, ...] = ()

    def may_forget(self, memory: Memory) -> bool:
        """Return whether the person may delete `memory`: their own, and as an admin shared ones."""
        if self.is_private and not memory.is_shared:
            return self._is_own(memory)
        return memory.person.id == self.person.id or (memory.is_shared and self.is_admin)

    def _is_own(self, memory: Memory) -> bool:
        """Return whether the person created `memory` with this or a linked account."""
        accounts = (Account.of(self.address, self.person), *self.others)
        asked_by = (memory.address.platform, memory.person.id)
        return any((account.platform, account.person_id) == asked_by for account in accounts)


class MemoryLimits(Struct, frozen=True, kw_only=True):
    """The limits of memories per person and per chat, and of characters per memory."""

    per_person: int = 200
    per_chat: int = 1_000
    text_length: int = 1_000


class MemoryStore(Protocol):
    """Stores memories."""

    async def add(self, memory: NewMemory) -> Memory:
        """Store a memory durably; return it with its id."""

    async def visible_to(self, viewer: MemoryViewer) -> tuple[Memory, ...]:
        """Return all memories that `viewer` may see, latest first."""

    async def count(self, address: ChatAddress, person_id: str | None = None) -> int:
        """Return the number of memories of a chat, or of one person in it."""

    async def remove(self, ids: Sequence[str]) -> int:
        """Delete memories by id; return the number of deleted ones."""


_ID = re.compile(r"m\d{1,18}")
_EDGES = " \t\n[]【】\"“”'.,;:!?。，；：！？"


class MemoryService:
    """Saves, searches and deletes the memories of every chat."""

    def __init__(self, store: MemoryStore, *, limits: MemoryLimits | None = None) -> None:
        self._store = store
        self._limits = limits or MemoryLimits()
        self._saving = asyncio.Lock()

    async def save(self, viewer: MemoryViewer, text: str, *, is_shared: bool, at: datetime) -> Memory:
        """Save `text` durably; an equal text of the same person is saved once.

        Raises:
            RequestRefused: `memory_empty`, `memory_too_long(limit)` or `too_many_memories(limit)`.
        """
        text = " ".join(replace_unstorable(text).split())
        if not text:
            raise RequestRefused("memory_empty")
        if len(text) > self._limits.text_length:
            raise RequestRefused("memory_too_long", limit=self._limits.text_length)
        async with self._saving:  # so that concurrent calls do not exceed a limit
            for memory in await self._store.visible_to(viewer):
                if (memory.text, memory.is_shared, memory.person.id) == (text, is_shared, viewer.person.id):
                    return memory
            await self._check_limits(viewer)
            return await self._store.add(
                NewMemory(address=viewer.address, person=viewer.person, text=text, is_shared=is_shared, created_at=at)
            )

    async def search(self, viewer: MemoryViewer, query: str = "", limit: int = 20) -> tuple[Memory, ...]:
        """Return at most `limit` visible memories that match `query`, best first; without a query, the latest."""
        seen = await self._store.visible_to(viewer)
        terms = query_terms(query)
        if not terms:
            return seen[:limit]
        return tuple(rank(((memory, frozenset(index_terms(memory.text))) for memory in seen), terms, limit))

    async def forget(self, viewer: MemoryViewer, reference: str) -> Memory:
        """Delete the memory that `reference` names by its id or words.

        Raises:
            RequestRefused: `memory_unknown(reference)`, `memory_ambiguous(reference, candidates)`, or
                `not_your_memory(id, owner)`.
        """
        found = await self._find_referenced(viewer, reference)
        if not found:
            raise RequestRefused("memory_unknown", reference=reference)
        own = [memory for memory in found if viewer.may_forget(memory)]
        if not own:
            raise RequestRefused("not_your_memory", id=found[0].id, owner=found[0].person.name)
        if len(own) > 1:
            raise RequestRefused("memory_ambiguous", reference=reference, candidates=tuple(own))
        await self._store.remove([own[0].id])
        return own[0]

    async def _find_referenced(self, viewer: MemoryViewer, reference: str) -> tuple[Memory, ...]:
        seen = await self._store.visible_to(viewer)
        word = reference.strip(_EDGES).casefold()
        if _ID.fullmatch(word):
            return tuple(memory for memory in seen if memory.id == word)
        exact = tuple(memory for memory in seen if memory.text.casefold().strip(_EDGES) == word)
        terms = query_terms(reference)
        return exact or tuple(memory for memory in seen if terms and set(terms) <= set(index_terms(memory.text)))

    async def _check_limits(self, viewer: MemoryViewer) -> None:
        if await self._store.count(viewer.address, viewer.person.id) >= self._limits.per_person:
            raise RequestRefused("too_many_memories", limit=self._limits.per_person)
        if await self._store.count(viewer.address) >= self._limits.per_chat:
            raise RequestRefused("too_many_memories", limit=self._limits.per_chat)
