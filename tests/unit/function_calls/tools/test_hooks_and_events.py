"""Hooks around tool calls, and the events of the bus."""

import asyncio

import pytest
from loguru import logger
from msgspec.structs import replace

from function_calls.registry import Registry, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.dispatch.events import EventBus
from function_calls.tools.dispatch.hooks import ToolHooks


@tool_function()
async def double(number: int) -> int:
    """Double a number."""
    return number * 2


@pytest.fixture
def hooks():
    return ToolHooks()


@pytest.fixture
def events():
    return EventBus()


@pytest.fixture
def router(hooks, events):
    registry = Registry()
    registry.register(double)
    return FunctionCallRouter(registry, hooks=hooks, events=events)


CALL = ToolCall(id="1", name="double", arguments={"number": 2})


async def test_a_before_hook_may_answer_instead_of_the_tool(router, hooks, context_of):
    hooks.before.append(lambda call, ctx: ToolResult.failed("blocked"))
    result = await router.dispatch(CALL, context_of())

    assert result.error == "blocked"


async def test_dictionary_of_a_before_hook_is_the_result(router, hooks, context_of):
    hooks.before.append(lambda call, ctx: {"blocked": True} if call.name == "double" else None)
    result = await router.dispatch(CALL, context_of())

    assert (result.ok, result.value, result.text) == (True, {"blocked": True}, '{"blocked": true}')


async def test_dictionary_of_an_after_hook_is_the_value(router, hooks, context_of):
    hooks.after.append(lambda call, ctx, result: {**result.response, "audited": True})
    result = await router.dispatch(CALL, context_of())

    assert result.value == {"result": 4, "audited": True}


@pytest.mark.parametrize("value", ["tea", None, [1]])
async def test_response_in_an_after_hook_is_a_dictionary_for_every_value(value, hooks, context_of):
    async def fetch():
        """Fetch it."""
        return value

    registry = Registry()
    registry.register(fetch)
    hooks.after.append(lambda call, ctx, result: {**result.response, "audited": True})

    result = await FunctionCallRouter(registry, hooks=hooks).dispatch(
        ToolCall(id="1", name="fetch", arguments={}), context_of()
    )

    assert result.for_model() == {"result": value, "audited": True}


async def test_dictionary_with_the_error_of_a_failure_leaves_the_failure(router, hooks, context_of):
    hooks.after.append(lambda call, ctx, result: {**result.response, "audited": True})
    result = await router.dispatch(ToolCall(id="1", name="unknown", arguments={}), context_of())

    assert (result.ok, result.error) == (False, "no tool named 'unknown'; there are: double")


async def test_dictionary_of_an_after_hook_replaces_a_failure(router, hooks, context_of):
    hooks.after.append(lambda call, ctx, result: {"number": 0})
    result = await router.dispatch(ToolCall(id="1", name="unknown", arguments={}), context_of())

    assert (result.ok, result.value) == (True, {"number": 0})


@pytest.mark.parametrize("place", ["before", "after"])
async def test_other_answer_of_a_hook_fails_the_call_and_the_log_names_the_hook(place, router, hooks, context_of):
    getattr(hooks, place).append(lambda *arguments: "blocked")
    lines = []
    sink = logger.add(lines.append, level="ERROR")
    result = await router.dispatch(CALL, context_of())
    logger.remove(sink)

    assert not result.ok
    assert f"hook {place} a tool " in lines[0]
    assert f"<lambda> ({__file__}:" in lines[0]
    assert "returned str; return " in lines[0]


@pytest.mark.parametrize("value", ["tea", None, [1], 2, True])
async def test_response_of_an_event_is_a_dictionary(value, context_of):
    async def fetch():
        """Fetch it."""
        return value

    registry, seen = Registry(), []
    registry.register(fetch)
    router = FunctionCallRouter(registry)
    router.events.subscribe("tool.result", lambda event: seen.append(event.data))

    await router.dispatch(ToolCall(id="1", name="fetch", arguments={}), context_of())

    assert seen == [{"tool": "fetch", "response": {"result": value}}]


