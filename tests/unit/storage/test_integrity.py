"""Database files that are missing, damaged, left behind or readable by others."""

import os
import sqlite3

import pytest
import sqlalchemy as sa
from loguru import logger

from services.kernel.errors import ConfigError
from services.storage.database import Database
from services.storage.schema.backup import back_up


@pytest.fixture
def file(tmp_path):
    return tmp_path / "bubbles.db"


@pytest.fixture
def lines():
    """Collect the errors logged during the test."""
    found = []
    number = logger.add(found.append, level="ERROR")
    yield found
    logger.remove(number)


async def use(file, rows=1):
    """Open a database, write rows of a page each, and close it."""
    async with Database(f"sqlite:///{file}") as database:
        await database.run(lambda connection: write(connection, rows))
        return database.has_lost_journal


def write(connection, rows):
    connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS filler (text)")
    for _ in range(rows):
        connection.exec_driver_sql("INSERT INTO filler VALUES (?)", (("x" * 4000),))


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("ending", ["-wal", "-sent", ".before-restore", ".schema-3"])
async def test_empty_database_beside_old_files_is_refused_and_nothing_is_deleted(file, is_there, ending):
    old = file.with_name(file.name + ending)
    old.write_bytes(b"what is left")
    if is_there:
        file.touch()

    with pytest.raises(ConfigError, match=old.name) as error:
        await use(file)

    assert "bubbles restore" in str(error.value)
    assert old.read_bytes() == b"what is left"


async def test_new_database_is_created_without_old_files(file):
    file.with_name("bubbles.db-wal").touch()
    await use(file)

    assert file.stat().st_size > 0


async def test_write_ahead_log_that_vanished_after_a_kill_is_named(file, lines):
    await use(file)
    file.with_name("bubbles.db.lock").write_text("4711\n", encoding="ascii")  # as a killed process leaves it

    assert await use(file)
    assert [line for line in lines if "bubbles.db-wal is missing" in line]


@pytest.mark.parametrize("lock", ["", "4711"])
async def test_no_log_is_missed_after_a_clean_end_of_this_or_an_older_version(file, lines, lock):
    await use(file)
    file.with_name("bubbles.db.lock").write_text(lock, encoding="ascii")

    assert not await use(file)
    assert lines == []


def destroy_pages(file, first):
    """Overwrite the pages from `first` on."""
    with file.open("r+b") as opened:
        opened.seek(4096 * first)
        opened.write(os.urandom(4096 * 5))


async def test_destroyed_page_is_found(file):
    await use(file, rows=100)
    destroy_pages(file, file.stat().st_size // 4096 - 40)

    async with Database(f"sqlite:///{file}") as database:
        found = await database.find_damage()

    assert found
    assert database.damage == found


@pytest.mark.parametrize("method", ["run", "run_inline", "read"])
async def test_damage_that_the_driver_reports_is_remembered(file, method):
    error = sqlite3.DatabaseError("database disk image is malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT

    def fail(_: sa.Connection) -> None:
        raise error

    async with Database(f"sqlite:///{file}") as database:
        with pytest.raises(sqlite3.DatabaseError):
            await getattr(database, method)(fail)

        assert database.damage == "database disk image is malformed"


async def test_damage_found_by_a_query_is_remembered(file, lines):
    await use(file, rows=100)
    destroy_pages(file, file.stat().st_size // 4096 - 40)

    async with Database(f"sqlite:///{file}") as database:
        with pytest.raises(Exception, match="malformed"):
            await database.read(
                lambda connection: connection.exec_driver_sql("SELECT sum(length(text)) FROM filler").all()
            )
        found = database.damage

    assert "malformed" in found
    assert [line for line in lines if "restore a backup" in line]


async def test_sound_database_has_no_damage(file):
    await use(file, rows=100)

    async with Database(f"sqlite:///{file}") as database:
        assert await database.find_damage() is None


def modes(folder):
    return {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()}


async def test_database_and_backup_are_readable_by_the_bot_alone(file, tmp_path):
    umask = os.umask(0o022)
    try:
        async with Database(f"sqlite:///{file}") as database:
            await database.run(lambda connection: write(connection, 1))
            open_files = modes(tmp_path)
            back_up(f"sqlite:///{file}", tmp_path / "copies" / "monday.db")
    finally:
        os.umask(umask)

    assert {"bubbles.db", "bubbles.db-wal", "bubbles.db-shm", "bubbles.db.lock"} <= open_files.keys()
    assert set(open_files.values()) == {0o600}
    assert modes(tmp_path / "copies") == {"monday.db": 0o600}
    assert (tmp_path / "copies").stat().st_mode & 0o777 == 0o700


async def test_database_that_others_could_read_is_closed_to_them(file, tmp_path):
    await use(file)
    for each in tmp_path.iterdir():
        each.chmod(0o664)
    await use(file)

    assert set(modes(tmp_path).values()) == {0o600}
