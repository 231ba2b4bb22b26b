"""Undelivered reminders, which are sent when the bot may write in the chat again."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from bot.config.settings import BotSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from services.kernel.chat import BotAdded, ChatAddress
from services.kernel.errors import DeliveryFailed
from services.reminders.delivery.config import DeliveryConfig

pytestmark = pytest.mark.looptime
HOME = ChatAddress(platform="fake", chat_id="home")


def refuse_group(*_):
    raise DeliveryFailed("the bot is no member of the group", is_permanent=True)


def refuse_home(address, _):
    if address == HOME:
        refuse_group()


@asynccontextmanager
async def running():
    """Run a bot in a group."""
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    async with build_in_memory(
        Settings(bot=BotSettings(timezone="UTC")),
        platforms=[platform],
        clock=clock,
        delivery=DeliveryConfig(tick=timedelta(minutes=5)),  # an hour passes in few steps
    ):
        yield platform


async def test_undelivered_reminder_is_sent_when_the_bot_is_back():
    async with running() as platform:
        await platform.say("Bubbles, remind me in 5 minutes to water the plants")
        platform.refuse = refuse_group
        await asyncio.sleep(20 * 60)
        before = list(platform.texts)
        platform.refuse = None
        await platform.handle(BotAdded(address=HOME))
        await asyncio.sleep(60)

    assert len(before) == 1
    texts = [text for text in platform.texts[1:] if "water the plants" in text]
    assert len(texts) == 1
    assert "09:05" in texts[0]


async def test_undelivered_reminder_is_sent_after_a_message_in_the_unblocked_chat():
    async with running() as platform:
        await platform.say("Bubbles, remind me in 5 minutes to water the plants")
        platform.refuse = refuse_group
        await asyncio.sleep(20 * 60)
        await platform.say("is anybody here?", sender="bob")  # the bot hears it, and may still say nothing
        await asyncio.sleep(60)
        platform.refuse = None
        await platform.say("hello", sender="bob")  # it was tried a moment ago
        await asyncio.sleep(60)
        too_early = len(platform.texts)
        await asyncio.sleep(3600)
        await platform.say("what a day", sender="bob")
        await asyncio.sleep(60)
        await platform.say("indeed")
        await asyncio.sleep(60)

    assert too_early == 1
    texts = [text for text in platform.texts[1:] if "water the plants" in text]
    assert len(texts) == 1
    assert "09:05" in texts[0]


async def test_owner_of_an_undeliverable_reminder_is_notified_in_private():
    async with running() as platform:
        await platform.say("hello", chat="ann alone", is_private=True)
        await platform.say("Bubbles, remind me in 5 minutes to water the plants")
        platform.refuse = refuse_home
        platform.sent.clear()
        await asyncio.sleep(20 * 60)

    ((address, message),) = platform.sent
    assert address.chat_id == "ann alone"
    assert "water the plants" in message.text
