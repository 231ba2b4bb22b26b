"""The welcome in new groups."""

from datetime import UTC, datetime

import pytest

from bot.config.settings import RouterSettings, Settings
from bot.inbound.welcome import Welcome
from bot.outbound.outbox import Outbox
from bot.testing.clocks import StandingClock
from bot.testing.in_memory import build_in_memory
from bot.testing.platform import FakePlatform
from services.kernel.chat import BotAdded, ChatAddress
from services.kernel.errors import DeliveryFailed
from services.kernel.state import MemoryStateStore

HOME = ChatAddress(platform="fake", chat_id="home")


class History:
    async def record_own(self, *_, **__):
        return None


@pytest.fixture
def clock():
    return StandingClock(datetime(2026, 11, 20, 12, 0, tzinfo=UTC))


@pytest.fixture
def platform(clock):
    return FakePlatform(clock)


@pytest.fixture
def welcome(platform, clock):
    outbox = Outbox({"fake": platform}, History(), clock)
    return Welcome(outbox=outbox, state=MemoryStateStore(clock), bot_name="Bubbles", language="en", listens_to_all=True)


async def test_welcome_states_the_data_and_abilities_of_the_bot(welcome, platform):
    await welcome.greet(BotAdded(address=HOME))

    [text] = platform.texts
    assert "Bubbles" in text
    assert "read every message" in text
    assert "forget me" in text


async def test_a_group_is_greeted_once(welcome, platform):
    for _ in range(2):
        await welcome.greet(BotAdded(address=HOME))

    assert len(platform.texts) == 1


async def test_a_chinese_group_is_greeted_in_chinese(welcome, platform):
    await welcome.greet(BotAdded(address=HOME, language="zh"))

    assert platform.texts[0].startswith("大家好")


async def test_refused_welcome_raises_no_error(welcome, platform):
    def refuse(*_):
        raise DeliveryFailed("not allowed to speak", is_permanent=True)

    platform.refuse = refuse
    await welcome.greet(BotAdded(address=HOME))

    assert platform.texts == []


async def test_welcome_that_failed_is_tried_again(welcome, platform):
    attempts = []

    def refuse(*_):
        attempts.append("refused")
        if len(attempts) == 1:
            raise DeliveryFailed("not synced yet", is_of_chat=True)

    platform.refuse = refuse
    await welcome.greet(BotAdded(address=HOME))

    assert len(platform.texts) == 1


async def test_group_that_refused_the_welcome_is_greeted_when_the_bot_is_added_again(welcome, platform):
    def refuse(*_):
        raise DeliveryFailed("not allowed to speak", is_permanent=True)

    platform.refuse = refuse
    await welcome.greet(BotAdded(address=HOME))
    platform.refuse = None
    await welcome.greet(BotAdded(address=HOME))

    assert len(platform.texts) == 1


async def test_group_that_the_bot_does_not_serve_is_not_greeted(platform, clock):
    settings = Settings(router=RouterSettings(allowed_chats=("fake:home",)))
    async with build_in_memory(settings, platforms=[platform], clock=clock):
        await platform.handle(BotAdded(address=ChatAddress(platform="fake", chat_id="other")))
        await platform.handle(BotAdded(address=HOME))

    assert [address.chat_id for address, _ in platform.sent] == ["home"]
