"""Session state: scopes, commits and values."""

import asyncio
from datetime import date

import pytest
from msgspec.structs import replace
from pydantic import BaseModel

from function_calls.registry import Registry, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Conversation, Receipt, ToolCall, ToolResult
from function_calls.tools.context import CallContext
from function_calls.tools.dispatch.hooks import ToolHooks
from function_calls.tools.session_state import CallState, MemoryScopeStore, Session, StateConflict
from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import ToolFailed

ANN = Person(id="ann", name="Ann")
HOME = Conversation(chat=ChatAddress(platform="fake", chat_id="home"), person=ANN)
WORK = Conversation(chat=ChatAddress(platform="fake", chat_id="work"), person=ANN)
BOB_AT_HOME = Conversation(chat=HOME.chat, person=Person(id="bob", name="Bob"))


@pytest.fixture
def store():
    return MemoryScopeStore()


async def state_of(store, conversation=HOME):
    return CallState(await Session.open(store, conversation))


async def test_committed_state_is_there_in_the_next_turn(store):
    state = await state_of(store)
    state["last_query"] = "tea"
    await state.commit()

    assert dict(await state_of(store)) == {"last_query": "tea"}


async def test_uncommitted_state_is_invisible_to_other_turns(store):
    state = await state_of(store)
    state["last_query"] = "tea"

    assert state["last_query"] == "tea"
    assert dict(state.sibling()) == {}
    assert dict(await state_of(store)) == {}


async def test_change_by_another_turn_is_not_overwritten(store):
    states = [await state_of(store), await state_of(store, BOB_AT_HOME)]
    for state in states:
        state["chat:count"] = state.get("chat:count", 0) + 1
    await states[0].commit()
    with pytest.raises(StateConflict):
        await states[1].commit()
    states[1].discard()
    states[1]["chat:count"] += 1
    await states[1].commit()

    assert (await state_of(store))["chat:count"] == 2


async def test_changes_of_other_values_by_another_turn_are_no_conflict(store):
    states = [await state_of(store), await state_of(store, BOB_AT_HOME)]
    for key, state in zip(("chat:tea", "chat:milk"), states, strict=True):
        state[key] = state.get(key, 0) + 1
        await state.commit()

    assert dict(await state_of(store)) == {"chat:tea": 1, "chat:milk": 1}


@pytest.mark.parametrize(
    ("key", "other", "is_shared"),
    [
        ("color", WORK, False),
        ("user:color", WORK, True),
        ("user:color", BOB_AT_HOME, False),
        ("chat:color", BOB_AT_HOME, True),
        ("chat:color", WORK, False),
        ("app:color", BOB_AT_HOME, True),
        ("temp:color", HOME, False),
    ],
)
async def test_prefix_of_a_key_is_its_scope(store, key, other, is_shared):
    state = await state_of(store)
    state[key] = "red"
    await state.commit()

    assert ((await state_of(store, other)).get(key) == "red") is is_shared


@pytest.mark.parametrize(("scope", "prefix"), [("person", "user:"), ("chat", "chat:"), ("app", "app:")])
async def test_scope_has_the_values_under_its_prefix(store, scope, prefix):
    state = await state_of(store)
    values = getattr(state, scope)
    values["color"] = "red"
    values["size"] = 3
    del values["size"]

    assert dict(values) == {"color": "red"}
    assert dict(state) == {f"{prefix}color": "red"}


class Basket(BaseModel):
    items: list[str]
    until: date


async def test_value_is_read_as_an_instance_of_a_class(store):
    state = await state_of(store)
    basket = Basket(items=["tea"], until=date(2026, 11, 27))
    state.chat["basket"] = basket.model_dump(mode="json")
    state["sizes"] = [1, 2]

    assert state.chat.get_as(Basket, "basket") == basket
    assert state.get_as(list[int], "sizes") == [1, 2]
    assert state.get_as(int, "count") is None
    assert state.get_as(int, "count", 7) == 7


