"""Contract of the store of Python tools."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from services.storage.database import Database
from services.storage.tools import SqlStoredToolStore, StoredTool

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
TEA = StoredTool(
    id="tea",
    owner="web:ann",
    name="Tea 茶",
    content="class Tools: ...",
    specs=[{"name": "brew"}],
    meta={"version": "1"},
    access={"read": {"user_ids": ["web:bob"]}},
    valves={"degrees": 80},
    is_enabled=True,
    version=1,
    created_at=NOW,
    updated_at=NOW,
)


@pytest.fixture
def tools(sql_database: Database) -> SqlStoredToolStore:
    return SqlStoredToolStore(sql_database)


async def test_tool_is_read_as_stored(tools: SqlStoredToolStore):
    await tools.save(TEA, "web:ann")

    assert await tools.get("tea") == TEA
    assert await tools.all() == (TEA,)


async def test_new_version_is_stored_beside_the_old_one(tools: SqlStoredToolStore):
    await tools.save(TEA, "web:ann")
    await tools.save(replace(TEA, content="new", version=2, updated_at=NOW + timedelta(hours=1)), "web:bob")

    assert [(each.version, each.content, each.author) for each in await tools.versions("tea")] == [
        (2, "new", "web:bob"),
        (1, "class Tools: ...", "web:ann"),
    ]


async def test_change_without_a_new_version_adds_no_version(tools: SqlStoredToolStore):
    await tools.save(TEA, "web:ann")
    await tools.save(replace(TEA, is_enabled=False), "web:bob")

    assert [each.author for each in await tools.versions("tea")] == ["web:ann"]


async def test_tool_is_removed_with_its_versions(tools: SqlStoredToolStore):
    await tools.save(TEA, "web:ann")

    assert await tools.remove("tea")
    assert not await tools.remove("tea")
    assert (await tools.get("tea"), await tools.versions("tea")) == (None, ())


async def test_tools_are_listed_oldest_first(tools: SqlStoredToolStore):
    await tools.save(replace(TEA, id="b", created_at=NOW + timedelta(hours=1)), "web:ann")
    await tools.save(replace(TEA, id="c"), "web:ann")

    assert [each.id for each in await tools.all()] == ["c", "b"]
