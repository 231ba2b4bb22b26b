"""`bubbles reminders export`, `import` and `verify` on files and a database."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from bot.__main__ import cli
from services.kernel.chat import ChatAddress, Person
from services.recurrence.schedule import read_schedule
from services.reminders.model import NewReminder
from services.reminders.records import ValidatedReminder
from services.storage.database import Database
from services.storage.reminders.store import SqlReminderStore
from tests.support.stores.reminders import add_many

pytest.importorskip("icalendar")

SET_AT = datetime.now(UTC) - timedelta(days=2)


@pytest.fixture
def bubbles(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BUBBLES_BOT__DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BUBBLES_BOT__TIMEZONE", "Europe/Berlin")

    def run(*arguments):
        done = CliRunner().invoke(cli, ["reminders", *arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return run


@pytest.fixture
def remind(tmp_path):
    """Set a reminder two days ago, first due after `due_in`."""

    def run(rule="", *, due_in=timedelta(days=60)):
        async def add():
            async with Database(f"sqlite:///{tmp_path / 'bubbles.db'}") as database:
                first = SET_AT + due_in
                new = NewReminder(
                    request_key=rule,
                    address=ChatAddress(platform="console", chat_id="home"),
                    creator=Person(id="ann", name="Ann"),
                    content="喝水",
                    schedule=read_schedule(first.replace(tzinfo=None), "UTC", rule),
                    language="zh",
                )
                await add_many(SqlReminderStore(database), [ValidatedReminder(reminder=new, first_fire=first)], SET_AT)

        asyncio.run(add())

    return run


@pytest.mark.parametrize("form", ["json", "ics"])
def test_exported_reminders_can_be_imported_in_another_chat(bubbles, remind, form):
    remind("FREQ=DAILY")
    exported = bubbles("export", "--chat", "console:home", "--format", form, "--out", "file")

    imported = bubbles("import", "file", "--chat", "console:other")

    assert (exported.exit_code, imported.exit_code) == (0, 0)
    assert imported.output == "1 imported, 0 existed, 0 have no future time\n"
    [reminder] = json.loads(bubbles("export", "--chat", "console:other").stdout)["reminders"]
    assert (reminder["content"], reminder["rule"], reminder["creator"]["id"]) == ("喝水", "FREQ=DAILY", "ann")


def test_reminders_of_an_unknown_chat_are_not_exported(bubbles, remind, tmp_path):
    remind()
    exported = bubbles("export", "--chat", "console:hom", "--out", "file")

    assert exported.output == "bubbles: nothing is stored of console:hom; chats: console:home\n"
    assert exported.exit_code == 2
    assert not (tmp_path / "file").exists()


def test_second_import_lists_existing_reminders(bubbles, remind):
    remind("FREQ=DAILY")
    bubbles("export", "--chat", "console:home", "--out", "file")

    again = bubbles("import", "file", "--chat", "console:home")
    CliRunner().invoke(cli, ["export", "--chat", "console:home", "--out", "all"])
    whole = CliRunner().invoke(cli, ["import", "all"])

    assert again.output == "0 imported, 1 existed, 0 have no future time\n"
    assert whole.output == f"new: nothing\nreminders: {again.output}"


def test_an_event_of_another_calendar_belongs_to_the_owner_that_is_named(bubbles, tmp_path):
    lines = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:1", "SUMMARY:tea", "DTSTART:20990105T090000", "END:VEVENT"]
    past = ["BEGIN:VEVENT", "UID:2", "SUMMARY:tea", "DTSTART:20200105T090000", "END:VEVENT", "END:VCALENDAR", ""]
    (tmp_path / "file.ics").write_text("\n".join([*lines, *past]), encoding="utf-8")

    imported = bubbles("import", "file.ics", "--chat", "console:home", "--owner", "bob")
    [reminder] = json.loads(bubbles("export", "--chat", "console:home").stdout)["reminders"]

    assert imported.output == "1 imported, 0 existed, 1 have no future time\n"
    assert (reminder["creator"]["id"], reminder["zone"]) == ("bob", "Europe/Berlin")


def test_a_broken_file_is_refused_line_by_line(bubbles, tmp_path):
    (tmp_path / "bad.ics").write_text(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nEND:VEVENT\nEND:VCALENDAR\n", encoding="utf-8"
    )

    result = bubbles("import", "bad.ics", "--chat", "console:home")

    assert result.exit_code == 1
    assert result.output == "bad.ics: line 2 (1): there is no DTSTART\nbubbles: nothing was imported\n"


def test_running_bot_must_be_stopped_before_an_import(bubbles, remind, tmp_path):
    remind()
    bubbles("export", "--chat", "console:home", "--out", "file")
    lock = Database(f"sqlite:///{tmp_path / 'bubbles.db'}")

    async def import_while_locked():
        async with lock:
            return await asyncio.to_thread(bubbles, "import", "file", "--chat", "console:other")

    result = asyncio.run(import_while_locked())

    assert result.exit_code == 1
    assert "stop the bot to import" in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "--chat", "home"),
        ("export", "--chat", "console:home", "--out", "no/such/folder"),
        ("verify", "--since", "monday"),
        ("verify", "--since", "2999-01-01"),
        ("verify", "--since", "2026-11-02", "--until", "2026-11-01"),
        ("verify", "--until", "0001-01-02"),
    ],
)
def test_wrong_arguments_are_one_line_and_two(bubbles, remind, arguments):
    remind()

    failed = bubbles(*arguments)

    assert (failed.exit_code, failed.output.count("\n")) == (2, 1)


def test_invalid_time_is_refused_with_its_option_and_the_accepted_forms(bubbles):
    failed = bubbles("verify", "--since", "yesterday")

    expected = "bubbles: --since: 'yesterday' is no day or time; write 2026-11-14 or 2026-11-14T09:00\n"
    assert failed.output == expected


def test_a_lost_occurrence_is_listed(bubbles, remind):
    remind(due_in=timedelta(hours=1))

    result = bubbles("verify")

    assert result.exit_code == 1
    assert "  lost       1\n" in result.output
    assert "\nlost: [" in result.output
    assert result.output.endswith("NOT proved\n")


def test_a_period_without_a_loss_is_proved(bubbles, remind):
    remind(due_in=timedelta(hours=1))
    day = (SET_AT - timedelta(days=9)).date().isoformat()

    result = bubbles("verify", "--since", day, "--until", day)

    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "nothing was lost")
