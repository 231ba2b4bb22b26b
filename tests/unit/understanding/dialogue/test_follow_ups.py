"""Messages that follow up on an action of the bot for the same person."""

from datetime import timedelta

import pytest

from function_calls.tools.calls import ToolSpec
from tests.unit.understanding.conftest import NOW, TOOLS, Say

UPDATE = ToolSpec(
    name="reminder_update", description="", parameters={"properties": {"reminder_id": {}, "time": {}, "content": {}}}
)
WITH_UPDATE = (*TOOLS, UPDATE)


@pytest.mark.parametrize("text", ["make it 6pm", "move it to 6pm", "改到下午六点"])
def test_change_refers_to_the_reminder_just_set(say: Say, text: str) -> None:
    say("remind me at 5pm to buy milk", tools=WITH_UPDATE)

    (call,) = say(text, tools=WITH_UPDATE).calls

    assert (call.name, call.arguments) == ("reminder_update", {"time": "18:00", "reminder_id": "it"})


@pytest.mark.parametrize(
    "text", ["the shop opens late, make it 6pm", "It is raining. Move it to 6pm", "店里人多，改到下午六点"]
)
def test_remark_beside_a_change_is_ignored(say: Say, text: str) -> None:
    say("remind me at 5pm to buy milk", tools=WITH_UPDATE)

    (call,) = say(text, tools=WITH_UPDATE).calls

    assert (call.name, call.arguments) == ("reminder_update", {"time": "18:00", "reminder_id": "it"})


@pytest.mark.parametrize(
    "text", ["make it 6pm", "can we move it to Friday?", "改到下午六点", "推迟十分钟", "再等十分钟"]
)
def test_follow_up_without_an_earlier_action_is_ignored(say: Say, text: str) -> None:
    heard = say(text, tools=WITH_UPDATE)

    assert (heard.calls, heard.answer) == ((), "")


def test_message_of_another_person_is_no_follow_up(say: Say) -> None:
    say("remind me at 5pm to buy milk", tools=WITH_UPDATE, sender="ann")

    assert say("make it 6pm", tools=WITH_UPDATE, sender="bob").calls == ()


def test_after_some_minutes_a_change_is_a_follow_up_and_a_bare_time_is_not(say: Say) -> None:
    say("remind me at 5pm to buy milk", tools=WITH_UPDATE)
    later = NOW + timedelta(minutes=6)

    assert say("6pm", tools=WITH_UPDATE, now=later).calls == ()
    (call,) = say("make it 6pm", tools=WITH_UPDATE, now=later).calls
    assert call.arguments["time"] == "18:00"


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("delete 3", [("reminder_delete", "3")]),
        ("cancel 2 and 3", [("reminder_delete", "2"), ("reminder_delete", "3")]),
        ("cancel number 2", [("reminder_delete", "2")]),
        ("done 3", [("reminder_state", "3")]),
        ("3 is done", [("reminder_state", "3")]),
        ("pause 2", [("reminder_state", "2")]),
        ("move 2 to 6pm", [("reminder_update", "2")]),
        ("删3", [("reminder_delete", "3")]),
        ("第三个不要了", [("reminder_delete", "3")]),
        ("3删了", [("reminder_delete", "3")]),
        ("暂停2", [("reminder_state", "2")]),
    ],
)
def test_listed_reminder_is_referred_to_by_its_number(say: Say, text: str, called: list[tuple[str, str]]) -> None:
    tools = (*WITH_UPDATE, ToolSpec(name="reminder_state", description="", parameters=UPDATE.parameters))
    say("list my reminders", tools=tools)

    followed = say(text, tools=tools)
    unasked = say(text, tools=tools, sender="bob")

    assert [(call.name, call.arguments["reminder_id"]) for call in followed.calls] == called
    assert (unasked.calls, unasked.answer) == ((), "")


def test_another_reminder_is_set_for_the_same_time(say: Say) -> None:
    say("周五下午五点提醒我买票", language="zh")

    (call,) = say("再提醒我带充电宝，同一时间", language="zh").calls

    assert (call.arguments["time"], call.arguments["content"]) == ("2026-03-06 17:00", "带充电宝")


def test_name_joined_to_the_end_is_no_content(say: Say) -> None:
    (call,) = say("明早七点提醒我去跑步bubbles", language="zh", is_addressed=True).calls

    assert call.arguments["content"] == "去跑步"
