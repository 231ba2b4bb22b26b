"""Checks of the inverse functions that tools name for undo."""

from datetime import datetime
from types import MappingProxyType

import pytest
from pydantic import BaseModel, ConfigDict

from bot.app.registry import built_in_registry
from bot.testing.models import ScriptedInterpreter
from bot.testing.turns import make_context
from function_calls.conversation.agents.agent import Agent
from function_calls.functions.reminders.answers import revert_step
from function_calls.functions.reminders.models import ReminderPutBackArgs
from function_calls.registry import Registry, ToolOptions, check_inverses, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, UndoStep
from function_calls.tools.declaration.class_tools import Tool
from function_calls.tools.errors import SignatureInvalid
from tests.unit.function_calls.recurring_reminder import make_recurring


@tool_function(undo="dark")
async def light(lamp: str, brightness: int = 100) -> str:
    """Switch a lamp on."""
    return f"{lamp} {brightness}"


async def dark(lamp: str, brightness: int = 0) -> str:
    """Switch it off again."""
    return f"{lamp} {brightness}"


class Switch(Tool):
    name = "switch"
    description = "Switch anything."
    parameters = MappingProxyType({"type": "object", "properties": {"lamp": {"type": "string"}}})

    async def run(self, args, ctx):
        return f"{args} {ctx}"


def check(*tools):
    registry = Registry()
    registry.register(tools)
    check_inverses(registry, registry)


def named_dark(function):
    return tool_function(name="dark")(function)


def test_inverse_with_the_same_arguments_is_valid():
    check(light, dark)


def test_function_with_any_argument_can_be_an_inverse():
    registry = Registry()
    registry.register(light)
    registry.register(Switch(), ToolOptions(name="dark"))

    check_inverses(registry, registry)


def test_unknown_name_is_reported_with_the_place_and_the_nearest_name():
    @tool_function(name="lights", undo="drak")
    async def lights(lamp: str) -> str:
        """Switch a lamp on."""
        return lamp

    with pytest.raises(SignatureInvalid) as error:
        check(lights, dark)

    assert (error.value.file, error.value.line) == (__file__, lights.__code__.co_firstlineno)
    assert "undo='drak' is no function" in error.value.problem
    assert error.value.fix.startswith("Write undo='dark'.")


def test_inverse_may_have_fewer_arguments():
    @named_dark
    async def simple(lamp: str) -> str:
        """Switch it off again."""
        return lamp

    check(light, simple)


async def test_inverse_gets_the_arguments_that_it_accepts():
    class DarkArgs(BaseModel):
        """Arguments of `dark`."""

        model_config = ConfigDict(extra="forbid")

        lamp: str

    @named_dark
    async def strict(args: DarkArgs) -> str:
        """Switch it off again."""
        return args.lamp

    check(light, strict)
    registry = Registry()
    registry.register([light, strict])
    call = ToolCall(id="1", name="light", arguments={"lamp": "desk", "brightness": 5})
    result = await FunctionCallRouter(registry).dispatch(call, make_context())

    assert result.receipts[0].undo == UndoStep(name="dark", arguments={"lamp": "desk"})


def test_inverse_with_more_arguments_is_reported():
    @named_dark
    async def careful(lamp: str, brightness: int) -> str:
        """Switch it off again."""
        return f"{lamp} {brightness}"

    with pytest.raises(SignatureInvalid, match="undo='dark' needs brightness, which the tool may be called without"):
        check(light, careful)


def test_class_tool_is_reported_by_its_name():
    registry = Registry()
    registry.register(Switch(), ToolOptions(undo="nothing"))

    with pytest.raises(ValueError, match="Switch: undo='nothing' is no function"):
        check_inverses(registry, registry)


def test_inverses_are_checked_when_a_bot_or_an_agent_is_built():
    with pytest.raises(SignatureInvalid, match="undo='dark' is no function"):
        built_in_registry([light])
    with pytest.raises(SignatureInvalid, match="undo='dark' is no function"):
        Agent(name="electrician", model=ScriptedInterpreter([]), tools=[light])


def test_undo_of_a_change_keeps_the_second_of_two_equal_wall_times():
    reminder = make_recurring("", start=datetime(2026, 10, 25, 2, 30, fold=1), zone="Europe/Berlin")

    arguments = ReminderPutBackArgs.model_validate(revert_step(reminder).arguments)

    assert arguments.local_start().fold == 1
