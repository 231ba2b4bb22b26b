"""A new time zone with a count of the person's reminders in other chats."""

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import StandingClock
from bot.testing.in_memory import NOW
from bot.testing.platform import FakePlatform
from services.storage.database import Database


async def test_reminders_of_other_chats_are_counted_when_a_zone_is_set():
    clock = StandingClock(NOW)
    platform = FakePlatform(clock)
    settings = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))
    async with build_app(settings, platforms=[platform], clock=clock, database=Database("sqlite://")):
        await platform.say("remind me tomorrow at 9:00 to see the doctor", sender="ann", chat="ann", is_private=True)
        await platform.say("remind me every day at 10:00 to stretch", sender="ann", chat="ann", is_private=True)
        await platform.say("remind me tomorrow at 9:00 to pack", sender="bob", chat="bob", is_private=True)
        await platform.say("Bubbles, my timezone is Berlin", sender="ann")
        answer = platform.texts[-1]

    assert "2 of your reminders in other chats keep the times they had." in answer
    assert "doctor" not in answer
