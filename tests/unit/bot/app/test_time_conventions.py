"""Settings for the reading of times."""

from datetime import UTC, datetime, time
from functools import partial

import pytest

from bot.app.infrastructure import create_time_reader, read_time
from bot.config.settings import BotSettings, LogSettings, Settings, TimeSettings
from bot.config.sources import load_settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from services.kernel.errors import ConfigError

FRIDAY_TEN = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


def test_the_hours_of_the_day_are_the_operator_s():
    reader = create_time_reader(TimeSettings(morning=time(7), evening=time(20)))

    read = [
        reader.parse(words, FRIDAY_TEN).best.start.hour for words in ("tomorrow morning", "明天晚上", "this evening")
    ]

    assert read == [7, 20, 20]


@pytest.mark.parametrize(("order", "first"), [("ask", "05-06"), ("mdy", "05-06"), ("dmy", "06-05")])
def test_the_order_of_dates_is_the_operator_s(order, first):
    readings = create_time_reader(TimeSettings(date_order=order)).parse("on 5/6", FRIDAY_TEN)

    assert (f"{readings.best.start:%m-%d}", readings.ambiguous) == (first, order == "ask")


@pytest.mark.looptime
async def test_reminders_follow_the_settings_for_times():
    settings = Settings(
        bot=BotSettings(timezone="Europe/Berlin"),
        log=LogSettings(to_file=False),
        time=TimeSettings(morning=time(7, 30), date_order="dmy"),
    )
    clock = LoopClock(FRIDAY_TEN)
    platform = FakePlatform(clock)
    async with build_in_memory(settings, platforms=[platform], clock=clock):
        await platform.say("remind me tomorrow morning to stretch", sender="ann", chat="home")
        await platform.say("remind me on 5/6/2027 at 9am to renew my pass", sender="ann", chat="home")

    assert "tomorrow at 07:30" in platform.texts[0]
    assert "5 June 2027" in platform.texts[1]


def test_a_phrase_of_a_summary_is_read_the_same_way():
    read = partial(read_time, create_time_reader(TimeSettings(morning=time(7))))

    assert read("tomorrow morning", FRIDAY_TEN, "en") == datetime(2026, 11, 21, 7, 0, tzinfo=UTC)
    assert read("hello", FRIDAY_TEN, "en") is None


def test_a_time_of_day_is_written_as_a_clock(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text('[time]\nmorning = "07:30"\n', encoding="utf-8")

    assert load_settings(file, {}).time.morning == time(7, 30)


def test_invalid_time_of_day_names_its_key(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text('[time]\nmorning = "early"\n', encoding="utf-8")

    with pytest.raises(ConfigError, match="morning"):
        load_settings(file, {})
