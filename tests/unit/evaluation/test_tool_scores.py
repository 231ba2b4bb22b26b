"""Scores of tool calls of the whole bot, with a scripted model."""

import asyncio

import pytest

from benchmarks.evaluation.bot_runner import RecordingInterpreter, run_bot
from benchmarks.evaluation.prompts import Prompt
from benchmarks.evaluation.tool_scores import judge, score
from bot.testing.models import ScriptedInterpreter
from bot.testing.turns import make_turn
from function_calls.tools.calls import ToolCall
from services.kernel.errors import ModelUnavailable

TEA = Prompt(
    text="remind me tomorrow at 9am of tea", tool="reminder_set", language="en", due="2026-11-21 09:00", words=("tea",)
)
CHAT = Prompt(text="that tea was good", tool="none", language="en")


def call(name, **arguments):
    return [ToolCall(id="c1", name=name, arguments=arguments)]


async def judge_prompt(prompt, understood):
    async with run_bot(ScriptedInterpreter([understood])) as bot:
        return judge(await bot.send(prompt))


async def test_stored_reminder_is_judged():
    found = await judge_prompt(TEA, call("reminder_set", type="once", time="tomorrow at 9am", content="tea"))

    assert found.is_right


async def test_prompts_beyond_the_rate_limit_are_all_processed():
    async with run_bot(ScriptedInterpreter([call("reminder_list")] * 61)) as bot:
        seen = [await bot.send(CHAT) for _ in range(61)]

    assert all(each.calls for each in seen)


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({"type": "once", "time": "2026-11-22 09:00", "content": "tea"}, ()),  # the words overrule the model
        ({"type": "once", "time": "2026-11-21 09:00", "content": "coffee"}, ("content",)),
        ({"type": "once", "content": "tea"}, ("reminder",)),
    ],
)
async def test_wrong_part_is_named(arguments, wrong):
    found = await judge_prompt(TEA, call("reminder_set", **arguments))

    assert (found.is_right_tool, found.wrong) == (True, wrong)


async def test_a_repetition_is_judged_by_its_clock_and_weekday():
    prompt = Prompt(
        text="every Monday at 9am remind me of tea",
        tool="reminder_set",
        language="en",
        due="09:00",
        repeats="weekly",
        weekday=0,
    )

    found = await judge_prompt(prompt, call("reminder_set", type="weekly", time="09:00", weekday=0, content="tea"))

    assert found.is_right


@pytest.mark.parametrize(("reference", "is_right"), [("#3", True), ("3", True), ("13", False), ("three or so", False)])
async def test_a_number_is_judged_as_a_number(reference, is_right):
    prompt = Prompt(text="drop reminder 3", tool="reminder_delete", language="en", reminder_id="3")

    found = await judge_prompt(prompt, call("reminder_delete", reminder_id=reference))

    assert found.is_right is is_right


async def test_unexpected_call_is_a_false_trigger():
    found = score(
        [await judge_prompt(CHAT, call("summary")), await judge_prompt(CHAT, "indeed"), await judge_prompt(TEA, "no")]
    )

    assert (found.wanted, found.right_tool, found.unwanted, found.false_triggers) == (1, 0, 2, 1)


async def test_cancelled_model_gave_no_answer():
    class Endless:
        async def interpret(self, turn):
            raise asyncio.CancelledError

    recording = RecordingInterpreter(Endless())

    with pytest.raises(asyncio.CancelledError):
        await recording.interpret(make_turn("hello"))
    assert "too long" in recording.failure


async def test_unanswering_model_is_distinguished_from_a_silent_one():
    found = await judge_prompt(CHAT, ModelUnavailable("timeout"))

    assert not found.is_right
    assert score([found]).unanswered == 1
    assert score([found]).false_triggers == 0
