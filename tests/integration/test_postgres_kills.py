"""A worker on PostgreSQL killed repeatedly during a burst, which loses nothing."""

import asyncio
import random

import pytest

from services.reminders.delivery.config import DeliveryConfig
from tests.support.timeouts import on_this_machine

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]
SENDERS = DeliveryConfig().senders


@pytest.mark.usefixtures("settled_server")
@pytest.mark.parametrize("seed", range(20))
async def test_kills_in_a_burst_lose_nothing(workers, seed: int):
    chance = random.Random(seed)
    count, kills = 100, 3

    burst = await workers.start("burst", count=count, seconds=0.4)
    await workers.wait_until_sent(chance.randrange(1, count), within=20)
    await burst.kill()
    for number in range(kills - 1):
        again = await workers.start(f"restart{number}")
        await asyncio.sleep(chance.random() * 0.05)
        await again.kill()
    await workers.start("last")
    took = await workers.wait_until_sent(count, within=10)

    await asyncio.sleep(0.3)
    repeats = workers.repeats()
    assert {line[1] for line in workers.sent()} == {f"burst-{number}" for number in range(count)}
    assert len(repeats) <= kills * SENDERS
    assert all(line[4] == "True" for line in repeats)
    assert took < on_this_machine(2)
