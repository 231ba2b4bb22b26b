"""The commands `bubbles export` and `bubbles import` on files and a database."""

import asyncio
import json
import stat
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from bot.__main__ import cli
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.errors import StorageFull, StorageUnavailable
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore

HOME = ChatAddress(platform="console", chat_id="home")


@pytest.fixture
def bubbles(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words, data="one"):
        return CliRunner().invoke(cli, words, env={"BUBBLES_BOT__DATA_DIR": data})

    return run


@pytest.fixture
def stored_message(tmp_path):
    async def add():
        async with Database(f"sqlite:///{tmp_path / 'one' / 'bubbles.db'}") as database:
            sent_at = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
            ann = Person(id="ann", name="Ann")
            await SqlMessageStore(database).add(
                [ChatMessage(id="1", address=HOME, sender=ann, text="喝茶", sent_at=sent_at)]
            )

    asyncio.run(add())


@pytest.mark.usefixtures("stored_message")
def test_a_chat_moves_from_one_bot_to_another(bubbles, tmp_path):
    export = bubbles("export", "--chat", "console:home", "--out", "home.jsonl")
    import_result = bubbles("import", "home.jsonl", data="two")
    again = bubbles("export", "--chat", "console:home", "--out", "again.jsonl", data="two")

    assert (export.output, import_result.output) == ("home.jsonl: message 1\n", "new: message 1\n")
    assert again.exit_code == 0
    first, second = (
        path.read_text(encoding="utf-8").splitlines() for path in (tmp_path / "home.jsonl", tmp_path / "again.jsonl")
    )
    assert json.loads(first[0])["format"] == "bubbles-export"
    assert first[1:] == second[1:]


@pytest.mark.usefixtures("stored_message")
@pytest.mark.parametrize("command", [("export", "--chat", "console:home", "--out"), ("backup",)])
def test_existing_files_are_not_overwritten(bubbles, tmp_path, command):
    (tmp_path / "copy").write_text("mine", encoding="utf-8")
    result = bubbles(*command, "copy")

    assert result.exit_code == 1
    assert result.output == "bubbles: copy exists already; nothing is overwritten; choose another name\n"
    assert (tmp_path / "copy").read_text(encoding="utf-8") == "mine"


@pytest.mark.usefixtures("stored_message")
def test_export_of_an_unknown_chat_fails_and_names_the_chats(bubbles, tmp_path):
    result = bubbles("export", "--chat", "console:hom", "--out", "x.jsonl")

    assert result.output == "bubbles: nothing is stored of console:hom; chats: console:home\n"
    assert result.exit_code == 1
    assert not list(tmp_path.glob("x.jsonl*"))


@pytest.mark.usefixtures("stored_message")
def test_export_with_one_of_several_keys_unknown_fails_and_names_it(bubbles, tmp_path):
    chats = ("--chat", "console:home", "--chat", "console:hom")
    result = bubbles("export", *chats, "--person", "console:ann", "--person", "console:an", "--out", "x.jsonl")

    assert result.output == "bubbles: nothing is stored of console:hom, console:an; chats: console:home\n"
    assert result.exit_code == 1
    assert not list(tmp_path.glob("x.jsonl*"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "at least one"),
        (("--chat", "home"), "is not platform:id"),
        (("--person", "web:ann"), "no database yet"),
    ],
)
def test_failed_export_is_reported_and_leaves_no_file(bubbles, tmp_path, words, expected):
    result = bubbles("export", *words, "--out", "x.jsonl", data="none")

    assert result.exit_code == 1
    assert expected in result.output
    assert not list(tmp_path.glob("x.jsonl*"))


def test_a_file_that_is_no_export_is_refused_with_its_line(bubbles, tmp_path):
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    result = bubbles("import", "x.jsonl")

    assert result.exit_code == 1
    assert "x.jsonl: line 1:" in result.output
    assert "nothing was imported" in result.output


@pytest.mark.usefixtures("stored_message")
def test_unwritable_file_is_reported_by_the_given_name(bubbles):
    result = bubbles("export", "--chat", "console:home", "--out", "nowhere/home.jsonl")

    assert result.output == "bubbles: nowhere/home.jsonl: No such file or directory\n"
    assert result.exit_code == 1


@pytest.mark.usefixtures("stored_message")
@pytest.mark.parametrize("command", [("export",), ("reminders", "export")])
def test_exported_file_is_for_its_owner_alone(bubbles, tmp_path, command):
    assert bubbles(*command, "--chat", "console:home", "--out", "home.out").exit_code == 0

    assert stat.S_IMODE((tmp_path / "home.out").stat().st_mode) == 0o600


@pytest.mark.usefixtures("stored_message")
@pytest.mark.parametrize("error", [StorageFull("a.db"), StorageUnavailable("postgresql://host/bubbles", "closed")])
def test_database_that_fails_during_an_import_is_named_without_a_trace(bubbles, monkeypatch, error):
    bubbles("export", "--chat", "console:home", "--out", "home.jsonl")

    async def fail(*_, **__):
        raise error

    monkeypatch.setattr("bot.cli.transfer.import_lines", fail)
    brought = bubbles("import", "home.jsonl", data="two")

    assert brought.output == f"bubbles: {error}\n"
    assert brought.exit_code == 1
