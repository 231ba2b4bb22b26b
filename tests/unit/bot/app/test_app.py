"""The whole bot, with a fake platform and fake time."""

import asyncio
from datetime import timedelta

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, HistorySettings, RouterSettings, Settings
from bot.testing.clocks import InlineExecutor, LoopTimetable
from bot.testing.in_memory import build_in_memory
from bot.testing.models import ScriptedInterpreter
from bot.testing.platform import FakePlatform
from function_calls.tools.calls import ToolCall
from services.history.service import HistoryService
from services.kernel.chat import BotAdded, ChatAddress
from services.kernel.errors import DeliveryFailed, ModelUnavailable
from services.storage.database import Database

pytestmark = pytest.mark.looptime


def bot(platform, clock, *, interpreter=None, database=None, functions=(), **settings):
    return build_app(
        Settings(bot=BotSettings(timezone="UTC"), **settings),
        platforms=[platform],
        functions=functions,
        interpreter=interpreter,
        clock=clock,
        database=database or Database("sqlite://", make_thread=InlineExecutor),
        timetable=LoopTimetable(),
    )


def set_call(time, content="tea"):
    return ToolCall(id="1", name="reminder_set", arguments={"type": "once", "time": time, "content": content})


async def test_a_reminder_that_a_model_sets_fires_at_its_time(platform, clock):
    interpreter = ScriptedInterpreter([[set_call("2026-11-20 10:00")]])
    clock.shift(timedelta(minutes=55))  # looptime is free of charge, the ticks of an hour are not
    async with bot(platform, clock, interpreter=interpreter):
        await platform.say("remind me of tea at ten")
        await asyncio.sleep(301)

    assert platform.texts[-1] == "⏰ @ann tea"


@pytest.mark.parametrize(("seconds", "is_late"), [(5, True), (0, False)])
async def test_function_without_a_limit_of_its_own_has_that_of_the_settings(platform, clock, seconds, is_late):
    async def wait() -> str:
        """Wait for three minutes."""
        await asyncio.sleep(180)
        return "waited"

    interpreter = ScriptedInterpreter([[ToolCall(id="1", name="wait", arguments={})], "done"])
    settings = RouterSettings(tool_timeout_seconds=seconds)
    async with bot(platform, clock, interpreter=interpreter, functions=[wait], router=settings):
        await platform.say("Bubbles, wait")

    (result,) = interpreter.turns[1].steps[0].results
    assert (result.error == "Tool 'wait' timed out after 5.0s") is is_late
    assert result.ok is not is_late


async def test_a_message_that_the_platform_delivers_twice_is_handled_once(platform, clock):
    async with bot(platform, clock):
        await platform.say("remind me in 10 minutes to stretch", message_id="m1")
        await platform.say("remind me in 10 minutes to stretch", message_id="m1")

    assert len(platform.texts) == 1


async def test_daily_jobs_end_with_the_bot(platform, clock, caplog):
    async with bot(platform, clock):
        pass
    await asyncio.sleep(timedelta(days=2).total_seconds())

    assert "Exception in callback" not in caplog.text


async def test_failed_daily_deletion_does_not_end_the_bot(platform, clock):
    settings = Settings(bot=BotSettings(timezone="UTC"))
    async with build_in_memory(settings, platforms=[platform], clock=clock) as app:
        database = app.infrastructure.database
        await asyncio.sleep(timedelta(days=1).total_seconds() - 5)
        await database.run(lambda connection: connection.exec_driver_sql("ALTER TABLE delivery RENAME TO away"))
        await asyncio.sleep(10)
        await database.run(lambda connection: connection.exec_driver_sql("ALTER TABLE away RENAME TO delivery"))
        await platform.say("remind me in 10 minutes to stretch")
        await asyncio.sleep(605)

    assert platform.texts[-1] == "⏰ @ann stretch"


async def test_expired_messages_are_deleted_at_the_start(platform, clock, tmp_path):
    address = f"sqlite:///{tmp_path / 'bot.db'}"

    def open_bot():
        opened = Database(address, make_thread=InlineExecutor)
        return bot(platform, clock, database=opened, history=HistorySettings(retention_days=1))

    async with open_bot():
        await platform.say("lovely weather")
    clock.shift(timedelta(days=2))
    async with open_bot() as app:
        await asyncio.sleep(1)
        found = await app.services.get(HistoryService).recent(ChatAddress(platform="fake", chat_id="home"), limit=10)

    assert [message.text for message in found] == []


