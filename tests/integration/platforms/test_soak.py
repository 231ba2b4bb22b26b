"""Many messages on each network over breaking connections, of which none is lost or handled twice.

`BUBBLES_SOAK=10000 pytest -m integration -k soak -s` is a long run that prints its figures.
"""

import asyncio
import os
import random
import time
from collections import Counter
from contextlib import nullcontext

import pytest

from bot.platforms.base import OutgoingMessage
from services.kernel.errors import DeliveryFailed
from tests.support.chat_servers.onebot import OneBotClient
from tests.support.memory import resident_bytes

MESSAGES = int(os.environ.get("BUBBLES_SOAK", "200"))
BURST = 20
CUTS = 2 if MESSAGES <= 200 else 6  # the adapter waits longer after each cut
MEGABYTE = 1_000_000
# The test itself stores three megabytes of texts and ids of ten thousand messages.
MAX_GROWTH = 8 * MEGABYTE

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(120 if MESSAGES <= 200 else 900),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the libraries of Discord and Feishu
]


# OneBot has no acknowledgements: messages under way when a connection breaks are lost.
WITHOUT_ACKNOWLEDGEMENTS = {"onebot"}


class EchoBot:
    """Answers each message id once, as the bot does, and records failed deliveries."""

    def __init__(self, platform):
        self.platform = platform
        self.texts = Counter()
        self.again = 0
        self.failed = set()
        self._ids = set()
        self._answering = set()

    async def receive(self, message):
        if message.id in self._ids:
            self.again += 1
        else:
            self._ids.add(message.id)
            self.texts[message.text] += 1
            task = asyncio.create_task(self._answer(message))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        done = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    async def _answer(self, message):
        try:
            await self.platform.send(message.address, OutgoingMessage(text=f"echo {message.text}"))
        except DeliveryFailed:
            self.failed.add(f"echo {message.text}")

    async def settle(self):
        while self._answering:
            await asyncio.wait(set(self._answering))


async def cut(server):
    if isinstance(server, OneBotClient):
        await server.hang_up()
    else:
        await server.disconnect()


async def test_soak_loses_and_repeats_nothing(network, until):
    chance = random.Random(7)
    name, make_server, make_platform = network
    async with make_server() as server:
        with server.redirect_client() if name == "discord" else nullcontext():
            bot = EchoBot(make_platform(server))
            running = asyncio.create_task(bot.platform.run(bot.receive))
            await until(lambda: bot.platform.health.state == "live", seconds=60)
            started, early, sent = time.monotonic(), 0, Counter()
            cuts = set(chance.sample(range(1, MESSAGES // BURST), min(CUTS, MESSAGES // BURST - 1)))
            for burst in range(MESSAGES // BURST):
                for number in range(burst * BURST, (burst + 1) * BURST):
                    await server.say(f"message {number}")
                if burst in cuts and name not in WITHOUT_ACKNOWLEDGEMENTS:
                    await cut(server)
                count = (burst + 1) * BURST
                await until(lambda count=count: len(bot.texts) >= count, seconds=60)
                if burst in cuts and name in WITHOUT_ACKNOWLEDGEMENTS:
                    await cut(server)
                await bot.settle()
                sent.update(server.sent.texts)
                server.clear_records()
                if burst == MESSAGES // BURST // 4:
                    early = resident_bytes()
            seconds, grown = time.monotonic() - started, resident_bytes() - early
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    print(  # noqa: T201 - the figures of a long run
        f"\n{name}: {MESSAGES} messages, {len(cuts)} cuts, {seconds:.1f} s, delivered again {bot.again}, "
        f"answers unknown {len(bot.failed)}, memory {grown / MEGABYTE:+.1f} MB"
    )
    assert bot.texts == Counter(f"message {number}" for number in range(MESSAGES))
    assert max(sent.values()) == 1
    assert {f"echo {text}" for text in bot.texts} <= set(sent) | bot.failed
    assert MESSAGES <= 200 or grown < MAX_GROWTH
