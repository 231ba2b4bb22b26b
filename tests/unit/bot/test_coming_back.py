"""A bot that was removed from a group and is added again says what it could not say there."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.app import build_app
from bot.settings import BotSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.platform import FakePlatform
from bot.testing.threads import InlineExecutor
from bot.testing.timetables import LoopTimetable
from services.chat import BotAdded, ChatAddress
from services.errors import DeliveryFailed
from services.storage.database import Database

pytestmark = pytest.mark.looptime
HOME = ChatAddress(platform="fake", chat_id="home")


def removed(*_):
    raise DeliveryFailed("the bot is no member of the group", is_permanent=True)


async def test_what_could_not_be_said_is_said_when_the_bot_is_back():
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    async with build_app(
        Settings(bot=BotSettings(timezone="UTC")),
        platforms=[platform],
        clock=clock,
        database=Database("sqlite://", make_thread=InlineExecutor),
        timetable=LoopTimetable(),
    ):
        await platform.say("Bubbles, remind me in 5 minutes to water the plants")
        platform.refuse = removed
        await asyncio.sleep(20 * 60)
        before = list(platform.texts)
        platform.refuse = None
        await platform.deal_with(BotAdded(address=HOME))
        await asyncio.sleep(60)

    assert len(before) == 1
    said = [text for text in platform.texts[1:] if "water the plants" in text]
    assert len(said) == 1
    assert "09:05" in said[0]
