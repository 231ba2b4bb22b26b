"""Messages during an outage of the database, which are recorded and answered afterwards."""

import asyncio

import pytest
from loguru import logger

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.testing.clocks import LoopClock
from bot.testing.platform import FakePlatform
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.errors import StorageUnavailable
from services.storage.database import Database

pytestmark = pytest.mark.looptime

HOME = ChatAddress(platform="fake", chat_id="home")
SETTINGS = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))


class SometimesAway(Database):
    """A database in memory whose server can be switched off."""

    is_away = False

    async def run(self, work, *, is_durable=True):
        self._refuse_if_away()
        return await super().run(work, is_durable=is_durable)

    async def read(self, work):
        self._refuse_if_away()
        return await super().read(work)

    async def run_inline(self, work):
        self._refuse_if_away()
        return await super().run_inline(work)

    def _refuse_if_away(self):
        if self.is_away:
            raise StorageUnavailable("postgresql://db", "connection refused")


@pytest.fixture
async def bot():
    clock = LoopClock()
    platform, database = FakePlatform(clock), SometimesAway("sqlite://")
    async with build_app(SETTINGS, platforms=[platform], clock=clock, database=database) as app:
        await platform.say("Bubbles, help")
        platform.sent.clear()
        yield app, platform, database


@pytest.fixture
def warnings():
    lines: list[str] = []
    sink = logger.add(lambda line: lines.append(str(line)), level="WARNING", format="{message}")
    yield lines
    logger.remove(sink)


def message(number: int) -> ChatMessage:
    clock = LoopClock()
    ann = Person(id="ann", name="ann")
    text = f"Bubbles, remind me to water plant {number} tomorrow at 9:00"
    return ChatMessage(id=f"m{number}", address=HOME, sender=ann, text=text, sent_at=clock.now(), is_addressed=True)


async def test_message_is_accepted_only_once_it_is_recorded(bot):
    app, platform, database = bot
    database.is_away = True
    accepting = asyncio.create_task(platform._receive(message(1)))
    await asyncio.sleep(16)
    was_accepted = accepting.done()
    database.is_away = False
    await (await accepting)

    assert not was_accepted
    assert await app.services.get(HistoryService).find(HOME, "m1") is not None
    assert "plant 1" in platform.texts[0]


async def test_messages_of_an_outage_are_answered_in_order(bot):
    _, platform, database = bot
    database.is_away = True

    async def deliver():
        return [await platform._receive(message(number)) for number in range(3)]

    delivering = asyncio.create_task(deliver())
    await asyncio.sleep(16)
    database.is_away = False
    await asyncio.gather(*await delivering)

    assert [next(str(n) for n in range(3) if f"plant {n}" in text) for text in platform.texts] == ["0", "1", "2"]


async def test_message_is_handled_again_after_an_outage_that_follows_its_recording(bot):
    _, platform, database = bot
    handled = await platform._receive(message(1))
    database.is_away = True
    await asyncio.sleep(16)
    database.is_away = False
    await handled

    assert len(platform.texts) == 1
    assert "plant 1" in platform.texts[0]


async def test_an_outage_is_logged_once_a_minute(bot, warnings):
    _, platform, database = bot
    database.is_away = True
    waiting = [asyncio.create_task(platform._receive(message(number))) for number in range(20)]
    await asyncio.sleep(50)
    database.is_away = False
    for each in waiting:
        await (await each)

    assert len([line for line in warnings if "database not available" in line]) == 1


async def test_a_queued_message_is_recorded_before_the_one_in_front_is_answered(bot):
    app, platform, _ = bot
    gate = asyncio.Event()
    entered = asyncio.Event()
    send = platform.send

    async def slow(address, outgoing):
        entered.set()
        await gate.wait()
        return await send(address, outgoing)

    platform.send = slow
    first = await platform._receive(message(1))
    await entered.wait()
    second = await platform._receive(message(2))
    recorded = await app.services.get(HistoryService).find(HOME, "m2")
    gate.set()
    await first
    await second

    assert recorded is not None


async def test_answer_to_the_same_message_has_the_same_idempotency_key_after_a_restart():
    keys = []
    for _ in range(2):
        clock = LoopClock()
        platform = FakePlatform(clock)
        async with build_app(SETTINGS, platforms=[platform], clock=clock, database=Database("sqlite://")):
            await platform.say("Bubbles, remind me to water plants tomorrow at 9:00", message_id="m1")
        keys += [outgoing.idempotency_key for _, outgoing in platform.sent]

    assert len(keys) == 2
    assert keys[0] == keys[1] is not None
