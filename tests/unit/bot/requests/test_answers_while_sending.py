"""Answers to reminders whose message id is not yet known."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, Settings
from bot.testing.clocks import InlineExecutor, LoopClock, LoopTimetable
from bot.testing.platform import FakePlatform
from services.storage.database import Database

pytestmark = pytest.mark.looptime
MINUTE = 60


class SlowToTell(FakePlatform):
    """Shows a reminder at once, and tells after two seconds which message it is."""

    async def send(self, address, message):
        message_id = await super().send(address, message)
        if message.text.startswith("⏰"):
            await asyncio.sleep(2)
        return message_id


@asynccontextmanager
async def reminded():
    """Yield a platform that is sending Ann a reminder, which repeats until she confirms it."""
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = SlowToTell(clock)
    async with build_app(
        Settings(bot=BotSettings(timezone="UTC")),
        platforms=[platform],
        clock=clock,
        database=Database("sqlite://", make_thread=InlineExecutor),
        timetable=LoopTimetable(),
    ):
        await platform.say("Bubbles, remind me in 10 minutes to take my pills until I say done", sender="ann")
        await platform.say("the standup notes", sender="bob", message_id="notes")
        await asyncio.sleep(10 * MINUTE + 1)
        yield platform


async def test_reply_to_a_message_still_being_sent_ends_its_reminder():
    async with reminded() as platform:
        await platform.say("done", sender="ann", reply_to="shown-a-moment-ago")

    assert platform.texts[-1].startswith("✔ Done")


async def test_reply_to_another_persons_message_ends_nothing():
    async with reminded() as platform:
        await platform.say("done", sender="ann", reply_to="notes")

    assert platform.texts[-1].startswith("⏰")


async def test_reply_to_a_message_that_stays_unknown_ends_nothing():
    async with reminded() as platform:
        await asyncio.sleep(MINUTE)
        await platform.say("done", sender="ann", reply_to="long-before-the-bot")

    assert platform.texts[-1].startswith("⏰")
