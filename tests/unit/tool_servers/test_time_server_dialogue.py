"""The dialogue of the specification: the time in Tokyo, told by the time server, native and by prompt."""

import json

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.models import ScriptedModel, completion, requested
from bot.testing.platform import FakePlatform
from function_calls.llm import FunctionCallLLM
from function_calls.model_calls.styles.style_detection import make_styles
from function_calls.toolsets.combined import combine_external
from services.kernel.clock import SystemClock
from services.storage.database import Database
from tests.support.tool_servers.time_server import time_server

FORMAT = "format_current_time_format_time_post"
TOKYO = {"format": "%H:%M", "timezone": "Asia/Tokyo"}
SETTINGS = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))
QUESTIONS = [
    ("Bubbles, what time is it in Tokyo?", "It is 21:00 in Tokyo."),
    ("Bubbles，请告诉现在东京的时间", "东京现在是 21:00。"),
]


@pytest.fixture
async def ask_bot(toolset_of, clock):
    """Return a function that asks a bot with the time server and a scripted model, in one style of calling."""
    toolset = await toolset_of(time_server(clock))
    await toolset.refresh()

    async def ask(style, script, question):
        model, platform = ScriptedModel(script), FakePlatform(clock=SystemClock())
        interpreter = FunctionCallLLM(model, styles=make_styles(style, model))
        async with build_app(
            SETTINGS, platforms=[platform], interpreter=interpreter, database=Database("sqlite://")
        ) as app:
            combine_external(app.calls, {"time": toolset})
            await platform.say(question, sender="ann")
        return platform.texts, model

    return ask


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
async def test_native_style_calls_the_server_and_words_the_answer(ask_bot, question, answer):
    texts, model = await ask_bot("native", [completion("", requested(FORMAT, **TOKYO)), answer], question)

    assert texts == [answer]
    assert FORMAT in str(model.shown[0].tools)
    assert "21:00" in json.dumps(model.shown[1].messages)


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
async def test_prompt_style_writes_the_call_and_reads_the_output(ask_bot, question, answer):
    call = json.dumps({"tool_calls": [{"name": FORMAT, "parameters": TOKYO}]})

    texts, model = await ask_bot("prompt", [call, answer], question)

    messages = json.dumps(model.shown[1].messages, ensure_ascii=False)
    assert texts == [answer]
    assert f"Tool `{FORMAT}` Output:" in messages
    assert "21:00" in messages


SENTENCES = ["time in {timezone} as {format}", "请告诉{timezone}现在的时间，格式{format}"]


@pytest.mark.parametrize("question", ["time in Asia/Tokyo as %H:%M", "请告诉Asia/Tokyo现在的时间，格式%H:%M"])
async def test_without_a_model_an_operators_example_leads_to_the_server(toolset_of, clock, question):
    toolset = await toolset_of(time_server(clock), examples={FORMAT: SENTENCES})
    await toolset.refresh()
    platform = FakePlatform(clock=SystemClock())

    async with build_app(SETTINGS, platforms=[platform], database=Database("sqlite://")) as app:
        combine_external(app.calls, {"time": toolset})
        await platform.say(f"Bubbles, {question}", sender="ann")

    assert ["21:00" in text for text in platform.texts] == [True]
