"""Flushes of the write-ahead log, outside the event loop and shared by writers."""

import asyncio
import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from loguru import logger

from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.storage.database import Database
from services.storage.engine import journal_flush
from services.storage.messages.store import SqlMessageStore
from services.storage.tables import META

HOME = ChatAddress(platform="console", chat_id="home")


class Disk:
    """Counts what reaches it of the log; a slow one waits for `release`, a broken one fails."""

    def __init__(self, log: Path) -> None:
        self.flushed = 0
        self.sizes: list[int] = []
        self.has_flushed = threading.Event()
        self.is_broken = False
        self.release = threading.Event()
        self.release.set()
        self._log = log

    def written(self) -> int:
        """Return the size of the log in bytes, flushed or not."""
        return self._log.stat().st_size

    def sync(self, file: int) -> None:
        assert os.path.samestat(os.fstat(file), self._log.stat())
        assert self.release.wait(4)
        if self.is_broken:
            raise OSError(5, "Input/output error")
        os.fsync(file)
        self.flushed += 1
        self.sizes.append(os.fstat(file).st_size)
        self.has_flushed.set()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bubbles.db"


@pytest.fixture
def disk(file: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    made = Disk(file.with_name("bubbles.db-wal"))
    monkeypatch.setattr(journal_flush, "_sync", made.sync)
    return made


def put(key: str):
    return lambda connection: connection.execute(META.insert().values(key=key, value="1")).close()


def count(connection: sa.Connection) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(META).where(META.c.key.startswith("test"))) or 0


async def test_data_written_ahead_reaches_the_disk_by_itself(file: Path, disk: Disk):
    async with Database(f"sqlite:///{file}") as database:
        await database.run_relaxed(put("test"))
        is_at_once = disk.flushed > 0

        assert await asyncio.to_thread(disk.has_flushed.wait, 4)
        assert not is_at_once


async def test_one_flush_serves_all_writers_of_a_moment(file: Path, disk: Disk):
    async with Database(f"sqlite:///{file}") as database:
        for number in range(20):
            await database.run_relaxed(put(f"test {number}"))
        written = disk.written()
        await database.flush()

        assert (disk.flushed, disk.sizes) == (1, [written])
        assert await database.read(count) == 20


async def test_flush_waits_for_the_disk_without_blocking_the_event_loop(file: Path, disk: Disk):
    disk.release.clear()
    async with Database(f"sqlite:///{file}") as database:
        await database.run_relaxed(put("test"))
        flushing = asyncio.create_task(database.flush())
        await asyncio.sleep(0.05)
        is_done_before = flushing.done()
        disk.release.set()
        await flushing

        assert (is_done_before, disk.flushed) == (False, 1)


async def test_write_on_a_slow_disk_waits_in_the_thread(file: Path, disk: Disk):
    disk.release.clear()
    async with Database(f"sqlite:///{file}") as database:
        await database.run_relaxed(put("test 1"))
        flushing = asyncio.create_task(database.flush())
        await asyncio.sleep(0.01)
        second = asyncio.create_task(database.run_relaxed(put("test 2")))
        await asyncio.sleep(0.01)
        is_done_before = second.done()
        disk.release.set()
        await asyncio.gather(flushing, second)
        await database.flush()

        assert (is_done_before, disk.flushed) == (False, 2)


async def test_cancelled_waiter_does_not_keep_the_others_from_the_disk(file: Path, disk: Disk):
    disk.release.clear()
    async with Database(f"sqlite:///{file}") as database:
        await database.run_relaxed(put("test"))
        first, second = (asyncio.create_task(database.flush()) for _ in range(2))
        await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.sleep(0)
        disk.release.set()

        await second
        assert disk.flushed == 1


async def test_unflushed_data_is_flushed_when_the_database_closes(file: Path, disk: Disk):
    async with Database(f"sqlite:///{file}") as database:
        await database.run_relaxed(put("test"))

    assert disk.flushed == 1


async def test_a_disk_that_fails_is_logged_and_the_next_flush_tries_again(file: Path, disk: Disk):
    lines: list[str] = []
    sink = logger.add(lines.append, level="ERROR")
    async with Database(f"sqlite:///{file}") as database:
        await database.run_relaxed(put("test 1"))
        disk.is_broken = True
        await database.flush()
        disk.is_broken = False
        await database.run_relaxed(put("test 2"))
        await database.flush()
    logger.remove(sink)

    assert disk.flushed == 1
    assert ["bubbles.db-wal (Input/output error)" in line for line in lines] == [True]


async def test_log_is_flushed_if_its_folder_cannot_be(file: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch):
    lines: list[str] = []
    sink = logger.add(lines.append, level="ERROR")
    flush = os.fsync

    def flush_no_folder(opened: int) -> None:
        if stat.S_ISDIR(os.fstat(opened).st_mode):
            raise OSError(22, "Invalid argument")
        flush(opened)

    monkeypatch.setattr(os, "fsync", flush_no_folder)
    async with Database(f"sqlite:///{file}") as database:
        await database.run_relaxed(put("test"))
        await database.flush()
    logger.remove(sink)

    assert (disk.flushed, lines) == (1, [])


async def test_without_a_log_there_is_nothing_to_flush(file: Path):
    lines: list[str] = []
    sink = logger.add(lines.append, level="WARNING")
    with ThreadPoolExecutor(1) as thread:
        flush = journal_flush.JournalFlush(file, thread, threading.Lock())
        flush.flush_soon()
        await flush.wait()
    logger.remove(sink)

    assert lines == []


async def test_database_in_memory_has_nothing_to_flush(disk: Disk):
    async with Database("sqlite://") as database:
        await database.run_relaxed(put("test"))
        await database.flush()

        assert (disk.flushed, await database.read(count)) == (0, 1)


async def test_messages_of_people_are_flushed_and_those_of_the_bot_need_not_be(file: Path, disk: Disk):
    message = ChatMessage(
        id="1",
        address=HOME,
        sender=Person(id="ann", name="Ann"),
        text="tea at four?",
        sent_at=datetime(2026, 11, 20, 9, tzinfo=UTC),
    )
    async with Database(f"sqlite:///{file}") as database:
        history = HistoryService(SqlMessageStore(database))
        await history.record_own(HOME, "hello", message_id="2", sent_at=message.sent_at)
        await history.flush()
        after_own = disk.flushed
        await history.record(message)
        await history.flush()

        assert (after_own, disk.flushed) == (0, 1)


def test_kill_between_a_commit_and_its_flush_loses_nothing(file: Path):
    script = f"""
import asyncio, os, signal
from services.storage.database import Database
from services.storage.tables import META

async def main():
    async with Database("sqlite:///{file}") as database:
        insert = META.insert().values(key="test", value="1")
        await database.run_relaxed(lambda connection: connection.execute(insert).close())
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9

    async def read() -> int:
        async with Database(f"sqlite:///{file}") as database:
            return await database.read(count)

    assert asyncio.run(read()) == 1
