"""Functions without a result, whose calls are reported without a model."""

from datetime import UTC, datetime

import pytest

from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolResult

pytestmark = pytest.mark.looptime


@tool_function(returns="reply", examples=("water the plants", "浇花"))
async def water_plants() -> None:
    """Water the plants."""


@tool_function(returns="reply", examples=("sing a song",))
async def sing() -> ToolResult:
    """Sing, which the chat has heard already."""
    return ToolResult(ok=True, ending="answered")


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        ("water the plants", ["water_plants ran and returned nothing."]),
        ("浇花", ["water_plants 已经运行，没有返回任何内容。"]),
        ("sing a song", []),
    ],
)
async def test_function_without_a_result_is_reported_as_run(said, answers):
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    async with build_in_memory(clock=clock, platforms=[platform], functions=[water_plants, sing]):
        await platform.say(said, is_private=True)

    assert platform.texts == answers
