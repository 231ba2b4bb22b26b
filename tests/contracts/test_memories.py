"""Contract of the memory store."""

from datetime import UTC, datetime

import pytest

from services.kernel.chat import ChatAddress, Person
from services.people.memory import MemoryStore, MemoryViewer, NewMemory
from services.storage.database import Database
from services.storage.people.memories import SqlMemoryStore

HOME = ChatAddress(platform="console", chat_id="home")
ALONE = ChatAddress(platform="console", chat_id="ann")
ANN = Person(id="ann", name="Ann")
BOB = Person(id="bob", name="Bob 鲍勃")
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.fixture
def memories(sql_database: Database) -> MemoryStore:
    return SqlMemoryStore(sql_database)


def new(text: str, *, person: Person = ANN, address: ChatAddress = HOME, is_shared: bool = False) -> NewMemory:
    return NewMemory(address=address, person=person, text=text, is_shared=is_shared, created_at=NOW)


def viewer(person: Person = ANN, address: ChatAddress = HOME, *, is_private: bool = False) -> MemoryViewer:
    return MemoryViewer(address=address, person=person, is_private=is_private)


async def texts_visible_to(memories: MemoryStore, who: MemoryViewer) -> list[str]:
    return [each.text for each in await memories.visible_to(who)]


async def test_memory_is_read_as_stored(memories: MemoryStore):
    memory = await memories.add(new("茶要绿的", person=BOB, is_shared=True))

    assert await memories.visible_to(viewer()) == (memory,)
    assert (memory.text, memory.person, memory.address, memory.created_at) == ("茶要绿的", BOB, HOME, NOW)


async def test_own_and_shared_memories_are_listed_latest_first(memories: MemoryStore):
    await memories.add(new("a"))
    await memories.add(new("b", person=BOB))
    await memories.add(new("all", person=BOB, is_shared=True))

    assert await texts_visible_to(memories, viewer()) == ["all", "a"]
    assert await texts_visible_to(memories, viewer(BOB)) == ["all", "b"]


async def test_memory_is_invisible_in_another_chat(memories: MemoryStore):
    await memories.add(new("a"))
    await memories.add(new("all", is_shared=True))

    assert await texts_visible_to(memories, viewer(address=ALONE)) == []


async def test_private_chat_shows_own_memories_of_all_chats_of_the_platform(memories: MemoryStore):
    other_chat = ChatAddress(platform="console2", chat_id="home")
    await memories.add(new("a"))
    await memories.add(new("b", person=BOB))
    await memories.add(new("all", is_shared=True))
    await memories.add(new("same id, other platform", address=other_chat))

    assert await texts_visible_to(memories, viewer(address=ALONE, is_private=True)) == ["a"]


async def test_memories_are_counted_by_chat_and_person(memories: MemoryStore):
    await memories.add(new("a"))
    await memories.add(new("b", person=BOB))
    await memories.add(new("c", address=ALONE))

    assert (await memories.count(HOME), await memories.count(HOME, "ann")) == (2, 1)


async def test_id_of_a_removed_memory_is_not_reused(memories: MemoryStore):
    first = await memories.add(new("a"))

    assert await memories.remove([first.id, "m999"]) == 1
    assert await texts_visible_to(memories, viewer()) == []
    assert (await memories.add(new("b"))).id != first.id
