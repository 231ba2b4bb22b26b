"""The sent journal, which records sends beside the database."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from services.kernel.chat import ChatAddress, Person
from services.recurrence.schedule import Schedule
from services.reminders.model import NewReminder, ReminderLimits, ReminderState
from services.reminders.records import DeliveryState, ValidatedReminder
from services.storage.database import Database
from services.storage.engine.sent_journal import SentJournal, SentOccurrenceLine
from services.storage.reminders.audit import SqlReminderAudit
from services.storage.reminders.store import SqlReminderStore
from tests.support.stores.reminders import make_outcome

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
TEA = SentOccurrenceLine(delivery_id=1, reminder_key=7, due_at=1_000_000, at=1_000_500, message_id='m "1"\n茶')
MILK = SentOccurrenceLine(delivery_id=2, reminder_key=8, due_at=1_000_000, at=1_000_600, message_id=None)


def test_notes_are_read_by_the_next_process(tmp_path: Path):
    with SentJournal(tmp_path / "bubbles.db") as journal:
        assert journal.append([TEA])
        assert journal.append([MILK])

    with SentJournal(tmp_path / "bubbles.db") as journal:
        assert journal.read() == [TEA, MILK]


def test_a_line_that_was_cut_off_hides_no_other(tmp_path: Path):
    with SentJournal(tmp_path / "bubbles.db") as journal:
        journal.append([TEA, MILK])
    file = tmp_path / "bubbles.db-sent"
    os.truncate(file, file.stat().st_size - 3)

    assert SentJournal(tmp_path / "bubbles.db").read() == [TEA]


def test_journal_that_could_not_be_created_is_written_after_the_next_commit(tmp_path: Path):
    folder = tmp_path / "data"
    with SentJournal(folder / "bubbles.db") as journal:
        assert not journal.append([TEA])
        folder.mkdir()
        journal.remove([TEA.delivery_id])

        assert journal.append([MILK])
        assert journal.read() == [MILK]


@pytest.mark.parametrize(
    "line",
    [
        *("7", "null", '"1"', "[1,2,3]", "[1,2,3,4,5]", '["1",2,3,4,null]', "[null,2,3,4,null]"),
        *("[true,2,3,4,null]", "[-1,2,3,4,null]", f"[1,2,{2**63},4,null]", "\0\0\0", "[" * 100_000),
    ],
)
def test_damaged_line_hides_no_other(tmp_path: Path, line: str):
    with SentJournal(tmp_path / "bubbles.db") as journal:
        journal.append([TEA])
    with (tmp_path / "bubbles.db-sent").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    with SentJournal(tmp_path / "bubbles.db") as journal:
        journal.append([MILK])

        assert journal.read() == [TEA, MILK]


async def test_unreadable_journal_repeats_a_send_and_loses_no_reminder(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with Database(url) as database:
        await begin_deliveries(SqlReminderStore(database))
    (tmp_path / "bubbles.db-sent").unlink()
    (tmp_path / "bubbles.db-sent").mkdir()

    async with Database(url) as database:
        store = SqlReminderStore(database)
        count = await store.free(None)
        again = (await store.claim("next", NOW + timedelta(minutes=2), NOW + timedelta(minutes=2), 10)).leases

    assert (count, [lease.notice.may_be_repeat for lease in again]) == (2, [True, True])


def test_the_file_is_emptied_when_all_is_committed(tmp_path: Path):
    with SentJournal(tmp_path / "bubbles.db") as journal:
        journal.append([TEA, MILK])
        journal.remove([TEA.delivery_id])
        after_one = journal.read()
        journal.remove([MILK.delivery_id])

        assert (len(after_one), journal.read()) == (2, [])


def test_failed_note_is_reported(tmp_path: Path):
    (tmp_path / "bubbles.db-sent").mkdir()

    with SentJournal(tmp_path / "bubbles.db") as journal:
        assert not journal.append([TEA])


def test_notes_are_written_again_once_there_is_room(tmp_path: Path):
    (tmp_path / "bubbles.db-sent").mkdir()
    with SentJournal(tmp_path / "bubbles.db") as journal:
        journal.append([TEA])
        (tmp_path / "bubbles.db-sent").rmdir()
        (tmp_path / "bubbles.db-sent").touch()
        journal.remove([TEA.delivery_id])

        assert journal.append([MILK])


async def begin_deliveries(store: SqlReminderStore) -> tuple[int, ...]:
    """Begin the sends of two reminders, as when a process is killed; return the ids of their deliveries."""
    for name in ("tea", "milk"):
        new = NewReminder(
            request_key=name,
            address=ChatAddress(platform="console", chat_id="home"),
            creator=Person(id="ann", name="Ann"),
            content=name,
            schedule=Schedule(start=NOW.replace(tzinfo=None) + timedelta(minutes=1), zone="UTC"),
            language="en",
        )
        await store.add(ValidatedReminder(reminder=new, first_fire=NOW + timedelta(minutes=1)), NOW, ReminderLimits())
    leases = (await store.claim("me", NOW, NOW + timedelta(minutes=2), 10)).leases
    await store.begin("me", [lease.notice.delivery_id for lease in leases])
    first = leases[0]
    at = NOW + timedelta(minutes=1)
    mark = make_outcome(first, DeliveryState.SENT, at, message_id="m1")
    assert await store.record_sent([(first, mark)])
    return tuple(lease.notice.delivery_id for lease in leases)


async def test_noted_send_is_not_repeated_and_others_are(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with Database(url) as database:
        _, unknown = await begin_deliveries(SqlReminderStore(database))

    async with Database(url) as database:
        store = SqlReminderStore(database)
        count = await store.free(None)
        again = (await store.claim("next", NOW + timedelta(minutes=2), NOW + timedelta(minutes=2), 10)).leases
        records = await SqlReminderAudit(database).deliveries(NOW, NOW + timedelta(hours=1))

    assert (count, [lease.notice.delivery_id for lease in again]) == (1, [unknown])
    assert [record.state for record in records] == [DeliveryState.SENT, DeliveryState.UNKNOWN]


async def test_the_id_of_the_message_survives_in_the_note(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with Database(url) as database:
        await begin_deliveries(SqlReminderStore(database))

    async with Database(url) as database:
        store = SqlReminderStore(database)
        await store.free(None)

        assert [row.content for row in await store.sent_in("console:home", "m1")] == ["tea"]


async def test_notes_of_another_database_are_ignored(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'bubbles.db'}"
    async with Database(url) as database:
        _, second = await begin_deliveries(SqlReminderStore(database))
        stranger = SentOccurrenceLine(delivery_id=second, reminder_key=2, due_at=5, at=6, message_id=None)
        assert database.sent is not None
        assert database.sent.append([stranger])

    async with Database(url) as database:
        store = SqlReminderStore(database)

        assert await store.free(None) == 1
        other = await store.get(2)

    assert other is not None
    assert other.state is ReminderState.ACTIVE


def test_a_database_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with SentJournal(None) as journal:
        assert journal.append([TEA])

    assert list(tmp_path.iterdir()) == []