async def test_value_of_another_type_is_reported_with_its_key(store):
    state = await state_of(store)
    state["count"] = "three"

    with pytest.raises(TypeError, match="state 'count' cannot be read as <class 'int'>"):
        state.get_as(int, "count")


async def test_temporary_value_is_visible_to_the_other_calls_of_the_turn(store):
    state = await state_of(store)
    state["temp:draft"] = "one"
    await state.commit()

    assert state.sibling()["temp:draft"] == "one"


async def test_list_changed_in_place_is_stored(store):
    state = await state_of(store)
    state["history"] = ["a"]
    await state.commit()
    again = await state_of(store)
    again["history"].append("b")
    await again.commit()

    assert (await state_of(store))["history"] == ["a", "b"]


async def test_list_changed_in_place_is_invisible_before_the_commit(store):
    state = await state_of(store)
    state["history"] = ["a"]
    await state.commit()
    state["history"].append("b")

    assert state.sibling()["history"] == ["a"]


async def test_value_that_was_only_read_does_not_overwrite_the_value_of_another_call(store):
    state = await state_of(store)
    state["history"] = ["a"]
    await state.commit()
    reader, writer = state.sibling(), state.sibling()
    assert reader["history"] == ["a"]
    writer["history"] = ["a", "b"]
    await writer.commit()
    await reader.commit()

    assert state.sibling()["history"] == ["a", "b"]


async def test_a_value_is_removed(store):
    state = await state_of(store)
    state["a"], state["b"] = 1, None
    await state.commit()
    del state["a"]
    gone = "a" in state
    await state.commit()

    assert gone is False
    assert dict(await state_of(store)) == {"b": None}


async def test_value_that_is_not_json_is_refused_when_written(store):
    state = await state_of(store)

    with pytest.raises(TypeError, match="a set cannot be kept"):
        state["names"] = {"ann"}


@tool_function()
async def remember(word: str, ctx: CallContext, then: str = "") -> str:
    """Remember a word."""
    ctx.state["word"] = word
    if then == "fail":
        raise ToolFailed("no")
    if then == "wait":
        await asyncio.sleep(3600)
    return "kept"


@pytest.fixture
def router():
    registry = Registry()
    registry.register(remember)
    return FunctionCallRouter(registry, default_timeout=5.0)


def call(**arguments):
    return ToolCall(id="1", name="remember", arguments=arguments)


async def test_successful_call_stores_its_state(router, store, context_of):
    context = replace(context_of(), state=await state_of(store))
    await router.dispatch(call(word="tea"), context)

    assert dict(await state_of(store)) == {"word": "tea"}


@pytest.mark.looptime
@pytest.mark.parametrize("then", ["fail", "wait"])
async def test_failed_or_slow_call_stores_no_state(router, store, context_of, then):
    context = replace(context_of(), state=await state_of(store))
    result = await router.dispatch(call(word="tea", then=then), context)

    assert not result.ok
    assert dict(await state_of(store)) == {}


async def test_call_turned_into_a_failure_by_a_hook_stores_no_state(router, store, context_of):
    router.hooks = ToolHooks(after=[lambda call, ctx, result: ToolResult.failed("audited")])
    await router.dispatch(call(word="tea"), replace(context_of(), state=await state_of(store)))

    assert dict(await state_of(store)) == {}


class FullStore(MemoryScopeStore):
    async def commit(self, deltas):
        raise OSError("disk full")


async def test_failure_of_the_store_fails_the_call(router, context_of):
    result = await router.dispatch(call(word="tea"), replace(context_of(), state=await state_of(FullStore())))

    assert not result.ok


async def test_change_with_a_receipt_is_reported_even_if_the_state_was_not_stored(router, context_of):
    done = ToolResult(ok=True, receipts=(Receipt(action="set", subject="r1"),))
    router.hooks = ToolHooks(after=[lambda call, ctx, result: done])
    result = await router.dispatch(call(word="tea"), replace(context_of(), state=await state_of(FullStore())))

    assert result.ok


def test_the_context_is_not_in_the_schema(router):
    assert set(router.registry.specs[0].parameters["properties"]) == {"word", "then"}