async def test_a_before_hook_may_change_the_arguments(router, hooks, context_of):
    async def more(call, ctx):
        return replace(call, arguments={"number": 5})

    hooks.before.append(more)
    result = await router.dispatch(CALL, context_of())

    assert result.value == {"result": 10}


async def test_arguments_that_a_hook_changed_are_checked_too(router, hooks, context_of):
    hooks.before.append(lambda call, ctx: replace(call, arguments={"number": "five"}))
    result = await router.dispatch(CALL, context_of())

    assert not result.ok


async def test_an_after_hook_may_change_the_result(router, hooks, context_of):
    hooks.after.append(lambda call, ctx, result: replace(result, value={"audited": True}))
    result = await router.dispatch(CALL, context_of())

    assert result.value == {"audited": True}


async def test_after_hook_without_a_value_leaves_the_result(router, hooks, context_of):
    hooks.after.append(lambda call, ctx, result: None)
    result = await router.dispatch(CALL, context_of())

    assert result.value == {"result": 4}


async def test_a_hook_that_raises_is_a_failed_call(router, hooks, context_of):
    def broken(call, ctx):
        raise RuntimeError("bug")

    hooks.before.append(broken)
    result = await router.dispatch(CALL, context_of())

    assert not result.ok


async def test_bus_sends_the_call_and_its_result(router, events, context_of):
    received = []
    events.subscribe("tool.call", lambda event: received.append((event.name, dict(event.data))))
    events.subscribe("tool.result", lambda event: received.append((event.name, dict(event.data))))
    await router.dispatch(CALL, context_of())

    assert received == [
        ("tool.call", {"tool": "double", "args": {"number": 2}}),
        ("tool.result", {"tool": "double", "response": {"result": 4}}),
    ]


async def test_a_complete_event_has_timing_and_ids(router, events, context_of):
    received = []
    events.subscribe("tool.complete", received.append)
    await router.dispatch(CALL, context_of())

    assert received[0].message_id == "m1"
    assert received[0].data["id"] == "1"
    assert received[0].data["duration_ms"] > 0


async def test_a_listener_that_raises_breaks_neither_the_call_nor_the_others(router, events, context_of):
    received = []

    async def broken(event):
        raise RuntimeError("bug")

    events.subscribe("*", broken)
    events.subscribe("*", received.append)
    result = await router.dispatch(CALL, context_of())

    assert result.ok
    assert [event.name for event in received] == ["tool.call", "tool.start", "tool.result", "tool.complete"]


async def await_something_cancelled(*_):
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


def exit_python(*_):
    raise SystemExit(1)


@pytest.mark.parametrize("failing", [await_something_cancelled, exit_python])
async def test_hook_or_listener_cannot_end_the_task_of_the_call(failing, router, hooks, events, context_of):
    events.subscribe("*", failing)
    result = await router.dispatch(CALL, context_of())
    hooks.before.append(failing)
    hooked = await router.dispatch(CALL, context_of())

    assert (result.ok, hooked.ok, hooked.cause) == (True, False, "crashed")


async def test_call_is_cancelled_while_a_listener_waits(router, events, context_of):
    is_waiting = asyncio.Event()

    async def wait(event):
        is_waiting.set()
        await asyncio.sleep(60)

    events.subscribe("*", wait)
    task = asyncio.create_task(router.dispatch(CALL, context_of()))
    await is_waiting.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.looptime
async def test_endless_listener_delays_the_call_only_for_a_time(router, events, context_of):
    received = []

    async def endless(event):
        await asyncio.Event().wait()

    events.subscribe("tool.call", endless)
    events.subscribe("tool.call", received.append)
    result = await router.dispatch(CALL, context_of())

    assert result.ok
    assert len(received) == 1


async def test_ended_subscription_receives_nothing(router, events, context_of):
    received = []
    events.subscribe("*", received.append)()
    await router.dispatch(CALL, context_of())

    assert received == []
