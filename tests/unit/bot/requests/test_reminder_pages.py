"""Pages of long lists of reminders."""

import pytest

from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.in_memory import build_in_memory

pytestmark = pytest.mark.looptime


async def test_next_page_continues_after_the_first(platform, clock):
    settings = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))
    async with build_in_memory(settings, platforms=[platform], clock=clock):
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


async def test_list_without_a_choice_shows_the_next_ten(platform, clock):
    settings = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))
    async with build_in_memory(settings, platforms=[platform], clock=clock):
        for number in range(12):
            await platform.say(f"remind me tomorrow at 8:{number + 10} to do task {number + 1}")
        await platform.say("delete the reminder about elephants")

    lines = platform.texts[-1].splitlines()
    assert lines[10].startswith("10. ")
    assert lines[11:] == ["… and 2 more: “list my reminders” shows all."]
