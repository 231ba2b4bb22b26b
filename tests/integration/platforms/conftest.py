"""Fixtures for platforms: a recording receiver, and the adapter and fake server of every network."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from bot.platforms.base import Platform
from services.kernel.chat import ChatMessage, Incoming
from services.kernel.clock import SystemClock
from tests.support.chat_servers.dingtalk import DingTalkServer
from tests.support.chat_servers.discord import DiscordServer
from tests.support.chat_servers.feishu import FeishuServer
from tests.support.chat_servers.onebot import OneBotClient
from tests.support.chat_servers.slack import SlackServer
from tests.support.chat_servers.telegram import TelegramServer


class Receiver:
    """Records the events of a platform."""

    def __init__(self) -> None:
        self.received: list[Incoming] = []
        self._changed = asyncio.Condition()

    async def receive(self, incoming: Incoming) -> Awaitable[object]:
        async with self._changed:
            self.received.append(incoming)
            self._changed.notify_all()
        done = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.received if isinstance(each, ChatMessage)]

    async def wait_for(self, count: int, seconds: float = 20) -> None:
        async with asyncio.timeout(seconds), self._changed:
            await self._changed.wait_for(lambda: len(self.received) >= count)


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def running(receiver) -> Callable[[Platform], object]:
    @asynccontextmanager
    async def run(platform: Platform) -> AsyncIterator[Platform]:
        task = asyncio.create_task(platform.run(receiver.receive))
        try:
            yield platform
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    return run


async def until(condition: Callable[[], object], seconds: float = 20) -> None:
    """Poll `condition` until it holds."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - ports and states have no event
            await asyncio.sleep(0.01)


@pytest.fixture(name="until")
def _until() -> Callable[..., object]:
    return until


def telegram(server, **more):
    from bot.config.platform_catalog import TelegramSettings
    from bot.platforms.telegram.adapter import TelegramPlatform

    seconds = more.pop("poll_seconds", 5)
    settings = TelegramSettings(token=SecretStr(server.token), api_url=server.url, poll_seconds=seconds)
    return TelegramPlatform(settings, SystemClock(), "Bubbles", **more)


def discord(server, **more):
    from bot.config.platform_catalog import DiscordSettings
    from bot.platforms.discord.adapter import DiscordPlatform

    return DiscordPlatform(DiscordSettings(token=SecretStr(server.token)), SystemClock(), "Bubbles", **more)


def slack(server, **more):
    from bot.config.platform_catalog import SlackSettings
    from bot.platforms.slack.adapter import SlackPlatform

    tokens = {"bot_token": server.bot_token, "app_token": server.app_token}
    options = SlackSettings(api_url=server.api_url, **tokens)
    return SlackPlatform(options, SystemClock(), "Bubbles", **{"ping_seconds": 0.5, **more})


def onebot(server, **more):
    from bot.config.platform_catalog import OneBotSettings
    from bot.platforms.onebot.adapter import OneBotPlatform

    return OneBotPlatform(OneBotSettings(mode="forward", url=server.socket_url), SystemClock(), "Bubbles", **more)


def dingtalk(server, **more):
    from bot.config.platform_catalog import DingTalkSettings
    from bot.platforms.dingtalk.adapter import DingTalkPlatform

    secrets = {"client_id": server.client_id, "client_secret": SecretStr(server.client_secret)}
    return DingTalkPlatform(DingTalkSettings(api_url=server.url, **secrets), SystemClock(), "Bubbles", **more)


def feishu(server, **more):
    from bot.config.platform_catalog import FeishuSettings
    from bot.platforms.feishu.adapter import FeishuPlatform

    secrets = {"app_id": server.app_id, "app_secret": SecretStr(server.app_secret)}
    return FeishuPlatform(FeishuSettings(domain=server.url, **secrets), SystemClock(), "Bubbles", **more)


NETWORKS = {
    "telegram": (TelegramServer, telegram),
    "discord": (DiscordServer, discord),
    "slack": (SlackServer, slack),
    "onebot": (OneBotClient, onebot),
    "dingtalk": (DingTalkServer, dingtalk),
    "feishu": (FeishuServer, feishu),
}


@pytest.fixture
def networks():
    """Return the server and the platform of every network by its name."""
    return NETWORKS


@pytest.fixture(params=NETWORKS)
def network(request):
    """Return the name, server and platform of each network."""
    return request.param, *NETWORKS[request.param]
