"""Models without native function calls, for messages that the rules do not understand."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from bot.app.language_models import model_interpreter
from bot.config.settings import BotSettings, ModelSettings, SearchSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import NO_PLUGINS, build_in_memory
from bot.testing.models import ScriptedModel
from bot.testing.platform import FakePlatform
from function_calls import tool_function

pytestmark = pytest.mark.looptime


class Lamp:
    @tool_function
    async def lamp_switch(self, is_on: bool) -> str:
        """Switch the lamp of the kitchen."""
        return "on" if is_on else "off"


@asynccontextmanager
async def group(script, style="json_router", functions=(), search=None):
    """Run a bot in a group with a model that plays `script`."""
    model, clock = ScriptedModel(script), LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    settings = Settings(bot=BotSettings(timezone="UTC"), plugins=NO_PLUGINS, search=search or SearchSettings())
    interpreter = model_interpreter(model, ModelSettings(function_calling=style))
    platform = FakePlatform(clock)
    async with build_in_memory(
        settings, platforms=[platform], interpreter=interpreter, clock=clock, functions=functions
    ):
        yield platform, model


@pytest.mark.parametrize("style", ["json_router", "prompt"])
async def test_talk_and_plain_requests_are_not_sent_to_the_model(style):
    async with group([], style) as (platform, model):
        await platform.say("did anyone pay the wifi bill")
        await platform.say("bubbles saved my week, honestly")
        assert platform.texts == []
        await platform.say("bubbles, remind me tomorrow at 9 to call mum")
        await platform.say("make it 10")

    assert "call mum" in platform.texts[0]
    assert "10:00" in platform.texts[1]
    assert model.shown == []


async def test_message_to_the_bot_that_the_rules_do_not_understand_is_sent_to_the_model():
    async with group(['{"tool": "none"}', "A goat walks into a bar."]) as (platform, _):
        await platform.say("bubbles, tell me a joke")

    assert platform.texts == ["A goat walks into a bar."]


async def test_question_is_looked_up_first_and_answered_by_the_model():
    async with group(["The venue is the Crown."]) as (platform, model):
        await platform.say("the venue is the Crown on Mill Road")
        await platform.say("bubbles, where is the venue?")

    assert "Crown on Mill Road" in str(model.shown[0].messages)
    assert platform.texts == ["The venue is the Crown."]


async def test_question_that_the_rules_would_search_the_web_for_is_sent_to_the_model():
    search = SearchSettings(searxng_url="http://127.0.0.1:9")
    async with group(['{"tool": "none"}', "Fine, thanks."], search=search) as (platform, _):
        await platform.say("bubbles, how are you today?")

    assert platform.texts == ["Fine, thanks."]


async def test_message_that_may_be_for_another_tool_is_sent_to_the_model():
    async with group(['{"tool": "lamp_switch", "is_on": true}', "It is on."], functions=[Lamp()]) as (platform, model):
        await platform.say("it's dark, lamp on please")

    assert model.shown


async def test_model_with_native_function_calling_reads_every_message():
    async with group(["Fine."], "native") as (platform, model):
        await platform.say("bubbles, remind me tomorrow at 9 to call mum", is_private=True)

    assert model.shown
