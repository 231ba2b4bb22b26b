"""A line that looks well and over which nothing comes: each platform notices, says so, and comes back."""

import asyncio
from contextlib import nullcontext
from datetime import timedelta

import pytest

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(60),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the libraries of Discord and Feishu
]

SECONDS = 2.0
DEAF_AFTER = timedelta(seconds=SECONDS)
# How each is quiet and yet heard within that time.
QUIET = {"telegram": {"poll_seconds": 1, "deaf_after": DEAF_AFTER}, "slack": {"ping_seconds": SECONDS / 4}}


def deafen(name, server):
    """Leave the line as it is and answer nothing over it."""
    if name == "slack":  # its HTTP library pings by itself, and hangs up when nothing at all comes
        server.answers_pings = False
    else:
        server.mute()


async def test_a_quiet_line_is_live_and_one_without_an_answer_is_deaf_until_it_is_made_again(wire, ear, running, until):
    name, make_server, make_platform = wire
    async with make_server() as server:
        server.heartbeat_milliseconds = 500  # of Discord
        with server.reached() if name == "discord" else nullcontext():
            async with running(make_platform(server, **QUIET.get(name, {"deaf_after": DEAF_AFTER}))) as platform:
                await until(lambda: platform.health.state == "live")
                since = platform.health.since
                await asyncio.sleep(1.2 * SECONDS)
                quiet = platform.health
                deafen(name, server)
                await until(lambda: platform.health.state == "deaf")
                server.answers_pings = True
                await server.disconnect()
                await until(lambda: platform.health.state == "live")
                again = platform.health
                await server.say("tea")
                await ear.hears(1)

    assert (quiet.state, quiet.since) == ("live", since)
    assert again.reconnects == 1
    assert ear.texts == ["tea"]
