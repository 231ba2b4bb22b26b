"""Reports of tools that return unusable results or block the event loop."""

import asyncio
import time

import pytest
from loguru import logger
from msgspec.structs import replace

from function_calls.registry import Registry, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.dispatch.execution import MAX_TEXT_LENGTH, can_retry
from services.kernel.errors import StorageFull

pytestmark = pytest.mark.asyncio


class Cup:
    """A class that says nothing of itself."""


async def brew() -> str:
    """Brew."""
    return "tea"


async def forget_the_await() -> object:
    """Forget an await."""
    return brew()


async def hand_over_a_cup() -> object:
    """Hand over a cup."""
    return {"cups": [Cup()]}


async def go_in_circles() -> object:
    """Go in circles."""
    circle = []
    circle.append(circle)
    return circle


@pytest.fixture
def logged():
    records = []
    sink = logger.add(lambda line: records.append(line.record), level="WARNING")
    yield records
    logger.remove(sink)


async def call_tool(function, context, **options):
    registry = Registry()
    registry.collect(tool_function(**options)(function))
    return await FunctionCallRouter(registry).dispatch(ToolCall(id="1", name=function.__name__, arguments={}), context)


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (forget_the_await, "returned the coroutine brew; an `await` before the call is missing"),
        (hand_over_a_cup, "returned a Cup, whose text has no information; return text, a dict or a model"),
        (go_in_circles, "returned a list that has no form in JSON (Circular reference detected (id repeated))"),
    ],
)
async def test_unserialisable_result_fails_and_is_logged_for_its_author(context_of, logged, tool, expected):
    result = await call_tool(tool, context_of())

    assert result.text == f"Something went wrong on my side ({tool.__name__}). It has been logged."
    assert result.for_model() == {"error": f"Tool '{tool.__name__}' {expected}"}
    assert logged[0]["message"] == f"tool {tool.__name__} {expected}"
    assert logged[0]["exception"] is None


@pytest.mark.parametrize(
    ("changes_state", "expected"),
    [
        (False, "It has been logged."),
        (True, "It has been logged. Part of it may have been done: please check before you ask again."),
    ],
)
async def test_crash_of_a_changing_tool_is_reported_as_a_possible_change(context_of, changes_state, expected):
    async def pour() -> str:
        """Pour."""
        raise RuntimeError

    result = await call_tool(pour, context_of(), changes_state=changes_state)

    assert result.text == f"Something went wrong on my side (pour). {expected}"


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "part of it may have been done: please check before you ask again."),
        ("zh", "可能已经做了一部分，请先查看，"),
    ],
)
async def test_full_disk_is_reported_as_a_possible_change(context_of, language, expected):
    done = []

    async def pour_twice() -> str:
        """Pour twice."""
        done.append("the first cup")
        raise StorageFull("cups.db")

    result = await call_tool(pour_twice, replace(context_of(), language=language), changes_state=True)

    assert done
    assert expected in result.text


async def test_long_result_is_shortened_for_people_and_complete_for_models(context_of, logged):
    async def read_aloud() -> str:
        """Read aloud."""
        return "tea\n" * 1_000_000

    result = await call_tool(read_aloud, context_of())

    assert len(result.text) < MAX_TEXT_LENGTH + 100
    assert result.text.endswith("… 3988000 more characters are left out here.")
    assert len(result.for_model()) == 4_000_000
    assert "result of tool read_aloud is too long" in logged[0]["message"]


async def test_empty_reply_is_logged_for_its_author(context_of, logged):
    async def print_it() -> None:
        """Print it."""

    result = await call_tool(print_it, context_of(), returns="reply")

    assert result.ok
    assert logged[0]["message"] == "empty reply of tool print_it; it has to return its text, not print it"


async def test_tool_that_blocks_the_event_loop_is_logged(context_of, logged):
    async def hold_still() -> str:
        """Hold still."""
        time.sleep(1.4)  # noqa: ASYNC251 - the mistake that is to be told
        return "done"

    await call_tool(hold_still, context_of())

    assert "event loop blocked for 1." in logged[0]["message"]
    assert "while tool hold_still ran" in logged[0]["message"]


async def test_tool_that_waits_or_uses_a_thread_is_not_logged(context_of, logged):
    async def wait() -> str:
        """Wait."""
        await asyncio.sleep(1.3)
        return "done"

    def work() -> str:
        """Work."""
        time.sleep(1.3)
        return "done"

    await asyncio.gather(call_tool(wait, context_of()), call_tool(work, context_of()))

    assert logged == []


@pytest.mark.parametrize(
    ("result", "may_succeed"),
    [
        (ToolResult.failed("late", kind="timeout", cause="timed_out"), True),
        (ToolResult.failed("ValueError", cause="crashed"), True),
        (ToolResult.failed("the server answered 502"), True),
        (ToolResult.refused("time_in_past", "has passed"), False),
        (ToolResult.failed("not allowed", kind="denied"), False),
        (ToolResult(ok=False, error="time: required", is_correctable=True), False),
        (ToolResult(ok=True, text="tea"), False),
    ],
)
async def test_refused_call_is_not_retried(result, may_succeed):
    assert can_retry(result) is may_succeed


@pytest.mark.parametrize("value", ["a\ud800\0", {"names": ["a\ud800\0"]}])
async def test_half_a_character_and_nul_in_a_result_are_replaced(context_of, value):
    async def list_names() -> ToolResult:
        """List names."""
        return ToolResult(ok=True, text="a\ud800\0", value=value)

    result = await call_tool(list_names, context_of())

    assert result.text == "a\ufffd\ufffd"
    assert result.value in ("a\ufffd\ufffd", {"names": ["a\ufffd\ufffd"]})