async def test_error_while_greeting_a_group_does_not_end_the_bot(platform, clock):
    def refuse(*_):
        raise RuntimeError("bug")

    async with bot(platform, clock):
        platform.refuse = refuse
        await platform.handle(BotAdded(address=ChatAddress(platform="fake", chat_id="new")))
        platform.refuse = None
        await platform.say("remind me in 10 minutes to stretch")

    assert platform.texts[-1].startswith("✅ Set [")


async def test_bots_are_ignored(platform, clock):
    async with bot(platform, clock):
        await platform.say("remind me in 10 minutes to stretch", is_bot=True)

    assert platform.texts == []


async def test_an_error_while_answering_never_becomes_small_talk(platform, clock):
    interpreter = ScriptedInterpreter([RuntimeError("bug"), RuntimeError("bug")])
    async with bot(platform, clock, interpreter=interpreter):
        await platform.say("lovely weather")
        await platform.say("Bubbles, remind me of something")

    assert platform.texts == ["Something went wrong on my side; it has been logged. Please try again."]


async def test_reminders_work_without_a_reachable_model(platform, clock):
    interpreter = ScriptedInterpreter([ModelUnavailable("connection")])
    async with bot(platform, clock, interpreter=interpreter):
        await platform.say("remind me in 10 minutes to stretch")

    assert platform.texts[0].startswith("✅ Set [")
    assert platform.texts[0].endswith("(I could not reach the language model, so I answered without it.)")


async def test_a_send_error_does_not_lose_a_reminder(platform, clock):
    failures = [DeliveryFailed("down"), DeliveryFailed("still down")]

    def refuse(_, message):
        if message.text.startswith("⏰") and failures:
            raise failures.pop()

    platform.refuse = refuse
    async with bot(platform, clock):
        await platform.say("remind me in 10 minutes to stretch")
        await asyncio.sleep(700)

    assert failures == []
    assert [text for text in platform.texts if text.startswith("⏰")] == ["⏰ @ann stretch"]


async def test_reminder_due_during_downtime_shows_its_due_time(platform, clock, tmp_path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with bot(platform, clock, database=Database(url, make_thread=InlineExecutor)):
        await platform.say("remind me in 10 minutes to stretch")
    clock.shift(timedelta(hours=2))
    later = FakePlatform(clock)
    async with bot(later, clock, database=Database(url, make_thread=InlineExecutor)):
        await asyncio.sleep(5)

    assert later.texts == ["⏰ @ann stretch\n   (was due today at 09:10; I was not running then)"]


async def test_every_day_at_midnight_does_not_fire_now(platform, clock):
    clock.shift(timedelta(hours=15, seconds=-20))
    async with bot(platform, clock):
        clock.shift(timedelta(seconds=25))
        await platform.say("remind me every day at 00:00 to sleep")
        await asyncio.sleep(120)

    assert len(platform.texts) == 1


async def test_another_chats_reminders_cannot_be_seen_or_deleted(platform, clock):
    async with bot(platform, clock):
        await platform.say("remind me in 10 minutes to stretch", chat="home")
        reminder_id = platform.texts[0].split("[")[1].split("]")[0]
        await platform.say("list my reminders", chat="work")
        await platform.say(f"delete reminder {reminder_id}", chat="work")
        await platform.say("list my reminders", chat="home")

    assert platform.texts[1].startswith("No reminders here.")
    assert "Deleted" not in platform.texts[2]
    assert reminder_id in platform.texts[3]


async def test_message_is_in_the_history_before_it_is_answered(platform, clock):
    async with bot(platform, clock) as app:
        message = await platform.say("remind me in 10 minutes to stretch")
        history = await app.services.get(HistoryService).recent(message.address, 10)

    assert [each.sender.name for each in history] == ["ann", "Bubbles"]


async def test_only_addressed_messages_are_interpreted_with_the_setting(platform, clock):
    interpreter = ScriptedInterpreter(["hello"])
    async with bot(platform, clock, interpreter=interpreter, router=RouterSettings(listen="addressed")):
        await platform.say("remind me in 10 minutes to stretch")
        await platform.say("hi Bubbles")

    assert platform.texts == ["hello"]
    assert len(interpreter.turns) == 1


async def test_message_with_a_lone_surrogate_is_handled(platform, clock):
    async with bot(platform, clock):
        await platform.say("remind me in 10 minutes to drink tea \ud83d")

    assert "drink tea \ufffd" in platform.texts[0]
