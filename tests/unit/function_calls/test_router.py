"""Dispatch of calls to functions, with failures, timeouts and results."""

import asyncio
import json
import sys
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import MappingProxyType

import pytest
from loguru import logger
from pydantic import BaseModel, Field, JsonValue

from function_calls.registry import Registry, ToolNameTaken, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused, ToolFailed


class PourArgs(BaseModel):
    """What to pour."""

    drink: str = Field(min_length=1, description="What to pour.")
    cups: int = Field(default=1, ge=1, le=3, description="How many cups.")


def router_of(*functions, **options):
    registry = Registry()
    for function in functions:
        registry.register(function)
    return FunctionCallRouter(registry, **options)


def call(name="pour", **arguments):
    return ToolCall(id="1", name=name, arguments=arguments)


@tool_function(returns="reply")
async def pour(args: PourArgs, ctx: CallContext) -> str:
    """Pour a drink."""
    return f"{args.cups} cup(s) of {args.drink} for {ctx.sender.name}"


async def test_a_call_reaches_the_function_with_its_argument_model_and_context(context_of):
    result = await router_of(pour).dispatch(call(drink="tea", cups=2), context_of())

    assert result.ok
    assert result.text == "2 cup(s) of tea for ann"


@pytest.mark.parametrize("arguments", [{}, {"drink": ""}, {"drink": "tea", "cups": "2"}, {"drink": "tea", "cups": 9}])
async def test_invalid_arguments_never_reach_the_function(context_of, arguments):
    reached = []

    @tool_function(name="pour")
    async def watched(args: PourArgs) -> None:
        """Pour a drink."""
        reached.append(args)

    result = await router_of(watched).dispatch(call(**arguments), context_of())

    assert not result.ok
    assert reached == []


async def test_arguments_that_are_nested_too_deeply_are_refused(context_of):
    @tool_function
    async def store(value: JsonValue) -> str:
        """Store a value."""
        return "stored"

    value: JsonValue = "tea"
    for _ in range(300):
        value = [value]
    result = await router_of(store).dispatch(call("store", value=value), context_of())

    assert not result.ok
    assert "nested too deeply" in result.error


async def test_an_unknown_tool_is_answered_with_the_nearest_name(context_of):
    result = await router_of(pour).dispatch(call("poor"), context_of())

    assert not result.ok
    assert "did you mean pour?" in result.error


async def test_slow_tool_times_out_with_the_exact_error(context_of):
    @tool_function(timeout=0.01)
    async def slow_tool() -> None:
        """Take for ever."""
        await asyncio.sleep(3600)

    result = await router_of(slow_tool).dispatch(call("slow_tool"), context_of())

    assert result.error == "Tool 'slow_tool' timed out after 0.0s"


async def test_default_timeout_holds_for_tools_without_their_own(context_of):
    @tool_function()
    async def slow_tool() -> None:
        """Take for ever."""
        await asyncio.sleep(3600)

    result = await router_of(slow_tool, default_timeout=0.01).dispatch(call("slow_tool"), context_of())

    assert "timed out" in result.error


async def test_refusal_has_a_message_for_the_person(context_of):
    @tool_function()
    async def refuse() -> None:
        """Refuse."""
        raise RequestRefused("weekday_missing")

    result = await router_of(refuse).dispatch(call("refuse"), context_of())

    assert not result.ok
    assert result.text.startswith("Which day of the week?")


async def test_crash_tells_the_person_no_private_details(context_of):
    @tool_function()
    async def crash() -> None:
        """Crash."""
        raise ValueError("the password is hunter2")

    result = await router_of(crash).dispatch(call("crash"), context_of())

    assert "hunter2" not in result.text + result.error
    assert "ValueError" in result.error


async def test_failure_of_a_tool_keeps_its_message(context_of):
    @tool_function()
    async def fail() -> None:
        """Fail."""
        raise ToolFailed("the kettle is empty")

    result = await router_of(fail).dispatch(call("fail"), context_of())

    assert "the kettle is empty" in result.text


async def test_returned_failure_without_a_text_is_reported_too(context_of):
    @tool_function()
    async def fail() -> ToolResult:
        """Fail."""
        return ToolResult.failed("the kettle is empty")

    result = await router_of(fail).dispatch(call("fail"), context_of())

    assert result.text == "That did not work (fail): the kettle is empty"


async def test_timeout_inside_a_tool_is_not_that_of_the_router(context_of):
    @tool_function(timeout=30)
    async def impatient() -> None:
        """Raise a timeout of its own."""
        raise TimeoutError("inner")

    result = await router_of(impatient).dispatch(call("impatient"), context_of())

    assert "timed out" not in result.error


