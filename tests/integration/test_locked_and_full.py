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
from services.time_expressions import parse_all
from tests.support.timeouts import on_this_machine

pytestmark = [pytest.mark.integration, pytest.mark.timeout(90)]
ROOT = Path(__file__).parents[2]
HOME = ChatAddress(platform="console", chat_id="home")
LOCKED_SECONDS = 8
DUE_SECONDS = 2
TIMEOUTS = DatabaseTimeouts(busy=timedelta(seconds=5))  # shorter than the lock


class RecordingNotifier:
    """A notifier that records the contents of reminders."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self._has_sent = asyncio.Event()

    async def deliver(self, notice: DueNotice) -> str | None:
        self.sent.append(notice.content)
        self._has_sent.set()
        return None

    async def wait_until_sent(self, count: int, within: float) -> None:
        """Wait until `count` different reminders were sent."""
        async with asyncio.timeout(within):
            while len(set(self.sent)) < count:
                self._has_sent.clear()
                await self._has_sent.wait()

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(notice, reason)


def make_reminder(content: str, seconds: float) -> NewReminder:
    start = (SystemClock().now() + timedelta(seconds=seconds)).replace(tzinfo=None)
    return NewReminder(
        request_key=content,
        address=HOME,
        creator=Person(id="ann", name="Ann"),
        content=content,
        schedule=Schedule(start=start, zone="UTC"),
        language="en",
    )


async def test_lock_past_the_due_time_delays_and_loses_nothing(tmp_path: Path):
    clock, notifier, file = SystemClock(), RecordingNotifier(), tmp_path / "bubbles.db"
    async with Database(f"sqlite:///{file}", timeouts=TIMEOUTS) as database:
        store = SqlReminderStore(database)
        service = ReminderService(store, clock, notifier, SqlStateStore(database, clock), times=parse_all)
        for number in range(20):
            await service.create(make_reminder(f"tea {number}", 3 + number / 10))
        running = asyncio.create_task(service.worker.run())
        await asyncio.sleep(0.5)

        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        await asyncio.sleep(LOCKED_SECONDS)
        sent_meanwhile = list(notifier.sent)
        other.execute("ROLLBACK")
        other.close()
        await notifier.wait_until_sent(20, within=on_this_machine(5))
        await service.create(make_reminder("later", 1))
        await notifier.wait_until_sent(21, within=5)
        await asyncio.sleep(0.3)
        running.cancel()
        await asyncio.wait([running])
        records = await SqlReminderAudit(database).deliveries(clock.now() - timedelta(minutes=5), clock.now())

    assert sent_meanwhile == []  # an occurrence is sent only after its attempt is in the ledger
    assert sorted(notifier.sent) == sorted([*(f"tea {number}" for number in range(20)), "later"])
    assert {record.state for record in records} == {DeliveryState.SENT}


def limit_file_size(folder: Path) -> None:
    """Limit the files of this process to the size of the largest one, beyond which writes fail with EFBIG."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = max(file.stat().st_size for file in folder.iterdir())
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def fill_disk(folder: Path) -> None:
    """Fill the disk, so that writes fail with ENOSPC."""
    with (folder / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(bytes(4096)):
            pass


def free_space(folder: Path) -> None:
    """Remove the limit and the filler."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    (folder / "filler").unlink(missing_ok=True)


async def deliver_on_a_full_disk(folder: Path, exhaust: Callable[[Path], None]) -> None:
    """Set reminders until the disk is full, wait past their due time, and deliver them once there is space."""
    clock, notifier = SystemClock(), RecordingNotifier()
    async with Database(f"sqlite:///{folder / 'bubbles.db'}") as database:
        service = ReminderService(
            SqlReminderStore(database), clock, notifier, SqlStateStore(database, clock), times=parse_all
        )
        confirmed = []
        for number in range(20):
            await service.create(make_reminder(f"early {number}", DUE_SECONDS))
            confirmed.append(f"early {number}")
        exhaust(folder)
        refusals = 0
        for number in range(100):
            try:
                await service.create(make_reminder(f"full {number} " + "x" * 900, DUE_SECONDS))
                confirmed.append(f"full {number} " + "x" * 900)
            except Exception:  # not confirmed, for any reason
                refusals += 1
        running = asyncio.create_task(service.worker.run())
        await asyncio.sleep(DUE_SECONDS + 1)
        sent_while_full = len(notifier.sent)
        free_space(folder)
        await notifier.wait_until_sent(len(confirmed), within=10)
        await asyncio.sleep(0.5)
        running.cancel()
        await asyncio.wait([running])
        whole = await database.read(lambda connection: connection.exec_driver_sql("PRAGMA integrity_check").scalar())
    sys.stdout.write(f"{refusals} {sent_while_full} {len(confirmed)} {whole}\n")
    lost = set(confirmed) - set(notifier.sent)
    never_confirmed = set(notifier.sent) - set(confirmed)
    repeated = len(notifier.sent) - len(set(notifier.sent))
    sys.stdout.write(f"{len(lost)} {len(never_confirmed)} {repeated}\n")


@pytest.fixture(params=["a small disk", "a limit of the process"])
def small_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Return a folder of limited space, and the name of the function that exhausts it."""
    if request.param != "a small disk":
        yield tmp_path, "limit_file_size"
        return
    mounting = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(tmp_path)]
    if shutil.which("mount") is None or subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk; the limit of the process needs no privileges")
    yield tmp_path, "fill_disk"
    subprocess.run(["umount", str(tmp_path)], check=True)


def test_reminders_are_refused_on_a_full_disk_and_confirmed_ones_are_sent(small_folder: tuple[Path, str]):
    folder, how = small_folder
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
    refusals, _, _, whole = first.split()
    assert int(refusals) > 0
    assert whole == "ok"
    assert second == "0 0 0"


if __name__ == "__main__":
    asyncio.run(
        deliver_on_a_full_disk(
            Path(sys.argv[1]), {"fill_disk": fill_disk, "limit_file_size": limit_file_size}[sys.argv[2]]
        )
    )
