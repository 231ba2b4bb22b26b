"""Checks of the machine: clock, zone data and database."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.cli.doctor.machine import examine_clock, examine_database, examine_zone_data
from bot.config.field_errors import config_problem
from services.kernel.errors import ConfigError
from services.storage.database import Database
from services.storage.engine.readonly import DatabaseView

NOW = datetime(2026, 11, 21, tzinfo=UTC)
OLDEST = Path(__file__).parents[1] / "storage" / "schemas" / "1.sqlite.sql"


@pytest.mark.parametrize("seconds", [-29, 0, 29])
def test_a_clock_that_agrees_with_a_server_is_well(seconds):
    assert not examine_clock({"a.example": timedelta(seconds=seconds)}).is_problem


@pytest.mark.parametrize(("seconds", "expected"), [(90, "90 s behind"), (-90, "90 s ahead of")])
def test_a_clock_that_is_wrong_is_a_problem(seconds, expected):
    finding = examine_clock({"a.example": timedelta(seconds=seconds)})

    assert finding.is_problem
    assert expected in finding.state_in("en")


def test_one_server_with_a_wrong_clock_is_no_problem():
    skews = {"wrong.example": timedelta(hours=1), "right.example": timedelta(seconds=1)}

    assert not examine_clock(skews).is_problem


def test_clock_that_cannot_be_compared_is_no_problem():
    assert not examine_clock({}).is_problem


@pytest.mark.parametrize("version", ["2026a", "2025b", "1767225600", "something else"])
def test_recent_zone_data_is_well(version):
    assert not examine_zone_data(NOW, version).is_problem


@pytest.mark.parametrize("version", ["2024b", "none", "1577836800"])
def test_old_or_missing_zone_data_is_a_problem(version):
    assert "tzdata" in examine_zone_data(NOW, version).next_step_in("en")


async def test_writable_database_is_ok(tmp_path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with Database(url):
        pass
    finding = await examine_database(url)

    assert not finding.is_problem
    assert "can be written" in finding.state_in("en")


async def test_examining_a_database_changes_no_file(tmp_path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with Database(url):
        pass
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    finding = await examine_database(url)

    assert not finding.is_problem
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


async def test_doctor_keeps_the_write_ahead_log_of_a_killed_process(tmp_path):
    url = f"sqlite:///{tmp_path / 'left' / 'bubbles.db'}"
    async with Database(f"sqlite:///{tmp_path / 'bubbles.db'}") as database:
        await database.run(lambda connection: connection.exec_driver_sql("CREATE TABLE tea (cups INTEGER)"))
        shutil.copytree(tmp_path, tmp_path / "left")
    before = {each.name: each.read_bytes() for each in (tmp_path / "left").iterdir() if not each.name.endswith("-shm")}
    finding = await examine_database(url)
    after = {each.name: each.read_bytes() for each in (tmp_path / "left").iterdir() if not each.name.endswith("-shm")}
    async with Database(url) as database:
        cups = await database.read(lambda connection: connection.exec_driver_sql("SELECT * FROM tea").all())

    assert not finding.is_problem
    assert before["bubbles.db-wal"]
    assert after.keys() == before.keys()
    assert after["bubbles.db"] == before["bubbles.db"]
    assert (database.has_lost_journal, cups) == (False, [])


@pytest.mark.integration
@pytest.mark.timeout(60)
async def test_row_is_rolled_back_on_postgresql(postgres_url):
    def rows(connection):
        return sorted(connection.exec_driver_sql("SELECT * FROM meta").all())

    before_tables = await examine_database(postgres_url)
    async with Database(postgres_url) as database:
        before = await database.read(rows)
        finding = await examine_database(postgres_url)
        after = await database.read(rows)

    assert "does not exist yet" in before_tables.state_in("en")
    assert not finding.is_problem
    assert after == before


async def test_examining_an_older_database_does_not_upgrade_it(tmp_path):
    file = tmp_path / "bubbles.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(OLDEST.read_text(encoding="utf-8"))
        connection.execute("INSERT INTO meta VALUES ('schema', '1')")
        connection.commit()
    before = file.read_bytes()
    finding = await examine_database(f"sqlite:///{file}")

    assert not finding.is_problem
    assert (file.read_bytes(), [each.name for each in tmp_path.iterdir()]) == (before, ["bubbles.db"])


async def test_database_of_a_newer_version_is_a_problem(tmp_path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with Database(url) as database:
        await database.run(lambda connection: connection.exec_driver_sql("UPDATE meta SET value = '9999'"))

    assert "newer Bubbles" in (await examine_database(url)).state_in("en")


async def test_unwritable_database_is_a_problem(tmp_path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    refuse = "CREATE TRIGGER refuse BEFORE INSERT ON meta BEGIN SELECT RAISE(ABORT, 'no more rows'); END"
    async with Database(url) as database:
        await database.run(lambda connection: connection.exec_driver_sql(refuse))
    finding = await examine_database(url)

    assert finding.is_problem
    assert "no more rows" in finding.state_in("en")


async def test_database_that_does_not_exist_yet_is_not_created(tmp_path):
    finding = await examine_database(f"sqlite:///{tmp_path / 'data' / 'bubbles.db'}")

    assert not finding.is_problem
    assert list(tmp_path.iterdir()) == []


async def test_database_in_an_unusable_folder_is_a_problem(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    finding = await examine_database(f"sqlite:///{tmp_path / 'file' / 'bubbles.db'}")

    assert finding.is_problem


async def test_invalid_database_is_a_problem(tmp_path):
    path = tmp_path / "bubbles.db"
    path.write_bytes(b"this is no database, and was never one" * 100)

    assert (await examine_database(f"sqlite:///{path}")).is_problem


async def test_a_database_that_the_running_bot_has_open_is_well(tmp_path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with Database(url):
        finding = await examine_database(url)

    assert not finding.is_problem
    assert "in use" in finding.state_in("en")


async def test_a_database_with_a_destroyed_page_is_a_problem(tmp_path):
    file = tmp_path / "bubbles.db"
    async with Database(f"sqlite:///{file}") as database:
        fill = "CREATE TABLE filler AS SELECT zeroblob(400000)"
        await database.run(lambda connection: connection.exec_driver_sql(fill))
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size - 4096 * 20)
        opened.write(b"?" * 4096 * 4)

    finding = await examine_database(f"sqlite:///{file}")

    assert finding.is_problem
    assert "damaged" in finding.state_in("en")
    assert "bubbles restore" in finding.next_step_in("en")


async def test_a_write_ahead_log_that_vanished_is_a_problem(tmp_path):
    file = tmp_path / "bubbles.db"
    async with Database(f"sqlite:///{file}"):
        pass
    (tmp_path / "bubbles.db.lock").write_text("4711\n", encoding="ascii")

    finding = await examine_database(f"sqlite:///{file}")

    assert finding.is_problem
    assert "write-ahead log" in finding.state_in("en")


async def test_an_empty_database_beside_an_old_log_is_a_problem(tmp_path):
    (tmp_path / "bubbles.db-wal").write_bytes(b"what is left")

    finding = await examine_database(f"sqlite:///{tmp_path / 'bubbles.db'}")

    assert finding.is_problem
    assert "bubbles.db-wal" in finding.state_in("en")


@pytest.mark.parametrize(
    ("language", "problem"),
    [
        ("zh", "不是数据库的 URL，例如 postgresql://user:password@host/name"),
        ("es", "no es una URL de base de datos como postgresql://user:password@host/name"),
    ],
)
async def test_invalid_url_is_described_in_the_language_of_the_operator(language, problem):
    finding = await examine_database("nonsense")

    assert finding.state_in(language) == problem


async def test_remains_of_an_earlier_database_are_described_in_the_language_of_the_operator(tmp_path):
    (tmp_path / "bubbles.db-wal").write_bytes(b"x")
    finding = await examine_database(f"sqlite:///{tmp_path / 'bubbles.db'}")

    assert finding.state_in("zh").startswith(f"{tmp_path / 'bubbles.db'}：数据库不存在或是空的，但旁边有")


async def _error_of_missing(folder: Path) -> None:
    async with DatabaseView(f"sqlite:///{folder / 'none.db'}"):
        pass


async def _error_of_url(folder: Path) -> None:
    Database(f"{folder}")


async def _error_of_remains(folder: Path) -> None:
    (folder / "bubbles.db-wal").write_bytes(b"x")
    async with Database(f"sqlite:///{folder / 'bubbles.db'}"):
        pass


async def _error_of_other_file(folder: Path) -> None:
    (folder / "bubbles.db").write_bytes(b"not a database" * 100)
    async with Database(f"sqlite:///{folder / 'bubbles.db'}"):
        pass


@pytest.mark.parametrize("attempt", [_error_of_missing, _error_of_url, _error_of_remains, _error_of_other_file])
async def test_english_message_of_a_database_error_is_its_problem(tmp_path, attempt):
    with pytest.raises(ConfigError) as raised:
        await attempt(tmp_path)

    assert raised.value.code
    assert config_problem(raised.value, "en") == raised.value.problem
