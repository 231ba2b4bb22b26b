"""Stopped answers, and messages that the platform has already recorded."""

import asyncio

from msgspec.structs import replace

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.inbound.middleware import Deduplication
from bot.testing.clocks import StandingClock
from bot.testing.platform import FakePlatform
from bot.testing.turns import HOME, NOW, make_message
from function_calls.tools.calls import Interpretation
from services.history.service import HistoryService
from services.storage.database import Database
from tests.support.stores.messages import MemoryMessageStore


class Endless:
    """An interpreter that is still thinking."""

    def __init__(self):
        self.is_asked = asyncio.Event()

    async def interpret(self, turn):
        del turn
        self.is_asked.set()
        await asyncio.Event().wait()
        return Interpretation()


async def test_stopped_answer_is_not_sent():
    thinking, clock = Endless(), StandingClock(NOW)
    platform = FakePlatform(clock)
    settings = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))
    database = Database("sqlite://")
    async with build_app(settings, platforms=[platform], interpreter=thinking, clock=clock, database=database) as app:
        saying = asyncio.create_task(platform.say("Bubbles, think", message_id="m1"))
        await thinking.is_asked.wait()
        address = replace(HOME, platform=platform.name)

        was_made = await app.pipeline.router.stop(address, "m1")
        await saying
        again = await app.pipeline.router.stop(address, "m1")

    assert (was_made, again) == (True, False)
    assert platform.texts == []


async def test_a_message_that_the_platform_has_recorded_is_passed_on_and_not_recorded_again():
    history, passed = HistoryService(MemoryMessageStore()), []
    once = Deduplication(history)

    async def keep(message):
        passed.append(message)

    message = make_message("hello")
    await history.record(message)
    await once(replace(message, is_recorded=True), keep)
    await once(message, keep)

    assert len(passed) == 1
    assert len(await history.recent(HOME)) == 1
