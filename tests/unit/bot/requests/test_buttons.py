"""Buttons, whose texts the bot understands without a model."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from services.kernel.languages import language_of

pytestmark = pytest.mark.looptime
SETTINGS = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))
ONCE = {
    "en": "remind me in 1 minute to stretch",
    "zh": "一分钟后提醒我活动一下",
    "es": "recuérdame en 1 minuto estirar",
}
DAILY = {
    "en": "remind me every day at 9:01 to water the plants",
    "zh": "每天9点01分提醒我浇花",
    "es": "recuérdame todos los días a las 9:01 regar",
}


@pytest.fixture
async def platform():
    clock = LoopClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    platform = FakePlatform(clock)
    app = build_in_memory(
        SETTINGS,
        platforms=[platform],
        clock=clock,
    )
    async with app:
        yield platform


async def press(platform, number):
    """Press a button of the last message of the bot, as somebody who sees it would."""
    _, message = platform.sent[-1]
    await platform.say(message.choices[number].says, reply_to=platform.sent_ids[-1])


@pytest.mark.parametrize("language", ["en", "zh", "es"])
async def test_fired_reminder_is_sent_again_after_its_snooze_button(platform, language):
    await platform.say(ONCE[language])
    await asyncio.sleep(61)
    fired = platform.texts[-1]
    await press(platform, 1)
    count = len(platform.texts)
    await asyncio.sleep(8 * 60)
    assert len(platform.texts) == count

    await asyncio.sleep(4 * 60)

    assert platform.texts[-1] == fired


@pytest.mark.parametrize(("language", "an_hour"), [("en", "in 1 hour"), ("zh", "1 小时后"), ("es", "en 1 hora")])
async def test_fired_reminder_is_snoozed_by_an_hour(platform, language, an_hour):
    await platform.say(ONCE[language])
    await asyncio.sleep(61)
    await press(platform, 2)

    assert an_hour in platform.texts[-1]


@pytest.mark.parametrize(("language", "tomorrow"), [("en", "tomorrow"), ("zh", "明天"), ("es", "mañana")])
async def test_fired_reminder_is_snoozed_until_tomorrow(platform, language, tomorrow):
    await platform.say(ONCE[language])
    await asyncio.sleep(61)
    await press(platform, 3)

    assert tomorrow in platform.texts[-1].casefold()


@pytest.mark.parametrize(
    ("language", "question"), [("en", "list my reminders"), ("zh", "我有哪些提醒"), ("es", "lista mis recordatorios")]
)
async def test_repeating_reminder_is_deleted_by_its_last_button(platform, language, question):
    await platform.say(DAILY[language])
    await asyncio.sleep(61)
    await press(platform, -1)
    await platform.say(question)

    assert "plants" not in platform.texts[-1]
    assert "浇花" not in platform.texts[-1]
    assert "regar" not in platform.texts[-1]


@pytest.mark.parametrize("language", ["en", "zh", "es"])
async def test_done_is_acknowledged(platform, language):
    await platform.say(ONCE[language])
    await asyncio.sleep(61)
    count = len(platform.texts)
    await press(platform, 0)

    assert len(platform.texts) == count + 1


@pytest.mark.parametrize("language", ["en", "zh", "es"])
async def test_confirmation_is_undone_by_its_button(platform, language):
    await platform.say(ONCE[language])
    await press(platform, -1)
    count = len(platform.texts)
    await asyncio.sleep(120)

    assert len(platform.texts) == count


@pytest.mark.parametrize(
    ("asks", "hour"),
    [
        ("remind me tomorrow at 6 to cook", "18:00"),
        ("明天6点提醒我做饭", "18:00"),
        ("recuérdame mañana a las 6 cocinar", "18:00"),
    ],
    ids=["en", "zh", "es"],
)
async def test_a_question_is_answered_by_a_button(platform, asks, hour):
    await platform.say(asks)

    await press(platform, 1)

    assert "✅" in platform.texts[-1]
    assert hour in platform.texts[-1]


@pytest.mark.parametrize(
    ("asks", "done"),
    [("forget me", "🧽 Deleted"), ("忘掉我", "🧽 已"), ("olvídame", "🧽 Borrado")],
    ids=["en", "zh", "es"],
)
async def test_forgetting_is_confirmed_by_its_button(platform, asks, done):
    await platform.say(f"bubbles {asks}")

    await press(platform, 0)

    assert done in platform.texts[-1]


@pytest.mark.parametrize("language", ["en", "zh", "es"])
async def test_a_button_is_answered_in_its_language(platform, language):
    await platform.say(ONCE[language])
    answer = platform.texts[-1]
    await press(platform, -1)

    assert language_of(answer, "") == language
    assert language_of(platform.texts[-1], "") == language
