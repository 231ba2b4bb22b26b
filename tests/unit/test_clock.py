"""The clock of the machine, in UTC, and its use by the whole bot."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from freezegun import freeze_time

from bot.app.application import build_app
from bot.config.settings import BotSettings, Settings
from bot.testing.clocks import InlineExecutor
from bot.testing.platform import FakePlatform
from services.kernel.clock import SystemClock
from services.storage.database import Database

pytestmark = pytest.mark.timeout(30)  # freezegun looks through every module that other tests have imported
SATURDAY_NIGHT_IN_BERLIN = "2026-03-28 23:30:00"  # in UTC; there it is Sunday, 00:30, and the clocks go forward


@pytest.mark.parametrize("east", [-9, 0, 5.5, 14])
def test_clock_converts_any_instant_to_utc(east: float) -> None:
    moment = datetime(2026, 11, 20, 9, 0, tzinfo=timezone(timedelta(hours=east)))

    with freeze_time(moment):
        now = SystemClock().now()

    assert now == moment
    assert now.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("remind me tomorrow at 9 to call mum", "tomorrow at 09:00, in 32 hours"),
        ("明天早上九点提醒我给妈妈打电话", "明天 09:00（32 小时后）"),
    ],
)
async def test_bot_uses_the_clock_of_the_machine(text: str, expected: str) -> None:
    platform = FakePlatform(SystemClock())
    database = Database("sqlite://", make_thread=InlineExecutor)
    bot = build_app(Settings(bot=BotSettings(timezone="Europe/Berlin")), platforms=[platform], database=database)

    async with bot:
        with freeze_time(SATURDAY_NIGHT_IN_BERLIN, real_asyncio=True):
            await platform.say(text)

    assert expected in platform.texts[-1]
