"""Settings of the call style, for all chats and for single ones."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from bot.app.language_models import model_interpreter
from bot.config.settings import BotSettings, ModelSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import NO_PLUGINS, build_in_memory
from bot.testing.models import ScriptedInterpreter, ScriptedModel
from bot.testing.platform import FakePlatform
from bot.testing.turns import make_tool, make_turn

CHOICE = '{"tool_calls": [{"name": "get_time", "parameters": null}]}'


@pytest.mark.looptime
async def test_chat_may_have_a_call_style_of_its_own():
    settings = Settings(
        bot=BotSettings(timezone="UTC"),
        model=ModelSettings(chat_function_calling={"fake:home": "prompt"}),
        plugins=NO_PLUGINS,
    )
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform, interpreter = FakePlatform(clock), ScriptedInterpreter(["one", "two"])
    async with build_in_memory(settings, platforms=[platform], interpreter=interpreter, clock=clock):
        await platform.say("bubbles, hello", chat="home")
        await platform.say("bubbles, hello", chat="office")

    assert [turn.call_style for turn in interpreter.turns] == ["prompt", None]


async def test_task_model_and_prompt_of_the_settings_make_the_choice():
    model = ScriptedModel([CHOICE])
    settings = ModelSettings(function_calling="prompt", task_name="small", tools_prompt="Choose one of {{TOOLS}}")

    made = await model_interpreter(model, settings).interpret(make_turn("the time?", tools=[make_tool("get_time")]))

    assert [call.name for call in made.calls] == ["get_time"]
    assert model.shown[0].model == "small"
    assert model.shown[0].messages[0]["content"].startswith("Choose one of [")


def test_prompt_without_a_place_for_the_functions_is_refused():
    with pytest.raises(ValidationError, match="TOOLS"):
        ModelSettings(tools_prompt="Choose one.")
