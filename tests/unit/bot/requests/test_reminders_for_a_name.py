"""Reminders for an unknown name, which are listed to the only member with that name."""

import pytest

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import StandingClock
from bot.testing.in_memory import NOW
from bot.testing.platform import FakePlatform
from services.storage.database import Database


@pytest.mark.parametrize(
    ("writers", "is_listed"), [(("zoe",), True), (("zoe lee", "zoe fox"), False), (("kim",), False)]
)
async def test_reminder_for_a_name_is_listed_to_the_only_member_with_it(writers, is_listed):
    clock = StandingClock(NOW)
    platform = FakePlatform(clock)
    settings = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))
    async with build_app(settings, platforms=[platform], clock=clock, database=Database("sqlite://")):
        await platform.say("Bubbles, remind Zoe tomorrow at 9:00 to pack", sender="ann")
        for writer in reversed(writers):
            await platform.say("hello", sender=writer)
        await platform.say("Bubbles, my reminders", sender=writers[0])
        answer = platform.texts[-1]

    assert (": pack" in answer or "· pack" in answer) is is_listed
