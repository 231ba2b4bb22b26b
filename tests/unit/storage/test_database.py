"""The database: one process, short transactions, parallel reads."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine.interfaces import CacheStats

from services.kernel.errors import ConfigError, StorageBusy
from services.storage.database import Database
from services.storage.engine.postgres import DatabaseTimeouts
from services.storage.tables import META


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'data' / 'bubbles.db'}"


def put(connection: sa.Connection) -> None:
    connection.execute(META.insert().values(key="a", value="1"))


def count(connection: sa.Connection) -> int:
    own = sa.select(sa.func.count()).select_from(META).where(META.c.key != "message_index")
    return connection.scalar(own) or 0


async def test_a_statement_that_one_database_has_compiled_is_known_to_the_next():
    def is_cache_hit(connection: sa.Connection) -> object:
        return connection.execute(sa.select(META.c.key).where(META.c.value == "compiled once")).context.cache_hit

    async with Database("sqlite://") as first, Database("sqlite://") as second:
        outcomes = [await first.read(is_cache_hit), await second.read(is_cache_hit)]

    assert outcomes == [CacheStats.CACHE_MISS, CacheStats.CACHE_HIT]


async def test_a_missing_folder_is_made(tmp_path: Path):
    async with Database(url(tmp_path)):
        assert (tmp_path / "data" / "bubbles.db").exists()


async def test_written_data_is_there_at_the_next_start(tmp_path: Path):
    async with Database(url(tmp_path)) as database:
        await database.run(put)

    async with Database(url(tmp_path)) as database:
        assert await database.read(count) == 2


async def test_a_second_holder_is_refused_and_the_first_named(tmp_path: Path):
    async with Database(url(tmp_path)):
        with pytest.raises(StorageBusy) as refusal:
            await Database(url(tmp_path)).__aenter__()

    assert refusal.value.holder == f"process {os.getpid()}"
    assert refusal.value.path.endswith("bubbles.db")


async def test_second_process_through_a_link_is_refused(tmp_path: Path):
    async with Database(url(tmp_path)):
        link = tmp_path / "other.db"
        link.symlink_to(tmp_path / "data" / "bubbles.db")

        with pytest.raises(StorageBusy):
            await Database(f"sqlite:///{link}").__aenter__()


async def test_a_killed_holder_leaves_no_lock(tmp_path: Path):
    (tmp_path / "data").mkdir()
    lock = tmp_path / "data" / "bubbles.db.lock"
    code = f"import fcntl, os; f = open({str(lock)!r}, 'w'); fcntl.flock(f, fcntl.LOCK_EX); os.kill(os.getpid(), 9)"
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], check=False)

    async with Database(url(tmp_path)) as database:
        assert await database.read(count) == 1


async def test_failed_transaction_leaves_nothing(tmp_path: Path):
    def work(connection: sa.Connection) -> None:
        put(connection)
        raise KeyError("after the write")

    async with Database(url(tmp_path)) as database:
        with pytest.raises(KeyError):
            await database.run(work)

        assert await database.read(count) == 1


async def test_a_slow_read_does_not_stop_a_write(tmp_path: Path):
    release, has_begun = threading.Event(), threading.Event()

    def count_slowly(connection: sa.Connection) -> int:
        before = count(connection)
        has_begun.set()
        release.wait(4)
        return before

    async with Database(url(tmp_path)) as database:
        reading = asyncio.create_task(database.read(count_slowly))
        await asyncio.to_thread(has_begun.wait)
        await asyncio.wait_for(database.run(put), 2)
        release.set()

        assert await reading == 1


async def test_a_reader_cannot_write(tmp_path: Path):
    async with Database(url(tmp_path)) as database:
        with pytest.raises(sa.exc.OperationalError):
            await database.read(put)


async def test_abandoned_reads_end_before_the_file_is_closed(tmp_path: Path):
    started, counted = threading.Event(), []

    def append_count(connection: sa.Connection) -> None:
        started.set()
        time.sleep(0.1)
        counted.append(count(connection))

    async with Database(url(tmp_path)) as database:
        reading = asyncio.create_task(database.read(append_count))
        await asyncio.to_thread(started.wait)
        reading.cancel()

    assert counted == [1]


async def test_a_file_from_a_newer_version_is_refused(tmp_path: Path):
    async with Database(url(tmp_path)) as database:
        await database.run(lambda connection: connection.execute(META.update().values(value="999")))

    with pytest.raises(ConfigError) as refusal:
        await Database(url(tmp_path)).__aenter__()

    assert refusal.value.key == "storage.url"


async def test_a_refused_start_gives_the_file_back(tmp_path: Path):
    async with Database(url(tmp_path)) as database:
        await database.run(lambda connection: connection.execute(META.update().values(value="999")))
    with pytest.raises(ConfigError):
        await Database(url(tmp_path)).__aenter__()

    with pytest.raises(ConfigError):
        await Database(url(tmp_path)).__aenter__()


async def test_a_write_waits_for_another_program_s_lock(tmp_path: Path):
    async with Database(url(tmp_path)) as database:
        other = sqlite3.connect(tmp_path / "data" / "bubbles.db", isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(0.5, other.execute, ["ROLLBACK"]).start()

        await database.run(put)

        other.close()
        assert await database.read(count) == 2


async def test_transaction_reads_and_writes_without_another_writer_between(tmp_path: Path):
    def work(connection: sa.Connection) -> None:
        count(connection)
        other = sqlite3.connect(tmp_path / "data" / "bubbles.db", timeout=0.05)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("INSERT INTO meta VALUES ('b', '2')")
        other.close()
        put(connection)

    async with Database(url(tmp_path)) as database:
        await database.run(work)

        assert await database.read(count) == 2


async def test_commit_modes_are_set(tmp_path: Path):
    def pragma(connection: sa.Connection) -> tuple[object, object]:
        return (
            connection.exec_driver_sql("PRAGMA journal_mode").scalar(),
            connection.exec_driver_sql("PRAGMA synchronous").scalar(),
        )

    async with Database(url(tmp_path)) as database:
        durable = await database.run(pragma)
        quick = await database.run(pragma, is_durable=False)
        durable_again = await database.run(pragma)

    assert (durable, quick, durable_again) == (("wal", 2), ("wal", 1), ("wal", 2))


def test_a_name_shows_no_password():
    assert "secret" not in Database("postgresql://ann:secret@localhost/bubbles").name


async def test_a_file_that_is_no_database_is_named_and_left_as_it_is(tmp_path: Path):
    file = tmp_path / "data" / "bubbles.db"
    file.parent.mkdir()
    file.write_text("a letter, not a database")

    with pytest.raises(ConfigError, match=r"bubbles\.db.*not a database"):
        await Database(url(tmp_path)).__aenter__()

    assert file.read_text() == "a letter, not a database"


async def test_relaxed_write_waits_for_nothing_and_the_next_waits_for_the_disk(tmp_path: Path):
    def manner(connection: sa.Connection) -> list[object]:
        pragmas = ("synchronous", "busy_timeout", "wal_autocheckpoint")
        return [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas]

    async with Database(url(tmp_path)) as database:
        before, noting = await database.run(manner), await database.run_inline(manner)
        after = await database.run(manner)

    assert noting == [1, 0, 0]
    assert before == after == [2, 30_000, 1000]


async def test_note_waits_in_the_thread_for_another_write(tmp_path: Path):
    release, has_begun = threading.Event(), threading.Event()

    def count_slowly(connection: sa.Connection) -> None:
        put(connection)
        has_begun.set()
        release.wait(4)

    async with Database(url(tmp_path)) as database:
        writing = asyncio.create_task(database.run(count_slowly))
        await asyncio.to_thread(has_begun.wait)
        noting = asyncio.create_task(database.run_inline(count))
        await asyncio.sleep(0.01)
        is_noted_before = noting.done()
        release.set()

        assert (is_noted_before, await noting) == (False, 2)
        await writing


async def test_a_note_does_not_stop_the_event_loop_while_another_program_has_locked_the_database(tmp_path: Path):
    async with Database(url(tmp_path)) as database:
        with closing(sqlite3.connect(tmp_path / "data" / "bubbles.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            noting = asyncio.create_task(database.run_inline(put))
            await asyncio.sleep(0.01)
            other.execute("ROLLBACK")

        await noting
        assert await database.read(count) == 2


async def test_unusable_folder_is_reported_as_a_setting(tmp_path: Path):
    (tmp_path / "data").write_text("a file where the folder should be")

    with pytest.raises(ConfigError, match=r"storage\.url"):
        await Database(url(tmp_path)).__aenter__()


async def test_a_database_that_another_program_has_locked_is_busy(tmp_path: Path):
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "bubbles.db")) as other:
        other.execute("BEGIN EXCLUSIVE")

        with pytest.raises(StorageBusy):
            await Database(url(tmp_path), timeouts=DatabaseTimeouts(busy=timedelta(milliseconds=10))).__aenter__()


@pytest.mark.parametrize("text", ["nonsense", "postgresql://ann:secret@host:port/bubbles"])
def test_invalid_address_is_refused_without_repeating_it(text: str):
    with pytest.raises(ConfigError, match=r"storage\.url") as refusal:
        Database(text)

    assert "secret" not in str(refusal.value)
