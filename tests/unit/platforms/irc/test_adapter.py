"""The IRC adapter with a scripted server."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from bot.config.platform_catalog import IrcSettings
from bot.platforms.irc.adapter import IrcPlatform
from bot.testing.platform_rig import until
from services.kernel.clock import SystemClock

HOST = "127.0.0.1"


class ShortClock(SystemClock):
    """Naps take no time."""

    async def nap(self, seconds):
        await super().nap(min(seconds, 0.01))


class Script:
    """A server that answers each line of the bot with the lines of `answers` whose key it begins with."""

    def __init__(self, answers):
        self.lines = []
        self._answers = {"USER": [":s 001 Bubbles :Welcome"], **answers}

    async def serve(self, reader, writer):
        while raw := await reader.readline():
            line = raw.decode().rstrip("\r\n")
            self.lines.append(line)
            for start, answers in self._answers.items():
                if line.startswith(start):
                    writer.write("".join(f"{each}\r\n" for each in answers).encode())
        writer.close()


@asynccontextmanager
async def connect(script, *channels):
    received = []

    async def receive(incoming):
        received.append(incoming)

    server = await asyncio.start_server(script.serve, HOST, 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        settings = IrcSettings(host=HOST, port=port, encrypted=False, channels=channels)
        platform = IrcPlatform(settings, clock=ShortClock(), bot_name="Bubbles")
        running = asyncio.create_task(platform.run(receive))
        try:
            async with asyncio.timeout(2):
                yield platform, received
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize("code", ["437", "470", "476", "479", "489", "520"])
async def test_channel_that_refuses_the_bot_does_not_keep_it_from_others(code):
    script = Script(
        {
            "JOIN #closed": [f":s {code} Bubbles #closed ##other :No"],
            "JOIN #team": [":s 366 Bubbles #team :End of /NAMES list."],
        }
    )
    async with connect(script, "#closed", "#team") as (platform, _):
        await until(lambda: platform.health.state == "live")


async def test_message_of_a_channel_is_received_while_others_are_joined():
    script = Script(
        {
            "JOIN #team": [":s 366 Bubbles #team :End of /NAMES list.", ":ann!a@h PRIVMSG #team :tea?"],
            "JOIN #late": [":s 366 Bubbles #late :End of /NAMES list."],
        }
    )
    async with connect(script, "#team", "#late") as (_, received):
        await until(lambda: received)

    assert received[0].text == "tea?"


async def test_bot_returns_with_the_key_of_a_channel():
    script = Script(
        {"JOIN #team": [":s 366 Bubbles #team :End of /NAMES list.", ":ann!a@h KICK #Team Bubbles :out"]},
    )
    async with connect(script, "#team secret") as (_, _received):
        await until(lambda: len([line for line in script.lines if line.startswith("JOIN")]) > 1)

    assert set(script.lines[3:5]) == {"JOIN #team secret"}
