"""The memory service: saving once, caps, finding, forgetting."""

from datetime import UTC, datetime

import pytest

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import RequestRefused
from services.people.memory import MemoryLimits, MemoryService, MemoryViewer
from services.storage.people.memories import SqlMemoryStore

HOME = ChatAddress(platform="console", chat_id="home")
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
ANN = MemoryViewer(address=HOME, person=Person(id="ann", name="Ann"))
BOB = MemoryViewer(address=HOME, person=Person(id="bob", name="Bob"))
BOSS = MemoryViewer(address=HOME, person=Person(id="cy", name="Cy"), is_admin=True)


@pytest.fixture
def memory(sqlite_database):
    return MemoryService(SqlMemoryStore(sqlite_database), limits=MemoryLimits(per_person=3, per_chat=4, text_length=40))


async def save(memory: MemoryService, text: str, who: MemoryViewer = ANN, *, is_shared: bool = False):
    return await memory.save(who, text, is_shared=is_shared, at=NOW)


async def test_the_same_words_are_one_memory(memory):
    first = await save(memory, "the door code is 4711")

    assert await save(memory, " the door  code is 4711 ") == first


async def test_half_a_character_in_a_memory_is_replaced(memory):
    assert (await save(memory, "tea \ud83c")).text == "tea \ufffd"


@pytest.mark.parametrize(("text", "code"), [("  ", "memory_empty"), ("x" * 41, "memory_too_long")])
async def test_invalid_memory_is_refused(memory, text, code):
    with pytest.raises(RequestRefused, match=code):
        await save(memory, text)


async def test_a_person_and_a_chat_have_a_cap(memory):
    for number in range(3):
        await save(memory, f"fact {number}")

    with pytest.raises(RequestRefused, match=r"too_many_memories \(limit=3"):
        await save(memory, "fact 4")
    await save(memory, "fact 4", BOB)
    with pytest.raises(RequestRefused, match=r"too_many_memories \(limit=4"):
        await save(memory, "fact 5", BOB)


async def test_memories_are_found_by_words_in_both_languages(memory):
    await save(memory, "the door code is 4711")
    await save(memory, "小安不吃花生")

    assert [each.text for each in await memory.search(ANN, "what is the code of the door?")] == [
        "the door code is 4711"
    ]
    assert [each.text for each in await memory.search(ANN, "花生")] == ["小安不吃花生"]
    assert len(await memory.search(ANN)) == 2
    assert await memory.search(BOB, "door") == ()


@pytest.mark.parametrize("reference", ["m1", "[M1]", "the door code is 4711", "door code", "“Door”"])
async def test_memory_is_forgotten_by_its_id_or_its_words(memory, reference):
    saved = await save(memory, "the door code is 4711")
    await save(memory, "the parking place is 12")

    assert await memory.forget(ANN, reference) == saved
    assert len(await memory.search(ANN)) == 1


async def test_words_that_match_several_memories_need_a_question(memory):
    await save(memory, "the door code is 4711")
    await save(memory, "the door is green")

    with pytest.raises(RequestRefused, match="memory_ambiguous"):
        await memory.forget(ANN, "door")


async def test_words_that_match_no_memory_are_refused(memory):
    with pytest.raises(RequestRefused, match="memory_unknown"):
        await memory.forget(ANN, "door")


async def test_shared_memory_is_forgotten_by_its_owner_or_an_admin_only(memory):
    await save(memory, "the door code is 4711", is_shared=True)

    with pytest.raises(RequestRefused, match="not_your_memory"):
        await memory.forget(BOB, "door")
    assert (await memory.forget(BOSS, "door")).person == ANN.person
