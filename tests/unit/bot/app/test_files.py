"""Files and pictures that a tool returns."""

import pytest
from msgspec.structs import replace

from bot.config.settings import BotSettings, Settings
from bot.testing.in_memory import build_in_memory
from bot.testing.models import ScriptedInterpreter
from function_calls.model_calls.transcript import result_text
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolCall, ToolResult
from services.call_log.service import CallLog
from services.kernel.chat import SentFile

pytestmark = pytest.mark.looptime

PLOT = SentFile(name="plot.png", media_type="image/png", content=b"\x89PNG" + bytes(1500))


class Painter:
    @tool_function(returns="reply")
    async def plot(self) -> ToolResult:
        """Draw a plot."""
        return ToolResult(ok=True, text="Here it is.", files=(PLOT,))

    @tool_function()
    async def sketch(self) -> SentFile:
        """Draw a sketch."""
        return PLOT


def bot(platform, clock, name, *, answer=""):
    script = [[ToolCall(id="1", name=name, arguments={})], *([answer] if answer else [])]
    return build_in_memory(
        Settings(bot=BotSettings(timezone="UTC")),
        platforms=[platform],
        functions=[Painter()],
        interpreter=ScriptedInterpreter(script),
        clock=clock,
    )


async def test_a_file_goes_to_the_chat_with_the_answer(platform, clock):
    platform.capabilities = replace(platform.capabilities, files=True)
    async with bot(platform, clock, "plot"):
        await platform.say("bubbles, plot")

    assert (platform.texts, platform.sent[0][1].files) == (["Here it is."], (PLOT,))


async def test_returned_file_is_sent_with_the_models_text(platform, clock):
    platform.capabilities = replace(platform.capabilities, files=True)
    async with bot(platform, clock, "sketch", answer="A sketch."):
        await platform.say("bubbles, sketch")

    assert (platform.texts, platform.sent[0][1].files) == (["A sketch."], (PLOT,))


async def test_without_files_their_names_are_shown(platform, clock):
    async with bot(platform, clock, "plot"):
        await platform.say("bubbles, plot")

    assert platform.texts == ["Here it is.\n📎 plot.png (image/png, 2 kB)"]
    assert platform.sent[0][1].files == ()


async def test_the_record_names_the_file_and_does_not_hold_it(platform, clock):
    async with bot(platform, clock, "plot") as app:
        message = await platform.say("bubbles, plot")
        (call,) = await app.services.get(CallLog).of_message(message.address, message.id)

    assert call["result"] == "Here it is.\n[The person is sent plot.png: image/png, 2 kB]"


def test_model_sees_a_file_without_its_content():
    text = result_text(ToolResult(ok=True, value={"points": 3}, files=(PLOT,)))

    assert text == '{"points": 3}\n[The person is sent plot.png: image/png, 2 kB]'
