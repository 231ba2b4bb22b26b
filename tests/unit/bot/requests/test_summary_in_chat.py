"""Summaries in a chat: private answers, links and buttons for reminders."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.platforms.base import Capabilities
from bot.testing.clocks import FixedClock
from bot.testing.platform import FakePlatform
from services.storage.database import Database


class RichPlatform(FakePlatform):
    """Has whispers, buttons and links."""

    def link(self, address, message_id):
        return f"https://chat.example/{address.chat_id}/{message_id}"


@pytest.fixture
async def platform():
    clock = FixedClock(datetime(2026, 11, 20, 10, 0, tzinfo=ZoneInfo("Europe/Berlin")))
    platform = RichPlatform(clock)
    platform.capabilities = Capabilities(private_replies=True, choices=True)
    settings = Settings(bot=BotSettings(timezone="Europe/Berlin"), log=LogSettings(to_file=False))
    async with build_app(settings, platforms=[platform], clock=clock, database=Database("sqlite://")):
        await platform.say("The release is on Thursday at 6 pm", sender="bob")
        clock.set(clock.now().replace(minute=5))
        yield platform


async def test_missed_messages_are_summarised_privately_with_links(platform):
    await platform.say("what did I miss?", sender="ann")

    message = platform.sent[-1][1]
    assert message.private_to is not None
    assert message.private_to.id == "ann"
    assert "(https://chat.example/home/message-1)" in message.text


async def test_button_of_a_date_in_a_summary_sets_a_reminder(platform):
    await platform.say("summarize", sender="ann")
    (offer,) = platform.sent[-1][1].choices

    await platform.say(offer.says, sender="cleo")

    assert offer.label.startswith("⏰ Thursday 26 November")
    assert "Set [" in platform.texts[-1]
    assert "Thursday 26 November at 18:00" in platform.texts[-1]
