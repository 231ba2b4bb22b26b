"""Upgrades, session roles and retries of a PostgreSQL database."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import ConfigError
from services.recurrence.schedule import Schedule
from services.reminders.model import NewReminder
from services.reminders.records import ValidatedReminder
from services.storage.database import Database
from services.storage.reminders import ledger
from services.storage.reminders.store import SqlReminderStore
from services.storage.schema.migrations import SCHEMA_VERSION
from services.storage.schema.schema import tables_for
from services.storage.tables import META, METADATA, STATE
from tests.support.stores.reminders import add_many
from tests.unit.storage.old_databases import ROWS, bring_to, content, fill, tables_of

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
NOW = datetime(2026, 11, 20, tzinfo=UTC)
CHANGED = sa.text("SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relname = 'delivery'")
SCHEMA_1 = Path(__file__).parents[1] / "unit" / "storage" / "schemas" / "1.postgresql.sql"


def differences(connection: sa.Connection) -> list[object]:
    def is_ours(thing: object, name: str | None, kind: str, is_reflected: bool, _: object) -> bool:
        return kind != "table" or name in METADATA.tables or not is_reflected

    context = MigrationContext.configure(connection, opts={"include_object": is_ours, "compare_type": True})
    return compare_metadata(context, tables_for("postgresql"))


def read_definitions(connection: sa.Connection) -> dict[str, str]:
    """Return the definitions of indices and the fill factors of tables."""
    indices = connection.execute(sa.text("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"))
    options = connection.execute(sa.text("SELECT relname, reloptions[1] FROM pg_class WHERE reloptions IS NOT NULL"))
    return {str(name): str(text) for name, text in (*indices, *options) if "alembic" not in name}


def make_reminder(number: int) -> ValidatedReminder:
    new = NewReminder(
        request_key=str(number),
        address=ChatAddress(platform="console", chat_id="home"),
        creator=Person(id="ann", name="Ann"),
        content=f"tea {number}",
        schedule=Schedule(start=NOW.replace(tzinfo=None), zone="UTC"),
        language="en",
    )
    return ValidatedReminder(reminder=new, first_fire=NOW)


def version(connection: sa.Connection) -> str | None:
    return connection.scalar(sa.select(META.c.value).where(META.c.key == "schema"))


async def test_upgraded_database_has_the_tables_of_the_code_and_its_rows(postgres_url: str):
    with psycopg.connect(postgres_url) as old:
        old.execute(SCHEMA_1.read_text(encoding="utf-8"))
        old.execute("INSERT INTO meta VALUES ('schema', '1')")
        old.execute("INSERT INTO session_state VALUES ('tea', '1', NULL)")

    async with Database(postgres_url) as database:
        found, reached = await database.read(differences), await database.read(version)
        key = await database.read(lambda connection: connection.scalar(sa.select(STATE.c.key)))

    assert (found, reached, key) == ([], str(SCHEMA_VERSION), "tea")


@pytest.mark.parametrize("old", range(1, SCHEMA_VERSION))
async def test_upgrade_keeps_every_row_of_each_earlier_version(postgres_url: str, old: int):
    with psycopg.connect(postgres_url) as first:
        first.execute(SCHEMA_1.read_text(encoding="utf-8"))
    engine = sa.create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://", 1))
    with engine.begin() as connection:
        bring_to(connection, old)
        before, tables = fill(connection), tables_of(connection)
    engine.dispose()

    async with Database(postgres_url) as database:
        after = await database.read(lambda connection: content(connection, tables))
        found, reached = await database.read(differences), await database.read(version)

    assert all(len(rows) == ROWS for rows in before.values())
    assert after == before
    assert (found, reached) == ([], str(SCHEMA_VERSION))


async def test_upgraded_database_has_the_indices_and_fill_factors_of_a_new_one(postgres_url: str):
    async with Database(postgres_url) as database:
        expected = await database.read(read_definitions)
        await database.run(lambda connection: connection.exec_driver_sql("DROP SCHEMA public CASCADE"))
        await database.run(lambda connection: connection.exec_driver_sql("CREATE SCHEMA public"))
    with psycopg.connect(postgres_url) as old:
        old.execute(SCHEMA_1.read_text(encoding="utf-8"))
        old.execute("INSERT INTO meta VALUES ('schema', '1')")

    async with Database(postgres_url) as database:
        found = await database.read(read_definitions)

    assert found == expected
    assert found["delivery"] == "fillfactor=50"


async def test_beginning_an_occurrence_updates_no_index(postgres_url: str):
    async with Database(postgres_url) as database:
        store = SqlReminderStore(database)
        await add_many(store, [make_reminder(number) for number in range(200)], NOW)
        claim = await store.claim("me", NOW, NOW, 200)
        ids = [lease.notice.delivery_id for lease in claim.leases]

        def begin_and_count(connection: sa.Connection) -> tuple[int, ...]:
            ledger.begin(connection, "me", ids, {})
            return tuple(connection.execute(CHANGED).one())

        changed, in_place = await database.run(begin_and_count)

    assert (changed, in_place) == (200, 200)


async def test_empty_database_is_opened_by_four_workers_at_once(postgres_url: str):
    async def open_and_look() -> str | None:
        async with Database(postgres_url) as database:
            return await database.read(version)

    found = await asyncio.gather(*(open_and_look() for _ in range(4)))

    assert found == [str(SCHEMA_VERSION)] * 4


async def test_a_database_of_a_newer_version_is_refused(postgres_url: str):
    async with Database(postgres_url) as database:
        await database.run(lambda connection: connection.execute(META.update().values(value="999")))

    with pytest.raises(ConfigError) as refusal:
        await Database(postgres_url).__aenter__()

    assert refusal.value.key == "storage.url"


async def test_unreachable_server_is_a_config_error(tmp_path: Path):
    with pytest.raises(ConfigError) as refusal:
        await Database(f"postgresql://nobody@/nothing?host={tmp_path}").__aenter__()

    assert "does not answer" in refusal.value.problem


async def test_partial_indices_are_those_of_sqlite(postgres_url: str):
    definitions = sa.text("SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND indexdef LIKE '%WHERE%'")

    async with Database(postgres_url) as database:
        found = await database.read(lambda connection: set(connection.scalars(definitions)))

    expected = {
        index.name
        for table in METADATA.tables.values()
        for index in table.indexes
        if index.dialect_options["sqlite"]["where"] is not None
    }
    assert {"ix_reminder_due", "ix_reminder_open"} <= expected == found


async def test_fast_writes_skip_the_disk_sync_and_readers_cannot_write(postgres_url: str):
    def setting(connection: sa.Connection) -> object:
        return connection.exec_driver_sql("SHOW synchronous_commit").scalar()

    async with Database(postgres_url) as database:
        durable = await database.run(setting)
        quick = await database.run(setting, is_durable=False)
        with pytest.raises(sa.exc.DBAPIError, match="read-only"):
            await database.read(lambda connection: connection.execute(STATE.delete()))

    assert (durable, quick) == ("on", "off")


async def test_work_of_a_lost_session_is_repeated(postgres_url: str):
    def drop(connection: sa.Connection) -> None:
        """Terminate the other sessions, as a restart of the server does."""
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    async with Database(postgres_url) as database:
        await database.run(version)
        await database.run(drop, is_durable=False)

        assert await database.run(version) == str(SCHEMA_VERSION)


async def test_work_is_repeated_after_a_deadlock(postgres_url: str):
    def add_two(connection: sa.Connection) -> None:
        connection.execute(STATE.insert(), [{"key": key, "value": "0"} for key in "ab"])

    def touch(first: str, second: str):
        def work(connection: sa.Connection) -> None:
            connection.execute(STATE.update().where(STATE.c.key == first).values(value=first))
            connection.exec_driver_sql("SELECT pg_sleep(0.5)")
            connection.execute(STATE.update().where(STATE.c.key == second).values(value=first))

        return work

    async with Database(postgres_url) as one, Database(postgres_url) as other:
        await one.run(add_two)

        await asyncio.gather(one.run(touch("a", "b")), other.run(touch("b", "a")))

        found = await one.read(lambda connection: set(connection.scalars(sa.select(STATE.c.value))))
        assert len(found) == 1
