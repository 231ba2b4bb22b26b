"""A database locked for 40 seconds, and a disk without space."""

import asyncio
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.recurrence.schedule import Schedule
from services.reminders.model import DueNotice, NewReminder
from services.reminders.records import DeliveryState
from services.reminders.service import ReminderService
from services.storage.database import Database
from services.storage.engine.postgres import DatabaseTimeouts
from services.storage.people.state import SqlStateStore
from services.storage.reminders.audit import SqlReminderAudit
from services.storage.reminders.store import SqlReminderStore
from tests.pace import on_this_machine

pytestmark = [pytest.mark.integration, pytest.mark.timeout(90)]
ROOT = Path(__file__).parents[2]
HOME = ChatAddress(platform="console", chat_id="home")
LOCKED_SECONDS = 8
DUE_SECONDS = 2
TIMEOUTS = DatabaseTimeouts(
    busy=timedelta(seconds=5)
)  # shorter than the lock, as the usual half minute is than forty seconds


class FakeCourier:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self._has_said = asyncio.Event()

    async def deliver(self, notice: DueNotice) -> str | None:
        self.said.append(notice.content)
        self._has_said.set()
        return None

    async def until(self, count: int, within: float) -> None:
        """Wait until `count` different reminders were said, `within` seconds."""
        async with asyncio.timeout(within):
            while len(set(self.said)) < count:
                self._has_said.clear()
                await self._has_said.wait()

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(notice, reason)


def wish(content: str, seconds: float) -> NewReminder:
    start = (SystemClock().now() + timedelta(seconds=seconds)).replace(tzinfo=None)
    return NewReminder(
        request_key=content,
        address=HOME,
        creator=Person(id="ann", name="Ann"),
        content=content,
        schedule=Schedule(start=start, zone="UTC"),
        language="en",
    )


async def test_long_lock_over_the_due_time_delays_and_loses_nothing(tmp_path: Path):
    clock, courier, file = SystemClock(), FakeCourier(), tmp_path / "bubbles.db"
    async with Database(f"sqlite:///{file}", timeouts=TIMEOUTS) as database:
        store = SqlReminderStore(database)
        service = ReminderService(store, clock, courier, SqlStateStore(database, clock))
        for number in range(20):
            await service.create(wish(f"tea {number}", 3 + number / 10))
        running = asyncio.create_task(service.worker.run())
        await asyncio.sleep(0.5)

        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        await asyncio.sleep(LOCKED_SECONDS)
        said_meanwhile = list(courier.said)
        other.execute("ROLLBACK")
        other.close()
        await courier.until(20, within=on_this_machine(5))
        await service.create(wish("later", 1))
        await courier.until(21, within=5)
        await asyncio.sleep(0.3)
        running.cancel()
        await asyncio.wait([running])
        records = await SqlReminderAudit(database).deliveries(clock.now() - timedelta(minutes=5), clock.now())

    assert said_meanwhile == []  # nothing is handed over that the ledger does not know
    assert sorted(courier.said) == sorted([*(f"tea {number}" for number in range(20)), "later"])
    assert {record.state for record in records} == {DeliveryState.SENT}


def confine(folder: Path) -> None:
    """Let this process write no file further than the largest is now: the system refuses the rest (EFBIG)."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = max(file.stat().st_size for file in folder.iterdir())
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def fill(folder: Path) -> None:
    """Leave no room on the disk (ENOSPC)."""
    with (folder / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(bytes(4096)):
            pass


def make_room(folder: Path) -> None:
    """Let everything be written again."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    (folder / "filler").unlink(missing_ok=True)


async def until_full_and_after(folder: Path, end_room: Callable[[Path], None]) -> None:
    """Sets reminders until there is no room, waits over the due time, and goes on when there is room again."""
    clock, courier = SystemClock(), FakeCourier()
    async with Database(f"sqlite:///{folder / 'bubbles.db'}") as database:
        service = ReminderService(SqlReminderStore(database), clock, courier, SqlStateStore(database, clock))
        confirmed = []
        for number in range(20):
            await service.create(wish(f"early {number}", DUE_SECONDS))
            confirmed.append(f"early {number}")
        end_room(folder)
        refused = 0
        for number in range(100):
            try:
                await service.create(wish(f"full {number} " + "x" * 900, DUE_SECONDS))
                confirmed.append(f"full {number} " + "x" * 900)
            except Exception:  # whatever kind of error, it was not confirmed
                refused += 1
        running = asyncio.create_task(service.worker.run())
        await asyncio.sleep(DUE_SECONDS + 1)
        said_while_full = len(courier.said)
        make_room(folder)
        await courier.until(len(confirmed), within=10)
        await asyncio.sleep(0.5)
        running.cancel()
        await asyncio.wait([running])
        whole = await database.read(lambda connection: connection.exec_driver_sql("PRAGMA integrity_check").scalar())
    sys.stdout.write(f"{refused} {said_while_full} {len(confirmed)} {whole}\n")
    lost = set(confirmed) - set(courier.said)
    never_confirmed = set(courier.said) - set(confirmed)
    doubled = len(courier.said) - len(set(courier.said))
    sys.stdout.write(f"{len(lost)} {len(never_confirmed)} {doubled}\n")


@pytest.fixture(params=["a small disk", "a limit of the process"])
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder that can be filled up, and how: a disk of two megabytes where one may be mounted."""
    if request.param != "a small disk":
        yield tmp_path, "confine"
        return
    mounting = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(tmp_path)]
    if shutil.which("mount") is None or subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("only root mounts a small disk; the limit of the process, tried beside it, needs no right")
    yield tmp_path, "fill"
    subprocess.run(["umount", str(tmp_path)], check=True)


def test_full_disk_refuses_what_it_cannot_store_and_loses_nothing_confirmed(small: tuple[Path, str]):
    folder, how = small
    done = subprocess.run(
        [sys.executable, __file__, str(folder), how],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    refused, _, _, whole = first.split()
    assert int(refused) > 0
    assert whole == "ok"
    assert second == "0 0 0"


if __name__ == "__main__":
    asyncio.run(until_full_and_after(Path(sys.argv[1]), {"fill": fill, "confine": confine}[sys.argv[2]]))
