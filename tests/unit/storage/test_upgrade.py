"""Upgrades from each older schema version, which keep the rows and lead to the current tables."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from loguru import logger

from services.kernel.errors import ConfigError
from services.storage.database import Database
from services.storage.reminders.store import SqlReminderStore
from services.storage.schema.migrations import SCHEMA_VERSION
from services.storage.tables import META, METADATA
from services.storage.tables.base import IS_TO_TRY
from tests.unit.storage.old_databases import ROWS, bring_to, content, fill, tables_of

SCHEMAS = Path(__file__).with_name("schemas")
STATES = ["active", "paused", "cancelled", "done"]
OUTCOMES = ["leased", "sending", "unknown", "sent", "parked", "cancelled"]
INDICES = sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")


def old_database(folder: Path) -> str:
    """Make a database of version 1 with a reminder in every state and a delivery of every outcome."""
    connection = sqlite3.connect(folder / "bubbles.db")
    connection.executescript((SCHEMAS / "1.sqlite.sql").read_text(encoding="utf-8"))
    connection.execute("INSERT INTO meta VALUES ('schema', '1')")
    columns = "request_key, chat_key, creator_id, creator_name, targets, content, language, is_private, rule, "
    columns += "start_local, start_fold, zone, next_fire_at, version, state, created_at, updated_at"
    for number, state in enumerate(STATES):
        values = (f"k{number}", "console:home", "ann", "Ann", "", f"tea {number} 茶", "en", 0, "", "2030-01-01T09:00")
        rest = (0, "UTC", 1893488400000000 if state == "active" else None, 1, state, 1, 1)
        marks = ", ".join("?" * 17)
        connection.execute(f"INSERT INTO reminder ({columns}) VALUES ({marks})", (*values, *rest))
    for number, state in enumerate(OUTCOMES):
        connection.execute(
            "INSERT INTO delivery (reminder_id, due_at, version, content, chat_key, missed, state, try_at, attempt, "
            "owner, error) VALUES (1, ?, 1, 'tea', 'console:home', 0, ?, ?, 0, '', '')",
            (number, state, number + 1),
        )
    connection.commit()
    connection.close()
    return f"sqlite:///{folder / 'bubbles.db'}"


def differences(connection: sa.Connection) -> list[object]:
    """Return the differences between the tables of the code and those of the database."""
    ours = METADATA.tables

    def is_ours(thing: object, name: str | None, kind: str, is_reflected: bool, _: object) -> bool:
        return kind != "table" or name in ours or not is_reflected

    context = MigrationContext.configure(connection, opts={"include_object": is_ours, "compare_type": True})
    return compare_metadata(context, METADATA)


async def test_an_upgrade_leads_to_the_tables_of_the_code(tmp_path: Path):
    """It fails when a table was changed without a step in migrations/versions and a new SCHEMA_VERSION."""
    async with Database(old_database(tmp_path)) as database:
        found = await database.read(differences)

    assert found == []


async def test_an_upgrade_keeps_every_row_as_it_was(tmp_path: Path):
    async with Database(old_database(tmp_path)) as database:
        reminders = await database.read(lambda it: it.execute(sa.text("SELECT content, state FROM reminder")).all())
        outcomes = await database.read(lambda it: it.scalars(sa.text("SELECT state FROM delivery ORDER BY id")).all())

    assert reminders == [(f"tea {number} 茶", state) for number, state in enumerate(STATES)]
    assert outcomes == OUTCOMES


async def test_an_upgrade_leads_to_the_indices_of_a_new_database(tmp_path: Path):
    async with Database(old_database(tmp_path)) as old, Database("sqlite://") as new:
        found, expected = [await each.run(lambda it: it.execute(INDICES).all()) for each in (old, new)]

    assert found == expected


async def test_waiting_rows_before_an_upgrade_are_claimed_and_ended_ones_are_not(tmp_path: Path):
    moment = datetime(2026, 11, 20, tzinfo=UTC)
    filed = sa.text(f"SELECT state FROM delivery WHERE {IS_TO_TRY} ORDER BY id")

    async with Database(old_database(tmp_path)) as database:
        indexed = await database.read(lambda it: it.scalars(filed).all())
        claim = await SqlReminderStore(database).claim("me", moment, moment, 10)

    assert indexed == ["leased", "sending", "unknown"]
    assert [OUTCOMES[lease.notice.delivery_id - 1] for lease in claim.leases] == ["leased", "unknown"]


async def test_an_upgrade_marks_withdrawn_occurrences(tmp_path: Path):
    url = old_database(tmp_path)
    with closing(sqlite3.connect(tmp_path / "bubbles.db")) as old:
        old.execute("UPDATE delivery SET version = 0 WHERE state = 'sending'")
        old.commit()

    async with Database(url) as database:
        columns = sa.text("SELECT state FROM delivery WHERE is_withdrawn")
        found = await database.read(lambda it: it.scalars(columns).all())

    assert found == ["sending"]


async def test_an_upgrade_moves_follow_ups_out_of_rules(tmp_path: Path):
    url = old_database(tmp_path)
    rules = {
        "FREQ=DAILY;NAG=10;NAGS=3;NAGAFTER=20261120T170000Z": ("FREQ=DAILY", 10, 3, 1795194000000000),
        "FREQ=DAILY;COUNT=1;NAG=5;NAGS=12": ("", 5, 12, None),
        "FREQ=DAILY;COUNT=1": ("FREQ=DAILY;COUNT=1", None, None, None),
        "FREQ=DAILY;NAG=odd": ("FREQ=DAILY;NAG=odd", None, None, None),
    }
    with closing(sqlite3.connect(tmp_path / "bubbles.db")) as old:
        for number, rule in enumerate(rules, start=1):
            old.execute("UPDATE reminder SET rule = ? WHERE id = ?", (rule, number))
        old.commit()

    async with Database(url) as database:
        columns = sa.text("SELECT rule, follow_up_minutes, follow_up_times, done_until FROM reminder ORDER BY id")
        found = await database.read(lambda it: it.execute(columns).all())

    assert found == [*rules.values()]


async def test_upgrade_runs_once(tmp_path: Path):
    url = old_database(tmp_path)
    async with Database(url):
        (tmp_path / "bubbles.db.schema-1").unlink()

    async with Database(url) as database:
        version = await database.read(lambda it: it.scalar(sa.select(META.c.value).where(META.c.key == "schema")))

    assert version == str(SCHEMA_VERSION)
    assert not (tmp_path / "bubbles.db.schema-1").exists()


async def test_original_file_is_kept_beside_the_upgraded_one(tmp_path: Path):
    async with Database(old_database(tmp_path)):
        pass

    copy = sqlite3.connect(tmp_path / "bubbles.db.schema-1")
    version, count = copy.execute("SELECT value, (SELECT count(*) FROM reminder) FROM meta").fetchone()
    copy.close()
    assert (version, count) == ("1", len(STATES))


async def test_an_upgrade_logs_where_the_original_file_is(tmp_path: Path):
    lines: list[str] = []
    sink = logger.add(lines.append, level="INFO", format="{message}")

    async with Database(old_database(tmp_path)):
        pass

    logger.remove(sink)
    assert f"; the old database is kept in {tmp_path / 'bubbles.db.schema-1'}\n" in "".join(lines)


async def test_an_upgrade_that_loses_rows_is_undone(tmp_path: Path):
    url = old_database(tmp_path)
    with sqlite3.connect(tmp_path / "bubbles.db") as thief:
        # A trigger plays the faulty step: it fires when a step writes the version that it reached.
        thief.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
        thief.execute("CREATE TRIGGER lose AFTER UPDATE ON alembic_version BEGIN DELETE FROM reminder; END")
    thief.close()

    with pytest.raises(ConfigError) as refusal:
        await Database(url).__aenter__()

    connection = sqlite3.connect(tmp_path / "bubbles.db")
    version, count = connection.execute("SELECT value, (SELECT count(*) FROM reminder) FROM meta").fetchone()
    connection.close()
    assert f"reminder: {len(STATES)} rows became 0" in refusal.value.problem
    assert (version, count) == ("1", len(STATES))


def test_a_start_without_an_upgrade_does_not_load_alembic(tmp_path: Path):
    code = (
        "import asyncio, sys\n"
        "from services.storage.database import Database\n"
        "async def main():\n"
        f"    async with Database('sqlite:///{tmp_path / 'bubbles.db'}'): pass\n"
        "asyncio.run(main()); asyncio.run(main())\n"
        "assert not {'alembic', 'psycopg', 'sqlalchemy.dialects.postgresql'} & set(sys.modules)"
    )

    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert outcome.stderr == ""


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
async def test_upgrade_keeps_every_row_of_each_earlier_version(tmp_path: Path, version: int):
    file = tmp_path / "bubbles.db"
    with closing(sqlite3.connect(file)) as first:
        first.executescript((SCHEMAS / "1.sqlite.sql").read_text(encoding="utf-8"))
    engine = sa.create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        bring_to(connection, version)
        before, tables = fill(connection), tables_of(connection)
    engine.dispose()

    async with Database(f"sqlite:///{file}") as database:
        after = await database.read(lambda connection: content(connection, tables))
        found = await database.read(differences)

    assert len(before) >= 7
    assert all(len(rows) == ROWS for rows in before.values())
    assert after == before
    assert found == []
