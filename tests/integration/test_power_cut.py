"""Copies of a database at random moments, as after power cuts, which have all confirmed data."""

import asyncio
import random
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest

from services.reminders.delivery.config import DeliveryConfig
from tests.integration.reminder_worker import deliver_until_killed
from tests.integration.workers import Worker
from tests.support.log_lines import whole_lines

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
ADDER = Path(__file__).with_name("reminder_adder.py")
ROOT = Path(__file__).parents[2]
CUTS = 8
BURST = 400


def copy_database(folder: Path, number: int) -> Path:
    """Copy the database files into a folder of their own."""
    copy = folder / f"copy{number}"
    copy.mkdir()
    for file in folder.glob("bubbles.db*"):
        if not file.name.endswith(("-shm", ".lock")):
            shutil.copy(file, copy)
    return copy / "bubbles.db"


async def read_last_number(process: asyncio.subprocess.Process, last: int) -> int:
    """Return the last number that the process has printed so far."""
    assert process.stdout is not None
    while True:
        try:
            async with asyncio.timeout(0.05):
                last = int(await process.stdout.readline())
        except TimeoutError:
            return last


async def test_copy_at_a_random_moment_is_intact_and_has_all_confirmed_reminders(tmp_path: Path):
    chance = random.Random(20261121)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ADDER),
        str(tmp_path),
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    last = int(await process.stdout.readline())
    try:
        for cut in range(CUTS):
            await asyncio.sleep(chance.random() * 0.3)
            process.send_signal(signal.SIGSTOP)
            last = await read_last_number(process, last)
            copy = copy_database(tmp_path, cut)
            process.send_signal(signal.SIGCONT)
            with closing(sqlite3.connect(copy)) as connection, connection:
                whole = connection.execute("PRAGMA integrity_check").fetchone()
                numbers = {int(row[0]) for row in connection.execute("SELECT request_key FROM reminder")}
            assert whole == ("ok",)
            assert numbers >= set(range(last + 1))
    finally:
        process.kill()
        await process.wait()
    assert last > CUTS


def read_sent_keys(folder: Path) -> list[str]:
    """Return the keys of all sends in order."""
    return [line.split()[0] for line in whole_lines(folder / "sent.txt")]


async def wait_until_sent(folder: Path, count: int) -> None:
    """Wait until `count` different reminders were sent."""
    end = monotonic() + 20
    while len(set(read_sent_keys(folder))) < count:
        assert monotonic() < end, f"only {len(set(read_sent_keys(folder)))} of {count} arrived"
        await asyncio.sleep(0.01)


def truncate_sent_file(notes: Path, chance: random.Random) -> int:
    """Truncate the file of sends beside the database at a random byte; return the number of lost lines."""
    whole = notes.read_bytes() if notes.exists() else b""
    rest = whole[: chance.randrange(len(whole) + 1)]
    notes.write_bytes(rest)
    return whole.count(b"\n") - rest.count(b"\n")


@pytest.mark.parametrize("seed", range(4))
async def test_worker_on_a_copy_made_during_a_burst_sends_the_rest(tmp_path: Path, seed: int):
    chance = random.Random(seed)
    burst = Worker(tmp_path / "burst.log", deliver_until_killed, tmp_path, "burst", BURST, 0.3)
    try:
        await burst.ready()
        await wait_until_sent(tmp_path, 1)
        await asyncio.sleep(chance.random() * 0.15)
        burst.send_signal(signal.SIGSTOP)
        copy = copy_database(tmp_path, seed).parent
        shutil.copy(tmp_path / "sent.txt", copy)
    finally:
        await burst.kill()
    before = len(read_sent_keys(copy))
    lost_lines = truncate_sent_file(copy / "bubbles.db-sent", chance) if seed % 2 else 0

    rest = Worker(copy / "rest.log", deliver_until_killed, copy, "rest")
    try:
        await rest.ready()
        await wait_until_sent(copy, BURST)
        await asyncio.sleep(0.2)
    finally:
        await rest.kill()

    sent = read_sent_keys(copy)
    assert before < BURST
    assert len(set(sent)) == BURST
    assert len(sent) - BURST <= DeliveryConfig().senders + lost_lines
