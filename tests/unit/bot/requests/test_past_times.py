"""Past times made up by a model, which are returned to it with the present time."""

import pytest

from bot.testing.in_memory import NOW, talk_to_bot
from bot.testing.models import ScriptedModel, completion, requested
from function_calls.llm import FunctionCallLLM


def propose(time):
    return completion("", requested("reminder_set", type="once", time=time, content="call Lin"))


async def get_answers(text, *script):
    model = ScriptedModel(script)
    return await talk_to_bot(text, interpreter=FunctionCallLLM(model)), model


def errors_shown(model):
    return [each["content"] for each in model.shown[-1].messages if each["role"] == "tool"]


@pytest.mark.parametrize("text", ["remind me to call Lin", "remind me at 5 or 6 or 7 to call Lin"])
async def test_past_time_is_returned_to_the_model_with_the_present_time(text):
    texts, model = await get_answers(text, propose("2024-01-01 09:00"), propose("2026-11-20 18:00"))
    (error,) = errors_shown(model)

    assert "time_in_past" in error
    assert f"now={NOW}" in error
    assert len(texts) == 1
    assert "18:00" in texts[0]
    assert "2024" not in texts[0]


async def test_repeated_past_time_of_the_model_is_refused():
    texts, _ = await get_answers("remind me to call Lin", propose("2024-01-01 09:00"), "I've set a reminder for 9 am.")

    assert "has already passed" in texts[0]
    assert f"{NOW:%H:%M}" in texts[0]


async def test_a_past_time_of_the_person_is_refused_to_the_person():
    texts, model = await get_answers("remind me on 2024-01-01 at 9:00 to call Lin", propose("2024-01-01 09:00"))

    assert "has already passed" in texts[0]
    assert len(model.shown) == 1
