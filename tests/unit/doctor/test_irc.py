"""Checks of an IRC network, the nickname and the account."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from bot.config.platform_catalog import IrcSettings
from bot.config.settings import PlatformSettings, Settings
from bot.platforms.irc.doctor import examine
from bot.platforms.kit.doctor import Prober
from services.kernel.clock import SystemClock

SECRET = SecretStr("hunter2")
WELCOME = {"USER": ":net 001 Bubbles :Welcome"}
SASL = {
    "CAP LS": ":net CAP * LS :sasl",
    "CAP REQ": ":net CAP * ACK :sasl",
    "AUTHENTICATE PLAIN": "AUTHENTICATE +",
    "CAP END": ":net 001 Bubbles :Welcome",
}


@asynccontextmanager
async def network(answers):
    """Start a server that answers each line by its beginning, and yield the port."""
    done = asyncio.Event()

    async def serve(reader, writer):
        while raw := await reader.readline():
            for started, answer in answers.items():
                if raw.decode().startswith(started):
                    writer.write(f"{answer}\r\n".encode())
        writer.close()
        done.set()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        async with asyncio.timeout(2):
            await done.wait()


async def findings(port, **values):
    own = IrcSettings(host="127.0.0.1", port=port, encrypted=False, **values)
    async with Prober(SystemClock()) as prober:
        return await examine(Settings(platforms=PlatformSettings(groups={"irc": own})), prober)


async def problems(port, **values):
    return [each.about for each in await findings(port, **values) if each.is_problem]


async def test_working_network_is_ok():
    async with network(WELCOME) as port:
        assert await problems(port, channels=("#team",)) == []


async def test_channel_without_its_sign_is_a_problem():
    async with network(WELCOME) as port:
        found = await findings(port, channels=("#team", "lobby key"))

    [finding] = [each for each in found if each.is_problem]
    assert "lobby" in finding.state_in("en")
    assert "#lobby" in finding.next_step_in("en")


async def test_a_ping_before_the_welcome_is_answered():
    async with network({"USER": "PING :cookie", "PONG :cookie": ":net 001 Bubbles :Welcome"}) as port:
        assert await problems(port) == []


async def test_a_nickname_that_the_running_bot_has_is_no_problem():
    lines = {"NICK Bubbles\r": ":net 433 * Bubbles :in use", "NICK Bubbles_": ":net 001 Bubbles_ :Welcome"}
    async with network(lines) as port:
        assert await problems(port) == []


async def test_an_impossible_nickname_is_a_problem():
    async with network({"NICK": ":net 432 * 小泡 :Erroneous nickname"}) as port:
        found = await findings(port, nick="小泡")

    assert found[0].is_problem
    assert "platforms.irc.nick" in found[0].state_in("en")


async def test_an_account_is_well_with_its_password_only():
    async with network({**SASL, "AUTHENTICATE AEJ": ":net 903 * :ok"}) as port:
        assert await problems(port, account_password=SECRET) == []
    async with network({**SASL, "AUTHENTICATE AEJ": ":net 904 * :no"}) as port:
        assert await problems(port, account_password=SECRET) == ["irc account"]


async def test_password_for_nickserv_only_is_no_problem():
    async with network({"CAP LS": ":net CAP * LS :multi-prefix", "CAP REQ": ":net 001 Bubbles :Welcome"}) as port:
        found = await findings(port, account_password=SECRET)

    assert not any(each.is_problem for each in found)
    assert "not tried" in found[1].state_in("en")


async def test_refused_account_is_a_problem_without_another_login():
    async with network({**SASL, "AUTHENTICATE AEJ": ":net 904 * :no"}) as port:
        assert await problems(port, account_password=SECRET, login=("sasl",)) == ["irc"]


async def test_a_server_that_bans_the_bot_or_hangs_up_is_a_problem():
    async with network({"USER": ":net 465 Bubbles :You are banned"}) as port:
        assert await problems(port) == ["irc"]
    async with network({"USER": "ERROR :too many connections"}) as port:
        assert await problems(port) == ["irc"]


@pytest.mark.parametrize("host", ["127.0.0.1", ""])
async def test_a_server_that_is_away_or_not_named_is_a_problem(host):
    own = IrcSettings(host=host, port=9, encrypted=False)
    async with Prober(SystemClock()) as prober:
        found = await examine(Settings(platforms=PlatformSettings(groups={"irc": own})), prober)

    assert [each.about for each in found if each.is_problem] == ["irc"]


async def test_a_server_without_tls_on_that_port_is_a_problem_that_names_the_ports():
    async def hello(reader, writer):
        writer.write(b":net NOTICE * :hello\r\n")
        writer.close()

    async with await asyncio.start_server(hello, "127.0.0.1", 0) as server, Prober(SystemClock()) as prober:
        own = IrcSettings(host="127.0.0.1", port=server.sockets[0].getsockname()[1])
        found = await examine(Settings(platforms=PlatformSettings(groups={"irc": own})), prober)

    assert found[0].is_problem
    assert "6697" in found[0].next_step_in("en")
