"""Each platform detects a connection without incoming data, reports it and reconnects."""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the libraries of Discord and Feishu
]

SECONDS = 2.0
DEAF_AFTER = timedelta(seconds=SECONDS)
# How each is quiet and yet heard within that time.
QUIET = {"telegram": {"poll_seconds": 1, "stale_after": DEAF_AFTER}, "slack": {"ping_seconds": SECONDS / 4}}


class Lines:
    """Every wire with its server, connected."""

    def __init__(self):
        self.platforms = {}
        self.servers = {}

    @property
    def states(self):
        return {name: platform.health.state for name, platform in self.platforms.items()}

    def are(self, state):
        return set(self.states.values()) == {state}

    def deafen(self):
        """Leave the lines as they are and answer nothing over them."""
        for name, server in self.servers.items():
            if name == "slack":  # its HTTP library pings by itself, and hangs up when nothing at all comes
                server.answers_pings = False
            else:
                server.mute()


@pytest.fixture
async def lines(wires, running):
    lines = Lines()
    async with AsyncExitStack() as resources:
        for name, (make_server, make_platform) in wires.items():
            lines.servers[name] = server = await resources.enter_async_context(make_server())
            if name == "discord":
                server.heartbeat_milliseconds = 500
                resources.enter_context(server.reached())
            platform = make_platform(server, **QUIET.get(name, {"stale_after": DEAF_AFTER}))
            lines.platforms[name] = await resources.enter_async_context(running(platform))
        yield lines


async def test_quiet_connection_is_live_and_unanswered_one_is_stale_until_renewed(lines, receiver, until):
    await until(lambda: lines.are("live"), seconds=90)  # the SDK of Feishu takes its time
    begun = {name: platform.health.reconnects for name, platform in lines.platforms.items()}
    seen = [dict(lines.states)]
    for _ in range(12):
        await asyncio.sleep(SECONDS / 10)
        seen.append(dict(lines.states))
    lines.deafen()
    deaf = set()
    await until(lambda: deaf.update(name for name, state in lines.states.items() if state == "deaf") or len(deaf) == 6)
    for server in lines.servers.values():
        server.answers_pings = True
        await server.disconnect()
    await until(lambda: lines.are("live"))
    for server in lines.servers.values():
        await server.say("tea")
    await receiver.wait_for(6)

    assert {name: {each[name] for each in seen} for name in lines.platforms} == {n: {"live"} for n in lines.platforms}
    assert all(platform.health.reconnects > begun[name] for name, platform in lines.platforms.items())
    assert {message.address.platform for message in receiver.heard} == set(lines.platforms)
