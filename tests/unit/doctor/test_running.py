"""Checks of the connections of a running bot."""

from pathlib import Path

import pytest
from aiohttp import web
from pydantic import SecretStr

from bot.cli.doctor.machine import examine_running
from bot.config.settings import HttpSettings
from bot.platforms.kit.doctor import Prober
from services.kernel.clock import SystemClock
from tests.support.chat_servers.loopback import LoopbackServer, answer


class RunningBot(LoopbackServer):
    """Answers like the API of a bot; `token` is the required one."""

    def __init__(self, *, token="", **states):
        super().__init__()
        self.token = token
        self.data_dir = None
        self.adapters = [
            {"name": name, "state": state, "detail": "" if state == "live" else "nothing heard"}
            for name, state in states.items()
        ]

    def routes(self, router):
        router.add_get("/api/admin/adapters", self._adapters)

    async def _adapters(self, request: web.Request):
        if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            return answer({"detail": "no"}, status=401)
        return answer({"adapters": self.adapters, "data_dir": self.data_dir or ""})

    def settings(self, **values):
        return HttpSettings(port=int(self.url.rsplit(":", 1)[1]), **values)


async def found(settings):
    async with Prober(SystemClock()) as prober:
        return await examine_running(settings, prober, data_dir=Path("data"))


@pytest.mark.parametrize("state", ["live", "connecting", "elsewhere"])
async def test_bot_with_working_platforms_is_ok(state):
    async with RunningBot(telegram=state) as bot:
        [finding] = await found(bot.settings())

    assert not finding.is_problem
    assert finding.state_in("en") == f"its platforms: telegram {state}"


@pytest.mark.parametrize("state", ["deaf", "stopped"])
async def test_stale_platform_is_a_problem(state):
    async with RunningBot(telegram=state, slack="live") as bot:
        [finding] = await found(bot.settings())

    assert finding.is_problem
    assert "telegram" in finding.state_in("en")
    assert "nothing heard" in finding.state_in("en")


async def test_token_of_the_settings_is_used_and_a_wrong_one_is_no_problem():
    async with RunningBot(token="right", telegram="deaf") as bot:
        right = await found(bot.settings(token=SecretStr("right")))
        wrong = await found(bot.settings(token=SecretStr("wrong")))

    assert [each.is_problem for each in (*right, *wrong)] == [True, False]


async def test_without_a_running_bot_there_is_no_problem():
    [finding] = await found(HttpSettings(port=9))

    assert not finding.is_problem


@pytest.mark.parametrize("values", [{"enabled": False}, {"port": 0}])
async def test_a_bot_that_cannot_be_asked_is_not_mentioned(values):
    assert await found(HttpSettings(**values)) == []


async def test_live_platform_that_is_out_of_a_room_is_a_problem():
    async with RunningBot(xmpp="live") as bot:
        bot.adapters[0]["detail"] = "not in team@rooms (kicked)"
        [finding] = await found(bot.settings())

    assert finding.is_problem
    assert "not in team@rooms (kicked)" in finding.state_in("en")


async def test_bot_of_another_data_folder_is_a_problem():
    async with RunningBot(telegram="live") as bot:
        bot.data_dir = "/srv/other/data"
        [finding] = await found(bot.settings())

    assert finding.is_problem
    assert "/srv/other/data" in finding.state_in("en")


@pytest.mark.parametrize("host", ["::", "::1"])
async def test_ipv6_address_is_written_in_brackets(host):
    [finding] = await found(HttpSettings(host=host, port=9, token=SecretStr("x" * 24)))

    assert "http://[::1]:9" in finding.state_in("en")
