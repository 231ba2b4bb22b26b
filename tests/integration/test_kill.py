"""Killed and suspended processes, which lose no confirmed reminder."""

import asyncio
import random
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest

from services.reminders.delivery.config import DeliveryConfig
from tests.integration.reminder_worker import deliver_until_killed
from tests.integration.workers import Worker
from tests.support.log_lines import whole_lines
from tests.support.timeouts import on_this_machine

pytestmark = [pytest.mark.integration, pytest.mark.timeout(90)]
KILLS = 3
STOPPED_SECONDS = 31
STOPPED_COUNT = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class StoppedWorker:
    """A stopped process, the folder in which it works, and when it was stopped (monotonic seconds)."""

    folder: Path
    process: Worker
    since: float


@asynccontextmanager
async def start_worker(folder: Path, label: str, count: int = 0, seconds: float = 0.0) -> AsyncIterator[Worker]:
    """Start a worker, wait until it is ready, and kill it at the end of the context."""
    process = Worker(folder / f"{label}.log", deliver_until_killed, folder, label, count, seconds)
    try:
        await process.ready()
        yield process
    finally:
        await process.kill()


def read_sent(folder: Path) -> list[list[str]]:
    return [line.split() for line in whole_lines(folder / "sent.txt")]


async def wait_until_sent(folder: Path, count: int, seconds: float) -> None:
    """Wait until `count` different contents were sent."""
    end = monotonic() + seconds
    while len({line[1] for line in read_sent(folder)}) < count:
        assert monotonic() < end, f"only {len(read_sent(folder))} of {count} arrived"
        await asyncio.sleep(0.02)


@pytest.fixture(scope="module", autouse=True)
def stopped_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoppedWorker]:
    """Stop a worker that has claimed reminders due in two seconds, like a suspended machine.

    It stays stopped while the other tests of the module run.
    """
    folder = tmp_path_factory.mktemp("asleep")
    process = Worker(folder / "sleeper.log", deliver_until_killed, folder, "sleeper", STOPPED_COUNT, 2.0)
    asyncio.run(process.ready())
    sleep(0.5)
    process.send_signal(signal.SIGSTOP)
    yield StoppedWorker(folder=folder, process=process, since=monotonic())
    asyncio.run(process.kill())


async def test_kill_between_confirmation_and_due_time_loses_and_repeats_nothing(tmp_path: Path):
    async with start_worker(tmp_path, "first", count=1, seconds=0.5) as process:
        await process.kill()

    async with start_worker(tmp_path, "second"):
        await wait_until_sent(tmp_path, 1, seconds=3)
        await asyncio.sleep(0.3)

    assert [line[1:3] for line in read_sent(tmp_path)] == [["first-0", "second"]]


@pytest.mark.parametrize("seed", range(20))
async def test_kills_in_a_burst_lose_nothing(tmp_path: Path, seed: int):
    chance = random.Random(seed)
    count = 100

    async with start_worker(tmp_path, "burst", count=count, seconds=0.4) as process:
        await wait_until_sent(tmp_path, chance.randrange(1, count), seconds=20)
        await process.kill()
    for kill in range(KILLS - 1):
        async with start_worker(tmp_path, f"restart{kill}") as process:
            await asyncio.sleep(chance.random() * 0.05)
            await process.kill()
    started = monotonic()
    async with start_worker(tmp_path, "last"):
        await wait_until_sent(tmp_path, count, seconds=10)
        took = monotonic() - started
        await asyncio.sleep(0.3)

    lines = read_sent(tmp_path)
    repeats = [line for place, line in enumerate(lines) if line[0] in {earlier[0] for earlier in lines[:place]}]
    assert {line[1] for line in lines} == {f"burst-{number}" for number in range(count)}
    assert len(lines) - len(repeats) == count
    assert len(repeats) <= KILLS * DeliveryConfig().senders
    assert all(line[4] == "True" for line in repeats)
    assert took < on_this_machine(2)


async def test_suspension_past_the_due_time_loses_and_repeats_nothing(stopped_worker: StoppedWorker):
    await asyncio.sleep(STOPPED_SECONDS - (monotonic() - stopped_worker.since))
    sent_while_stopped = len(read_sent(stopped_worker.folder))

    stopped_worker.process.send_signal(signal.SIGCONT)
    continued = monotonic()
    await wait_until_sent(stopped_worker.folder, STOPPED_COUNT, seconds=10)
    took = monotonic() - continued
    await asyncio.sleep(0.5)
    lines = read_sent(stopped_worker.folder)

    assert sent_while_stopped == 0
    assert len(lines) == len({line[0] for line in lines}) == STOPPED_COUNT
    assert took < on_this_machine(2)
