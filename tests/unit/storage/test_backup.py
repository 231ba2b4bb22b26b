"""Backups of the database of a running bot, and restores."""

import sqlite3
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from bot.__main__ import cli
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.errors import ConfigError
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore
from services.storage.schema.backup import back_up, restore

HOME = ChatAddress(platform="fake", chat_id="home")


def message(identity):
    return ChatMessage(
        id=identity,
        address=HOME,
        sender=Person(id="ann", name="Ann"),
        text=f"message {identity}",
        sent_at=datetime(2026, 11, 20, 9, 0, tzinfo=UTC),
    )


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'data' / 'bubbles.db'}"


async def store_messages(url, *identities):
    async with Database(url) as database:
        await SqlMessageStore(database).add([message(each) for each in identities])


async def list_ids(url):
    async with Database(url) as database:
        return [each.id for each in await SqlMessageStore(database).recent(HOME, 10)]


async def test_a_backup_is_taken_while_the_bot_runs_and_put_back(url, tmp_path):
    async with Database(url) as database:
        await SqlMessageStore(database).add([message("a")])
        back_up(url, tmp_path / "copy.db")
        await SqlMessageStore(database).add([message("b")])
    restore(url, tmp_path / "copy.db")

    assert await list_ids(url) == ["a"]


async def test_backup_is_one_file_and_reading_it_leaves_no_other(url, tmp_path):
    async with Database(url) as database:
        await SqlMessageStore(database).add([message("a")])
        back_up(url, tmp_path / "copies" / "copy.db")
    restore(url, tmp_path / "copies" / "copy.db")

    assert [each.name for each in (tmp_path / "copies").iterdir()] == ["copy.db"]
    assert {each.name for each in (tmp_path / "data").iterdir()} == {
        "bubbles.db",
        "bubbles.db.before-restore",
        "bubbles.db.lock",
    }


async def test_data_before_a_restore_is_kept(url, tmp_path):
    await store_messages(url, "a")
    back_up(url, tmp_path / "copy.db")
    await store_messages(url, "b")
    restore(url, tmp_path / "copy.db")

    assert await list_ids(f"{url}.before-restore") == ["a", "b"]


async def test_sent_journal_is_restored_with_its_database(url, tmp_path):
    await store_messages(url, "a")
    back_up(url, tmp_path / "copy.db")
    notes = tmp_path / "data" / "bubbles.db-sent"
    notes.write_text("[1,1,2,3,null]\n")
    restore(url, tmp_path / "copy.db")

    assert not notes.exists()


async def test_restore_is_refused_while_the_bot_runs(url, tmp_path, monkeypatch):
    await store_messages(url, "a")
    back_up(url, tmp_path / "copy.db")
    monkeypatch.chdir(tmp_path)
    async with Database(url):
        done = CliRunner().invoke(cli, ["restore", str(tmp_path / "copy.db")])

    assert done.exit_code == 1
    assert "Stop the bot first" in done.output


async def test_backup_overwrites_nothing(url, tmp_path):
    await store_messages(url, "a")
    (tmp_path / "copy.db").write_text("mine", encoding="utf-8")

    with pytest.raises(FileExistsError):
        back_up(url, tmp_path / "copy.db")


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\x00" + b"x" * 2000])
async def test_invalid_backup_is_refused_and_changes_nothing(url, tmp_path, monkeypatch, content):
    await store_messages(url, "a")
    (tmp_path / "copy.db").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["restore", str(tmp_path / "copy.db")])

    assert done.exit_code == 1
    assert await list_ids(url) == ["a"]


async def test_a_backup_of_a_newer_version_is_refused(url, tmp_path, monkeypatch):
    await store_messages(url, "a")
    back_up(url, tmp_path / "copy.db")
    with sqlite3.connect(tmp_path / "copy.db") as connection:
        connection.execute("UPDATE meta SET value = '999' WHERE key = 'schema'")
    connection.close()
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["restore", str(tmp_path / "copy.db")])

    assert done.exit_code == 1
    assert "newer Bubbles" in done.output


def test_without_a_database_there_is_no_backup(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["backup", "copy.db"])

    assert done.exit_code == 1
    assert "there is no database yet; start the bot once" in done.output


async def test_commands_print_their_results(url, tmp_path, monkeypatch):
    await store_messages(url, "a")
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    made, put_back = run(cli, ["backup", "copies/one.db"]), run(cli, ["restore", "copies/one.db"])

    assert "checked" in made.output
    assert "restored" in put_back.output


async def test_restore_tells_where_the_old_data_is_kept(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    await store_messages(url, "a")
    run = CliRunner(env={"BUBBLES_BOT__DATA_DIR": "data"})
    run.invoke(cli, ["backup", "copy.db"])
    over = run.invoke(cli, ["restore", "copy.db"])
    fresh = run.invoke(cli, ["restore", "copy.db"], env={"BUBBLES_BOT__DATA_DIR": "other"})

    named = over.output.removeprefix("restored; the earlier database is kept as ").rstrip()
    assert (tmp_path / named).is_file()
    assert fresh.output == "restored\n"


@pytest.mark.parametrize("damage", [b"no database", b"SQLite format 3\x00" + b"x" * 2000])
async def test_damaged_database_is_replaced_and_kept_as_it_is(url, tmp_path, damage):
    await store_messages(url, "a")
    back_up(url, tmp_path / "copy.db")
    (tmp_path / "data" / "bubbles.db").write_bytes(damage)
    (tmp_path / "data" / "bubbles.db-wal").write_bytes(b"the log")
    made = restore(url, tmp_path / "copy.db")

    assert await list_ids(url) == ["a"]
    assert made.earlier.read_bytes() == damage
    assert made.earlier.with_name("bubbles.db.before-restore-wal").read_bytes() == b"the log"


async def test_failed_backup_of_a_damaged_database_leaves_no_file(tmp_path):
    (tmp_path / "bubbles.db").write_bytes(b"no database")

    with pytest.raises(ConfigError, match="cannot be copied"):
        back_up(f"sqlite:///{tmp_path / 'bubbles.db'}", tmp_path / "copies" / "copy.db")
    assert list((tmp_path / "copies").iterdir()) == []


async def test_failed_backup_of_a_server_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match="pg_dump is not installed"):
        back_up("postgresql://host/bubbles", tmp_path / "copies" / "copy.dump")
    assert list((tmp_path / "copies").iterdir()) == []


@pytest.fixture
def pg_dump(tmp_path, monkeypatch):
    """Returns a function that replaces `pg_dump` by a shell script."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=":")

    def write(script):
        (folder / "pg_dump").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / "pg_dump").chmod(0o755)

    return write


def test_password_of_the_server_is_not_on_the_command_line_of_its_program(tmp_path, pg_dump):
    pg_dump('for argument; do file="${argument#--file=}"; done; echo "$* password=$PGPASSWORD" > "$file"')

    back_up("postgresql+psycopg://ann:secret@host/bubbles", tmp_path / "copy")

    arguments, _, password = (tmp_path / "copy").read_text(encoding="utf-8").partition(" password=")
    assert password == "secret\n"
    assert "secret" not in arguments
    assert "--dbname=postgresql://ann@host/bubbles" in arguments


def test_backup_that_takes_too_long_is_stopped_and_leaves_no_file(tmp_path, monkeypatch, pg_dump):
    pg_dump("exec sleep 60")
    monkeypatch.setattr("services.storage.schema.backup._TOOL_SECONDS", 0.1)

    with pytest.raises(ConfigError, match="pg_dump took longer") as caught:
        back_up("postgresql://ann:secret@host/bubbles", tmp_path / "copy")

    assert "secret" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin"]
