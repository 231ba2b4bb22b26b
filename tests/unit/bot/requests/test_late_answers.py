"""Messages answered long after they were written, by a slow model or after downtime."""

import asyncio
import re
from datetime import UTC, datetime, timedelta

import pytest

from bot.config.settings import BotSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.models import ScriptedInterpreter
from bot.testing.platform import FakePlatform
from function_calls.model_calls.prompts import variables_of
from function_calls.tools.calls import ToolCall

pytestmark = pytest.mark.looptime

ID = re.compile(r"\[([a-z0-9]{6})\]")
START = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


class SlowInterpreter(ScriptedInterpreter):
    """One that thinks for `seconds` before each answer."""

    def __init__(self, script, seconds):
        super().__init__(script)
        self._seconds = seconds

    async def interpret(self, turn):
        await asyncio.sleep(self._seconds)
        return await super().interpret(turn)


@pytest.fixture
def talk():
    """Return a function that sends old messages to a bot and returns its texts of the next hour.

    `before` is said `ago` before that; `{id}` stands for the reminder that it set.
    """

    async def run(*texts, waited=timedelta(), interpreter=None, before=(), ago=timedelta()):
        clock = LoopClock(START)
        platform = FakePlatform(clock)
        settings = Settings(bot=BotSettings(timezone="UTC"))
        async with build_in_memory(settings, platforms=[platform], interpreter=interpreter, clock=clock):
            for text in before:
                await platform.say(text, is_private=True)
            found = ID.search(platform.texts[0]) if before else None
            await asyncio.sleep(ago.total_seconds())
            platform.sent.clear()
            for text in texts:
                text = text.format(id=found[1] if found else "")
                await platform.say(text, is_private=True, waited=waited)
            await asyncio.sleep(3600)
        # What is due at once is sent beside the confirmation, in front of it or behind it.
        return sorted(platform.texts, key=lambda text: text.startswith("⏰"))

    return run


def setting(time):
    return [ToolCall(id="1", name="reminder_set", arguments={"type": "once", "time": time, "content": "tea"})]


@pytest.mark.parametrize("time", ["in 10 seconds", "2026-11-20 09:30:10"])
async def test_reminder_set_too_late_by_a_slow_model_is_sent_at_once(talk, time):
    slow = SlowInterpreter([setting(time)], seconds=25)

    set_, due = await talk("remind me in 10 seconds of tea", interpreter=slow)

    assert "due since today at 09:30:10: tea" in set_
    assert due == "⏰ @ann tea"


async def test_minutes_are_counted_from_the_time_of_the_message(talk):
    set_, due = await talk("remind me in 20 minutes of tea", waited=timedelta(minutes=10))

    assert "for today at 09:40, in 10 minutes: tea" in set_
    assert due == "⏰ @ann tea"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("remind me in 20 minutes of tea", "due since today at 09:10: tea"),
        ("remind me at 9:20 am of tea", "due since today at 09:20: tea"),
        ("20分钟后提醒我喝茶", "今天 09:10 已到：喝茶"),
    ],
)
async def test_reminder_due_during_downtime_is_sent_with_its_time(talk, text, expected):
    set_, due = await talk(text, waited=timedelta(minutes=40))

    assert expected in set_
    assert "⏰" in due
    assert "09:" in due


async def test_tomorrow_is_the_day_after_the_message_was_written(talk):
    set_, *_ = await talk("remind me tomorrow at 10 am of tea", waited=timedelta(hours=10))

    assert "for today at 10:00, in 30 minutes: tea" in set_


async def test_snooze_that_ended_meanwhile_is_sent_at_once(talk):
    texts = await talk(
        "move the tea to 9:10 am", before=["remind me at 5pm today of tea"], waited=timedelta(minutes=30)
    )

    assert "Changed" in texts[0]
    assert "due since today at 09:10: tea" in texts[0]
    assert "tea" in texts[1]


async def test_reminder_delayed_by_quiet_hours_shows_its_due_time(talk):
    set_, *_ = await talk(
        "remind me in 5 minutes of tea", before=["quiet hours from 9am to 11am"], waited=timedelta(minutes=10)
    )

    assert "due since today at 09:25: tea" in set_
    assert "it will come today at 11:00 instead" in set_


async def test_sent_reminder_can_be_moved_to_a_time_that_passed_meanwhile(talk):
    texts = await talk(
        "move {id} to 9:33 am",
        before=["remind me in 1 minute of tea"],
        ago=timedelta(minutes=5),
        waited=timedelta(minutes=3),
    )

    assert "due since today at 09:33: tea" in texts[0]
    assert "tea" in texts[1]


async def test_paused_reminder_is_not_reported_as_due(talk):
    [changed] = await talk(
        "move the tea to 9:10 am",
        before=["remind me at 5pm today of tea", "pause the tea reminder"],
        waited=timedelta(minutes=30),
    )

    assert "Changed" in changed
    assert "due" not in changed


async def test_time_before_the_message_is_refused(talk):
    [refusal] = await talk("remind me on 20 November 2026 at 8:50 am of tea", waited=timedelta(minutes=30))

    assert "Set" not in refusal


async def test_message_time_wrong_by_weeks_is_ignored(talk):
    set_, _ = await talk("remind me in 20 minutes of tea", waited=timedelta(days=30))

    assert "for today at 09:50, in 20 minutes: tea" in set_


async def test_model_gets_the_time_at_which_the_message_was_written(talk):
    model = ScriptedInterpreter([[]])

    await talk("tea?", interpreter=model, waited=timedelta(minutes=10))

    assert variables_of(model.turns[0])["CURRENT_TIME"] == "09:20:00"
