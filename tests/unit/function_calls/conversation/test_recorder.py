"""Records of calls and turns."""

import json

import pytest

from function_calls.conversation.records.recorder import TurnRecorder
from function_calls.registry import Registry, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import SpawnedTask, Step, ToolCall, ToolResult
from services.call_log.model import CompletionRecord, UsageCost
from services.call_log.service import CallLog
from services.call_log.usage import current_usage
from services.storage.records.store import SqlCallStore


@tool_function(timeout=0.1)
async def slow() -> str:
    """Take too long."""
    import asyncio

    await asyncio.sleep(5)
    return "done"


@tool_function(permission="admins")
async def guarded() -> str:
    """Do what admins may."""
    return "done"


@tool_function()
async def broken() -> str:
    """Break."""
    raise ValueError("oh")


@tool_function()
async def look(place: str) -> dict[str, str]:
    """Look somewhere."""
    return {"seen": place}


@pytest.fixture
def log(sqlite_database):
    return CallLog(SqlCallStore(sqlite_database))


@pytest.fixture
def router(log):
    registry = Registry()
    for function in (slow, guarded, broken, look):
        registry.register(function)
    return FunctionCallRouter(registry, on_dispatched=TurnRecorder(log).record_call)


async def list_records(log, context, name="m1"):
    return list(await log.of_message(context.chat, name))


@pytest.mark.parametrize(
    ("name", "status", "error"),
    [
        ("slow", "timeout", "Tool 'slow' timed out after 0.1s"),
        ("guarded", "denied", "not allowed: admins_only"),
        ("broken", "error", "Tool 'broken' failed: ValueError"),
        ("nowhere", "error", "no tool named 'nowhere'"),
    ],
)
async def test_each_kind_of_failure_has_its_status(router, log, context_of, name, status, error):
    context = context_of()
    await router.dispatch(ToolCall(id="1", name=name, arguments={}), context)

    (call,) = await list_records(log, context)

    assert (call["status"], call["result"]) == (status, None)
    assert call["error"].startswith(error)


async def test_call_outside_of_a_turn_names_its_entry_point(router, log, context_of):
    from msgspec.structs import replace

    context = replace(context_of(), entry_point="http")
    await router.dispatch(ToolCall(id="1", name="look", arguments={"place": "窗"}), context)

    await log.drain()
    (call,) = await log._store.calls(context.chat.key, ["m1"])

    assert (call.route, call.round, call.result, call.arguments) == ("http", 0, '{"seen": "窗"}', '{"place": "窗"}')


async def test_a_long_result_is_stored_whole(log, context_of):
    @tool_function(name="read")
    async def read() -> str:
        """Read a book."""
        return "page " * 20_000

    registry = Registry()
    registry.register(read)
    context = context_of()
    reading = FunctionCallRouter(registry, on_dispatched=TurnRecorder(log).record_call)
    await reading.dispatch(ToolCall(id="1", name="read", arguments={}), context)

    await log.drain()
    (call,) = await log._store.calls(context.chat.key, ["m1"])

    assert call.result == "page " * 20_000


async def test_metrics_count_each_call_once(router, log, context_of, turn):
    recorder = TurnRecorder(log)
    context = context_of()
    with recorder.turn(turn):
        tally = current_usage()
        tally.begin_round("model")
        tally.add(
            CompletionRecord(model="m", round=1, charge=UsageCost(prompt_tokens=10, completion_tokens=5, cost=0.5))
        )
        for place in ("a", "b"):
            await router.dispatch(ToolCall(id=place, name="look", arguments={"place": place}), context)

    record = await log.turn(turn.message.id)
    calls = await log.calls_of(record)

    assert [call.charge.tokens for call in calls] == [15, 0]
    assert (record.charge.tokens, record.route, record.outcome) == (15, "model", "silent")
    assert [call.model for call in calls] == ["m", ""]


async def test_an_agents_work_is_recorded_with_its_own_calls(log, context_of):
    step = Step(
        text="",
        calls=(ToolCall(id="1", name="look", arguments={"place": "x"}),),
        results=(ToolResult(ok=True, value={"seen": "x"}),),
    )
    task = SpawnedTask(agent="scout", request="look around", answer="x", steps=(step,), ok=True)
    context = context_of()
    result = ToolResult(ok=True, text="x", spawned=task)
    TurnRecorder(log).record_call(ToolCall(id="1", name="scout", arguments={"request": "look around"}), context, result)

    (call,) = await list_records(log, context)

    assert call["spawn_task"] == {
        "agent": "scout",
        "request": "look around",
        "answer": "x",
        "ok": True,
        "tool_calls": [
            {
                "name": "look",
                "arguments": {"place": "x"},
                "result": '{"seen": "x"}',
                "error": None,
                "status": "success",
                "duration": 0,
            }
        ],
    }


async def test_a_recorder_that_fails_does_not_break_the_call(context_of):
    def fail(call, context, result):
        raise OSError("disk full")

    registry = Registry()
    registry.register(look)
    result = await FunctionCallRouter(registry, on_dispatched=fail).dispatch(
        ToolCall(id="1", name="look", arguments={"place": "x"}), context_of()
    )

    assert json.loads(json.dumps(result.value)) == {"seen": "x"}
