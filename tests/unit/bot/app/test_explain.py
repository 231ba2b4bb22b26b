"""Records of turns and calls, and explanations of them in the chat."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, ModelSettings, Settings
from bot.testing.clocks import InlineExecutor, LoopTimetable
from bot.testing.in_memory import build_in_memory
from bot.testing.models import ScriptedInterpreter
from bot.testing.platform import FakePlatform
from function_calls.tools.calls import ToolCall
from services.call_log.service import CallLog
from services.kernel.errors import ModelUnavailable
from services.storage.database import Database

pytestmark = pytest.mark.looptime

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
SET = ToolCall(
    id="1",
    name="reminder_set",
    arguments={"type": "once", "time": "2026-11-20 10:00", "content": "tea"},
    repairs=("tool name ReminderSet read as reminder_set",),
)


def bot(platform, clock, *, interpreter=None, **settings):
    return build_in_memory(
        Settings(bot=BotSettings(timezone="UTC"), **settings),
        platforms=[platform],
        interpreter=interpreter,
        clock=clock,
    )


async def test_a_call_is_on_record_in_the_shape_of_the_http_history(platform, clock):
    async with bot(platform, clock, interpreter=ScriptedInterpreter([[SET]])) as app:
        message = await platform.say("remind me of tea at ten")
        (call,) = await app.services.get(CallLog).of_message(message.address, message.id)

    assert call["id"].startswith("tc_")
    assert (call["name"], call["status"], call["error"], call["spawn_task"]) == ("reminder_set", "success", None, None)
    assert call["arguments"] == SET.arguments
    assert call["result"].startswith('{"id": ')


async def test_row_of_a_call_has_the_columns_of_the_specification(clock, tmp_path):
    path = tmp_path / "bubbles.db"
    platform = FakePlatform(clock)
    async with build_app(
        Settings(bot=BotSettings(timezone="UTC")),
        platforms=[platform],
        interpreter=ScriptedInterpreter([[SET]]),
        clock=clock,
        database=Database(f"sqlite:///{path}", make_thread=InlineExecutor),
        timetable=LoopTimetable(),
    ):
        message = await platform.say("remind me of tea at ten")
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        (row,) = database.execute("SELECT * FROM tool_conversations").fetchall()

    assert (row["session_id"], row["message_id"]) == (message.address.key, message.id)
    assert (row["tool_name"], row["user_message"]) == ("reminder_set", "remind me of tea at ten")
    assert (json.loads(row["arguments"]), row["error"]) == (SET.arguments, None)
    assert row["result"].startswith('{"id": ')
    assert (row["duration_ms"] >= 0, row["timestamp"] > 0) == (True, True)


async def test_a_turn_is_on_record_with_its_reply(platform, clock):
    async with bot(platform, clock) as app:
        message = await platform.say("remind me in 10 minutes to stretch")
        turn = await app.services.get(CallLog).turn(message.id, message.address)

    assert turn is not None
    assert (turn.route, turn.rounds, turn.outcome, turn.person.id) == ("offline", 1, "answered", "ann")
    assert turn.reply == platform.texts[0]
    assert turn.at == START


async def test_talk_without_request_and_cost_leaves_no_record(platform, clock):
    async with bot(platform, clock) as app:
        await platform.say("lovely weather today")
        turns = await app.services.get(CallLog).latest_turns(5)

    assert turns == ()


async def test_a_turn_that_ends_with_an_error_is_on_record_with_the_calls_made_before(platform, clock):
    look = ToolCall(id="1", name="no_such_tool", arguments={"no": "such"})
    async with bot(platform, clock, interpreter=ScriptedInterpreter([[look], RuntimeError("bug")])) as app:
        message = await platform.say("Bubbles, do it")
        log = app.services.get(CallLog)
        turn = await log.turn(message.id)
        assert turn is not None
        (call,) = await log.calls_of(turn)

    assert (turn.outcome, turn.error) == ("failed", "RuntimeError: bug")
    assert (call.tool_name, call.status) == ("no_such_tool", "error")


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "why did you do that?",
            ["remind me in 10 minutes to stretch", "without a language model", "reminder_set(", "✅ Set ["],
        ),
        ("你为什么这么做？", ["remind me in 10 minutes to stretch", "没有用语言模型", "reminder_set（", "✅ Set ["]),
        ("Bubbles, what did you just do?", ["reminder_set("]),
        ("泡泡，你刚才做了什么", ["reminder_set（"]),
    ],
)
async def test_why_did_you_do_that_is_answered_from_the_record(platform, clock, question, parts):
    name = "泡泡" if question.startswith("泡泡") else "Bubbles"
    settings = Settings(bot=BotSettings(timezone="UTC", name=name))
    platform = FakePlatform(clock, bot_name=name)
    async with build_in_memory(settings, platforms=[platform], clock=clock):
        await platform.say("remind me in 10 minutes to stretch")
        await platform.say(question)

    assert len(platform.texts) == 2
    for part in parts:
        assert part in platform.texts[1]
    assert "token" not in platform.texts[1]


async def test_second_question_explains_the_same_call(platform, clock):
    async with bot(platform, clock):
        await platform.say("remind me in 10 minutes to stretch")
        await platform.say("why did you do that?")
        await platform.say("why did you do that?")

    assert platform.texts[1] == platform.texts[2]


async def test_admin_sees_cost_and_time_too(platform, clock):
    async with bot(platform, clock):
        await platform.say("remind me in 10 minutes to stretch", is_admin=True)
        await platform.say("why did you do that?", is_admin=True)

    assert platform.texts[1].split("\n")[-1].startswith("No model was used; ")


@pytest.mark.parametrize(("sender", "chat"), [("bob", "home"), ("ann", "work")])
async def test_explanation_is_refused_for_other_people_and_chats(platform, clock, sender, chat):
    async with bot(platform, clock):
        await platform.say("remind me in 10 minutes to stretch")
        await platform.say("Bubbles, why did you do that?", sender=sender, chat=chat)

    assert platform.texts[1] == "I have no record of having done anything for you here."


async def test_why_between_people_is_not_answered(platform, clock):
    async with bot(platform, clock):
        await platform.say("remind me in 10 minutes to stretch")
        await platform.say("I sold the car", sender="bob")
        await platform.say("why did you do that?")

    assert len(platform.texts) == 1


async def test_an_explanation_names_repairs_and_the_model_that_was_down(platform, clock):
    why = ToolCall(id="2", name="explain", arguments={})
    interpreter = ScriptedInterpreter([[SET], [why], ModelUnavailable("budget"), [why]])
    async with bot(platform, clock, interpreter=interpreter):
        await platform.say("remind me of tea at ten")
        await platform.say("why did you do that?")
        await platform.say("remind me in 10 minutes to stretch")
        await platform.say("why did you do that?")

    assert "corrected before the check: tool name ReminderSet read as reminder_set" in platform.texts[1]
    assert platform.texts[2].endswith("(The budget for the language model is used up, so I answered without it.)")
    assert "The model could not be used (budget)." in platform.texts[3]


async def test_secret_is_not_stored_in_the_database(clock, tmp_path):
    secret = "planted-very-secret-key"
    path = tmp_path / "bubbles.db"
    platform = FakePlatform(clock)
    call = ToolCall(id="1", name="reminder_set", arguments={**SET.arguments, "content": f"renew {secret}"})
    settings = Settings(bot=BotSettings(timezone="UTC"), model=ModelSettings(api_key=secret))
    async with build_app(
        settings,
        platforms=[platform],
        interpreter=ScriptedInterpreter([[call]]),
        clock=clock,
        database=Database(f"sqlite:///{path}", make_thread=InlineExecutor),
        timetable=LoopTimetable(),
    ) as app:
        message = await platform.say(f"remind me of {secret}")
        log = app.services.get(CallLog)
        turn = await log.turn(message.id)
        assert turn is not None
        recorded = repr(turn) + repr(await log.calls_of(turn))

    assert "[secret]" in recorded
    assert secret not in recorded
