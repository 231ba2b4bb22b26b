"""Segments of a message with several requests, one for each call."""

import json

import pytest

from bot.testing.in_memory import talk_to_bot
from bot.testing.models import ScriptedModel, completion, requested
from function_calls.llm import FunctionCallLLM

DRINK_AND_CALL = "remind me at 3pm to drink water and tomorrow at 9am to call Cleo"


async def last_answer(*texts, calls):
    """Return the answer to the last of `texts`; the model makes the next of `calls` for each."""
    model = ScriptedModel(
        completion("", *(requested(name, json.dumps(given), id=f"c{at}") for at, (name, given) in enumerate(made)))
        for made in calls
    )
    return (await talk_to_bot(*texts, interpreter=FunctionCallLLM(model)))[-1]


def make_once(time, content):
    return ("reminder_set", {"type": "once", "time": time, "content": content})


@pytest.mark.parametrize(
    ("drink", "call"),
    [
        ("2026-11-20 15:00", "2026-11-20 15:00"),  # one time for both
        ("2026-11-21 09:00", "2026-11-20 15:00"),  # each the other's
        ("2026-11-22 15:00", "2026-11-22 09:00"),  # of a day that nobody named
    ],
)
async def test_each_call_of_a_message_has_its_own_time(drink, call):
    answer = await last_answer(
        DRINK_AND_CALL, calls=[[make_once(drink, "drink some water"), make_once(call, "call Cleo")]]
    )

    assert "today at 15:00, in 5 hours: drink some water" in answer
    assert "tomorrow at 09:00, in 23 hours: call Cleo" in answer


async def test_paraphrased_content_belongs_to_the_only_reminder():
    request = "remind me at 3pm to drink water and look up the weather for tomorrow"

    answer = await last_answer(request, calls=[[make_once("2026-11-20 15:00", "喝水")]])

    assert "today at 15:00, in 5 hours: 喝水" in answer


async def test_the_day_of_a_search_does_not_move_a_reminder():
    answer = await last_answer(
        "remind me to see the dentist tomorrow at 3pm",
        "move the dentist to 5pm and look up the weather for Monday",
        calls=[
            [make_once("2026-11-21 15:00", "see the dentist")],
            [("reminder_update", {"reminder_id": "dentist", "time": "2026-11-23 17:00"})],
        ],
    )

    assert "tomorrow at 17:00, in 31 hours: see the dentist" in answer


@pytest.mark.parametrize("reference", ["2", "gym", "[zzz999]"])
@pytest.mark.parametrize(
    ("text", "call", "done"),
    [
        ("delete the milk reminder", ("reminder_delete", {}), "Deleted"),
        ("move the milk to 5pm", ("reminder_update", {"time": "17:00"}), "tomorrow at 17:00, in 31 hours"),
    ],
)
async def test_reminder_named_by_the_person_replaces_that_of_the_model(reference, text, call, done):
    name, given = call
    answer = await last_answer(
        "remind me tomorrow at 3pm to buy milk",
        "remind me tomorrow at 6pm to go to the gym",
        text,
        calls=[
            [make_once("2026-11-21 15:00", "buy milk")],
            [make_once("2026-11-21 18:00", "go to the gym")],
            [(name, {"reminder_id": reference, **given})],
        ],
    )

    assert done in answer
    assert "buy milk" in answer
    assert "gym" not in answer


async def test_id_is_kept_if_the_words_name_no_single_reminder():
    milk = "remind me tomorrow at {}pm to buy milk"

    answer = await last_answer(
        milk.format(3),
        milk.format(6),
        "delete the milk reminder",
        calls=[
            [make_once("2026-11-21 15:00", "buy milk")],
            [make_once("2026-11-21 18:00", "buy milk")],
            [("reminder_delete", {"reminder_id": "2"})],
        ],
    )

    assert "Deleted" in answer
