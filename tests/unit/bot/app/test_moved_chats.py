"""The whole bot in a group that gets a new id."""

import asyncio
from datetime import timedelta

import pytest
from loguru import logger

from bot.config.settings import BotSettings, RouterSettings, Settings
from bot.testing.in_memory import build_in_memory
from services.kernel.chat import ChatAddress, ChatMoved
from services.reminders.service import ReminderService

pytestmark = pytest.mark.looptime

OLD, NEW = (ChatAddress(platform="fake", chat_id=name) for name in ("group", "supergroup"))
MOVED = ChatMoved(address=NEW, previous=OLD)


@pytest.fixture
async def app(platform, clock):
    async with build_in_memory(Settings(bot=BotSettings(timezone="UTC")), platforms=[platform], clock=clock) as app:
        yield app


async def test_reminder_of_the_group_is_listed_changed_and_sent_in_the_new_one(app, platform):
    await platform.say("Bubbles, remind me in 30 minutes to stretch", chat="group")
    await platform.handle(MOVED)
    await platform.say("Bubbles, what are my reminders?", chat="supergroup")
    listed = platform.texts[-1]
    await platform.say("Bubbles, move the stretch reminder to in 5 minutes", chat="supergroup")
    await asyncio.sleep(timedelta(minutes=6).total_seconds())

    assert "stretch" in listed
    assert platform.sent[-1][0] == NEW
    assert platform.texts[-1] == "⏰ @ann stretch"


async def test_last_request_can_be_undone_and_an_earlier_message_is_found(app, platform):
    await platform.say("the code of the door is 4711", chat="group", sender="bob")
    await platform.say("Bubbles, remind me in 30 minutes to stretch", chat="group")
    await platform.handle(MOVED)
    await platform.say("Bubbles, find the messages about the door", chat="supergroup")
    found = platform.texts[-1]
    await platform.say("Bubbles, undo that", chat="supergroup")

    assert "4711" in found
    assert await app.services.get(ReminderService).open_in(NEW) == ()


async def test_operator_is_told_to_allow_the_new_id(platform, clock):
    lines = []
    sink = logger.add(lines.append, level="WARNING")
    settings = Settings(bot=BotSettings(timezone="UTC"), router=RouterSettings(allowed_chats=[OLD.key]))
    async with build_in_memory(settings, platforms=[platform], clock=clock):
        await platform.handle(MOVED)
    logger.remove(sink)

    (warning,) = lines
    assert "fake:supergroup is not in router.allowed_chats; add it there instead of fake:group" in warning
