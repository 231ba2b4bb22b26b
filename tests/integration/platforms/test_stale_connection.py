"""Stale connections of each platform, which are detected, reported and renewed."""

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
STALE_AFTER = timedelta(seconds=SECONDS)
# Options with which a quiet connection still receives data within that time.
QUIET = {"telegram": {"poll_seconds": 1, "stale_after": STALE_AFTER}, "slack": {"ping_seconds": SECONDS / 4}}


class Connections:
    """The connected platforms and servers of every network."""

    def __init__(self):
        self.platforms = {}
        self.servers = {}

    @property
    def states(self):
        return {name: platform.health.state for name, platform in self.platforms.items()}

    def has_only(self, state):
        return set(self.states.values()) == {state}

    def stop_answering(self):
        """Make the servers stop answering without closing the connections."""
        for name, server in self.servers.items():
            if name == "slack":  # its HTTP library sends pings and closes the connection without any data
                server.answers_pings = False
            else:
                server.mute()


@pytest.fixture
async def connections(networks, running):
    connections = Connections()
    async with AsyncExitStack() as resources:
        for name, (make_server, make_platform) in networks.items():
            connections.servers[name] = server = await resources.enter_async_context(make_server())
            if name == "discord":
                server.heartbeat_milliseconds = 500
                resources.enter_context(server.redirect_client())
            platform = make_platform(server, **QUIET.get(name, {"stale_after": STALE_AFTER}))
            connections.platforms[name] = await resources.enter_async_context(running(platform))
        yield connections


async def test_quiet_connection_is_live_and_unanswered_one_is_stale_until_renewed(connections, receiver, until):
    await until(lambda: connections.has_only("live"), seconds=90)  # the SDK of Feishu takes its time
    reconnects = {name: platform.health.reconnects for name, platform in connections.platforms.items()}
    seen = [dict(connections.states)]
    for _ in range(12):
        await asyncio.sleep(SECONDS / 10)
        seen.append(dict(connections.states))
    connections.stop_answering()
    stale = set()
    await until(
        lambda: stale.update(name for name, state in connections.states.items() if state == "deaf") or len(stale) == 6
    )
    for server in connections.servers.values():
        server.answers_pings = True
        await server.disconnect()
    await until(lambda: connections.has_only("live"))
    for server in connections.servers.values():
        await server.say("tea")
    await receiver.wait_for(6)

    assert {name: {each[name] for each in seen} for name in connections.platforms} == {
        n: {"live"} for n in connections.platforms
    }
    assert all(platform.health.reconnects > reconnects[name] for name, platform in connections.platforms.items())
    assert {message.address.platform for message in receiver.received} == set(connections.platforms)