async def test_a_sync_function_runs_beside_the_event_loop(context_of):
    import threading

    @tool_function()
    def where() -> str:
        """Say where it runs."""
        return threading.current_thread().name

    result = await router_of(where).dispatch(call("where"), context_of())

    assert result.text != threading.main_thread().name


@pytest.mark.parametrize(
    ("options", "written", "is_allowed"),
    [
        ({"permission": "admins"}, {}, False),
        ({"scope": "group"}, {"is_private": True}, False),
        ({"scope": "group"}, {"is_private": False}, True),
        ({"scope": "private"}, {"is_private": False}, False),
        ({"scope": "private"}, {"is_private": True}, True),
    ],
)
async def test_options_of_the_decorator_are_enforced_at_the_call(context_of, options, written, is_allowed):
    @tool_function(**options)
    async def guarded() -> str:
        """Be guarded."""
        return "done"

    result = await router_of(guarded).dispatch(call("guarded"), context_of(**written))

    assert result.ok is is_allowed


async def test_a_result_that_is_not_a_dict_is_wrapped_for_the_model(context_of):
    @tool_function()
    async def count() -> int:
        """Count."""
        return 3

    result = await router_of(count).dispatch(call("count"), context_of())

    assert result.value == {"result": 3}


class Trip(BaseModel):
    """A trip."""

    day: date
    stops: set[str]


@dataclass
class Ticket:
    """A ticket."""

    trip: Trip
    price: Decimal


async def test_any_result_is_json_for_the_model_and_the_record(context_of):
    @tool_function
    async def book() -> Ticket:
        """Book a trip."""
        return Ticket(trip=Trip(day=date(2026, 3, 4), stops={"Rome"}), price=Decimal("12.50"))

    result = await router_of(book).dispatch(call("book"), context_of())

    assert result.for_model() == {"trip": {"day": "2026-03-04", "stops": ["Rome"]}, "price": "12.50"}
    assert json.loads(result.text) == result.for_model()


async def test_value_without_a_json_form_is_its_text(context_of):
    @tool_function
    async def look() -> list[object]:
        """Look."""
        return [1j, MappingProxyType({"a": {1}}), b"\xff", None]

    result = await router_of(look).dispatch(call("look"), context_of())

    assert result.for_model() == {"result": ["1j", {"a": [1]}, "_w==", None]}


def leave():
    """Leave the program."""
    sys.exit("the author forgot that this is no program")


async def leave_while_waiting():
    """Leave the program."""
    sys.exit(1)


def find_nothing():
    """Find nothing."""
    return next(iter(()))


async def wait_for_cancelled_task():
    """Wait for something that somebody else has given up."""
    gone = asyncio.get_running_loop().create_future()
    gone.cancel()
    await gone


@pytest.mark.parametrize("tool", [leave, leave_while_waiting, find_nothing, wait_for_cancelled_task])
async def test_any_error_of_a_tool_fails_only_its_call(context_of, tool):
    result = await router_of(tool).dispatch(call(tool.__name__), context_of())

    assert not result.ok
    assert result.cause == "crashed"


async def test_cancelled_call_is_no_failure(context_of):
    @tool_function
    async def brew() -> None:
        """Brew."""
        has_started.set()
        await asyncio.Event().wait()

    has_started = asyncio.Event()
    calling = asyncio.create_task(router_of(brew).dispatch(call("brew"), context_of()))
    await has_started.wait()
    calling.cancel()

    with pytest.raises(asyncio.CancelledError):
        await calling


async def test_tool_may_return_its_own_result(context_of):
    @tool_function()
    async def own() -> ToolResult:
        """Return a result."""
        return ToolResult(ok=True, ending="answered")

    result = await router_of(own).dispatch(call("own"), context_of())

    assert result.ending == "answered"


def test_two_tools_with_one_name_are_refused():
    with pytest.raises(ToolNameTaken, match="pour"):
        router_of(pour, pour)


def test_register_returns_a_function_that_unregisters():
    registry = Registry()
    unregister = registry.register(pour)
    before = [spec.name for spec in registry.specs]
    unregister()

    assert before == ["pour"]
    assert registry.specs == ()


async def test_log_has_the_reason_of_a_failed_call_and_no_message_text(context_of):
    @tool_function()
    async def refuse(reference: str) -> None:
        """Refuse."""
        raise RequestRefused("memory_unknown", reference=reference)

    lines = []
    sink = logger.add(lines.append, level="INFO")
    await router_of(refuse, pour).dispatch(call("refuse", reference="my diagnosis"), context_of())
    await router_of(refuse, pour).dispatch(call(drink="", cups="my diagnosis"), context_of())
    logger.remove(sink)

    assert "tool refuse failed" in lines[0]
    assert "memory_unknown" in lines[0]
    assert not any("diagnosis" in line for line in lines)
