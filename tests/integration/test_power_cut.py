"""What is on the disk at any moment is a whole database with everything that was confirmed by then."""

import asyncio
import random
import shutil
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
ADDER = Path(__file__).with_name("reminder_adder.py")
ROOT = Path(__file__).parents[2]
CUTS = 8


def copied(folder: Path, number: int) -> Path:
    """The files as they are now, in a folder of their own."""
    copy = folder / f"copy{number}"
    copy.mkdir()
    for file in folder.glob("bubbles.db*"):
        if not file.name.endswith(("-shm", ".lock")):
            shutil.copy(file, copy)
    return copy / "bubbles.db"


async def confirmed_by(process: asyncio.subprocess.Process, last: int) -> int:
    """The last number that the process has printed, waiting for no more."""
    assert process.stdout is not None
    while True:
        try:
            async with asyncio.timeout(0.05):
                last = int(await process.stdout.readline())
        except TimeoutError:
            return last


async def test_a_copy_at_a_random_moment_is_whole_and_has_all_that_was_confirmed(tmp_path: Path):
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
            last = await confirmed_by(process, last)
            copy = copied(tmp_path, cut)
            process.send_signal(signal.SIGCONT)
            with sqlite3.connect(copy) as connection:
                whole = connection.execute("PRAGMA integrity_check").fetchone()
                kept = {int(row[0]) for row in connection.execute("SELECT request_key FROM reminder")}
            assert whole == ("ok",)
            assert kept >= set(range(last + 1))
    finally:
        process.kill()
        await process.wait()
    assert last > CUTS
