"""Readiness: a successful write, space on the disk, and an intact database."""

import asyncio
import os

import pytest

from services.storage.database import Database
from services.storage.engine import integrity


async def ready(api):
    answer = await api.get("/health/ready")
    return answer.status_code, answer.json()["reason"]


@pytest.fixture
async def api(api_of, tmp_path):
    return await api_of(database=f"sqlite:///{tmp_path / 'bubbles.db'}")


async def test_bot_with_a_writable_database_is_ready(api):
    assert await ready(api) == (200, None)


async def test_bot_on_a_full_disk_is_not_ready(api, monkeypatch):
    monkeypatch.setattr(integrity, "MIN_FREE_BYTES", 2**62)

    assert await ready(api) == (503, "disk_full")


async def test_bot_with_a_full_disk_is_not_ready(api):
    database = api.context.database
    await database.run(lambda connection: connection.exec_driver_sql("CREATE TABLE filler (text)"))
    pages = await database.run(lambda connection: connection.exec_driver_sql("PRAGMA page_count").scalar())
    await database.run(lambda connection: connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}"))
    fill = "CREATE TRIGGER fill BEFORE INSERT ON session_state BEGIN INSERT INTO filler VALUES (zeroblob(99999)); END"
    await database.run(lambda connection: connection.exec_driver_sql(fill))

    assert await ready(api) == (503, "disk_full")


async def test_bot_that_cannot_write_although_it_can_read_is_not_ready(api):
    refuse = "CREATE TRIGGER refuse BEFORE INSERT ON session_state BEGIN SELECT RAISE(FAIL, 'no'); END"
    await api.context.database.run(lambda connection: connection.exec_driver_sql(refuse))

    assert await ready(api) == (503, "unavailable")


async def test_bot_with_a_destroyed_page_is_not_ready_soon_after_its_start(api_of, tmp_path):
    file = tmp_path / "bubbles.db"
    async with Database(f"sqlite:///{file}") as database:
        await database.run(
            lambda connection: connection.exec_driver_sql("CREATE TABLE filler AS SELECT zeroblob(400000)")
        )
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size - 4096 * 20)
        opened.write(os.urandom(4096 * 4))

    api = await api_of(database=f"sqlite:///{file}")
    async with asyncio.timeout(4):
        while api.context.database.damage is None:  # noqa: ASYNC110 - the check has no event
            await asyncio.sleep(0.02)

    assert await ready(api) == (503, "damaged")
    health = (await api.get("/api/admin/health")).json()
    assert next(each["state"] for each in health["checks"] if each["name"] == "database") == "error"


async def test_many_probes_cost_one_write(api):
    database, written = api.context.database, []
    run = database.run

    async def counted(work, **options):
        written.append(work.__qualname__)
        return await run(work, **options)

    database.run = counted
    statuses = {await ready(api) for _ in range(50)}

    assert statuses == {(200, None)}
    assert written.count("SqlStateStore.set.<locals>.work") == 1
