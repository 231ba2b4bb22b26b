"""Calls of a model that depend on the messages before. It is Friday 2026-11-20, 09:00 in UTC."""

import json

import pytest

from bot.config.settings import BotSettings, Settings
from bot.testing.in_memory import build_in_memory
from bot.testing.models import ScriptedModel, completion, requested
from function_calls.grounding.review import RuleBasedReview
from function_calls.llm import FunctionCallLLM
from services.kernel.errors import ModelUnavailable

pytestmark = pytest.mark.looptime

DENTIST = ("Bubbles, remind me on Tuesday at 9am to see the dentist", "2026-11-24 09:00", "see the dentist")
LIFT = ("Bubbles, remind me tomorrow at 11am to call the lift company", "2026-11-21 11:00", "call the lift company")


@pytest.fixture
def talk(platform, clock):
    """Return a function that sets a reminder, sends `text` to the group, and returns the answer to it.

    A model makes the calls `made` for `text`, or is not available without.
    """

    async def send(reminder, text, *made):
        first, time, content = reminder
        script = [(("reminder_set", {"type": "once", "time": time, "content": content}),), made]
        answers = [make_completion(calls) if calls else ModelUnavailable("timeout", "no answer") for calls in script]
        llm = FunctionCallLLM(ScriptedModel(answers), reviewer=RuleBasedReview())
        settings = Settings(bot=BotSettings(timezone="UTC"))
        async with build_in_memory(settings, platforms=[platform], clock=clock, interpreter=llm):
            await platform.say(first)
            count = len(platform.texts)
            await platform.say(text)
        return "\n".join(platform.texts[count:])

    return send


def make_completion(calls):
    return completion("", *(requested(name, json.dumps(given), id=f"c{at}") for at, (name, given) in enumerate(calls)))


def make_set(time, content):
    return ("reminder_set", {"type": "once", "time": time, "content": content})


@pytest.mark.parametrize(
    ("text", "time", "when"),
    [
        ("and the same on Thursday", "2026-11-26 09:00", "Thursday 26 November at 09:00"),
        ("Bubbles, the night before at 9pm too", "2026-11-23 21:00", "Monday 23 November at 21:00"),
        ("Bubbles, also at 7am that day", "2026-11-24 07:00", "Tuesday 24 November at 07:00"),
    ],
)
async def test_time_that_follows_from_the_reminder_before_stays(talk, text, time, when):
    answer = await talk(DENTIST, text, make_set(time, "see the dentist"))

    assert answer.startswith("✅ Set [")
    assert f"for {when}" in answer


@pytest.mark.parametrize(
    ("text", "time", "when"),
    [
        ("Bubbles, change the lift one to 12:30", "2026-11-21 12:30", "tomorrow at 12:30"),
        ("Bubbles, change the lift one to half past 8", "2026-11-21 08:30", "tomorrow at 08:30"),
        ("Bubbles, can you make it 4, they close at 5", "2026-11-21 16:00", "tomorrow at 16:00"),
        ("Bubbles, push the lift one half an hour back", "2026-11-21 11:30", "tomorrow at 11:30"),
        ("Bubbles, change the lift one to 12:30", "2026-11-20 13:30", "tomorrow at 12:30"),
    ],
)
async def test_number_that_is_not_the_new_time_does_not_replace_it(talk, text, time, when):
    answer = await talk(LIFT, text, ("reminder_update", {"reminder_id": "lift", "time": time}))

    assert answer.startswith("✏️ Changed [")
    assert f"to {when}" in answer


async def test_change_without_the_name_of_the_bot_is_made_after_its_answer(talk):
    answer = await talk(LIFT, "12:30 is good", ("reminder_update", {"reminder_id": "1", "time": "12:30"}))

    assert answer.startswith("✏️ Changed [")
    assert "to tomorrow at 12:30" in answer


async def test_wrong_time_is_corrected_to_that_in_the_dialogue(talk):
    answer = await talk(DENTIST, "Bubbles, also at 7am that day", make_set("2026-11-25 07:00", "see the dentist"))

    assert "for Tuesday 24 November at 07:00" in answer


async def test_day_that_neither_message_names_is_corrected(talk):
    answer = await talk(LIFT, "Bubbles, remind me at 4pm to buy milk", make_set("2026-11-25 16:00", "buy milk"))

    assert "for today at 16:00" in answer


async def test_rules_go_on_with_the_reminder_that_a_model_has_set(talk):
    answer = await talk(LIFT, "make it 10")

    assert answer.startswith("✏️ Changed [")
    assert "to tomorrow at 10:00" in answer
