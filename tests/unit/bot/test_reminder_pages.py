"""Long lists come by pages, under their days."""

from datetime import UTC, datetime

import pytest

from bot.app import build_app
from bot.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.platform import FakePlatform
from bot.testing.threads import InlineExecutor
from bot.testing.timetables import LoopTimetable
from services.storage.database import Database

pytestmark = pytest.mark.looptime


async def test_the_next_page_goes_on_where_the_first_ended():
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    settings = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))
    database = Database("sqlite://", make_thread=InlineExecutor)
    async with build_app(settings, platforms=[platform], clock=clock, database=database, timetable=LoopTimetable()):
        for number in range(17):
            await platform.say(f"remind me tomorrow at 8:{number + 10} to do task {number + 1}")
        await platform.say("list my reminders")
        await platform.say("next page")
        await platform.say("next page")

    first, second = platform.texts[-2:]
    assert first.splitlines()[14].startswith("15. ")
    assert first.endswith("Page 1 of 2, 17 reminders in all; “next page” shows more.")
    assert [line[:3] for line in second.splitlines()[:2]] == ["16.", "17."]
    assert second.endswith("Page 2 of 2, 17 reminders in all.")
