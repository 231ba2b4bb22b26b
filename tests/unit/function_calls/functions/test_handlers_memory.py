"""The functions of the memory: consent, receipts and access."""

import pytest
from msgspec.structs import replace

from function_calls.functions.memory import handlers as handlers_memory
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import Services
from function_calls.tools.session_state import MemoryScopeStore
from services.history.service import HistoryService
from services.kernel.chat import Person
from services.kernel.clock import SystemClock
from services.kernel.state import MemoryStateStore
from services.people.account_links import PeopleService
from services.people.memory import MemoryService
from services.storage.people.memories import SqlMemoryStore
from tests.support.stores.messages import MemoryMessageStore

BOB = Person(id="bob", name="bob")


@pytest.fixture
def ask(context_of, sqlite_database):
    people = PeopleService(MemoryScopeStore(), MemoryStateStore(SystemClock()))
    services = Services(HistoryService(MemoryMessageStore()), MemoryService(SqlMemoryStore(sqlite_database)), people)
    registry = Registry(injectable=(HistoryService, MemoryService, PeopleService))
    registry.collect(handlers_memory)

    async def dispatch(name, language="en", message=None, **arguments):
        context = replace(context_of(**(message or {})), services=services, language=language)
        return await FunctionCallRouter(registry).dispatch(ToolCall(id="1", name=name, arguments=arguments), context)

    return dispatch


async def test_saved_memory_is_confirmed_with_its_id_and_can_be_undone(ask):
    result = await ask("memory_save", text="the door code is 4711")

    assert result.text == "🧠 I will remember this for you [m1]: the door code is 4711"
    assert result.receipts[0].undo.arguments == {"reference": "m1"}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "This is what I remember:\n• [m1] the door code is 4711 (you, today at 12:00)"),
        ("zh", "我记得这些：\n• [m1] the door code is 4711（你，今天 12:00）"),
    ],
)
async def test_memories_are_listed(ask, language, text):
    await ask("memory_save", text="the door code is 4711")

    assert (await ask("memory_search", language)).text == text


async def test_others_see_only_shared_memories(ask):
    await ask("memory_save", text="I am allergic to nuts")
    await ask("memory_save", text="the door code is 4711", audience="everyone")

    result = await ask("memory_search", message={"sender": BOB})

    assert result.text.endswith(":\n• [m2] the door code is 4711 (for everyone, from ann, today at 12:00)")
    assert result.is_untrusted


async def test_talk_between_people_is_not_saved(ask):
    result = await ask("memory_save", message={"is_addressed": False}, text="we play at eight")

    assert result.ending == "answered"
    assert (await ask("memory_search")).text.startswith("I remember nothing for you here.")


async def test_memory_is_forgotten_with_a_receipt(ask):
    await ask("memory_save", text="门禁密码是4711")

    result = await ask("memory_forget", "zh", reference="门禁密码")

    assert result.text == "🧽 已忘掉 [m1]：门禁密码是4711"
    assert result.receipts[0].action == "forgotten"


async def test_ambiguous_reference_to_a_memory_is_answered_with_ids(ask):
    await ask("memory_save", text="the door code is 4711")
    await ask("memory_save", text="the door is green")

    result = await ask("memory_forget", reference="door")

    assert not result.ok
    assert "[m2] the door is green" in result.text
    assert "[m1] the door code is 4711" in result.text


async def test_refusal_has_a_message(ask):
    result = await ask("memory_forget", "zh", reference="不存在的事")

    assert result.text == "我没有记住符合“不存在的事”的事。想看有哪些：你记住了什么"


@pytest.mark.parametrize("text", ["了吗", "了！"])
async def test_question_about_a_memory_saves_nothing(ask, text):
    result = await ask("memory_save", "zh", text=text)

    assert not result.ok
    assert result.text.startswith("要记住什么？")
