"""Exports and imports, in every database."""

import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from services.kernel.chat import Attachment, ChatAddress, ChatMessage, Person
from services.kernel.state import StateDelta
from services.people.account_links import PeopleService
from services.people.memory import NewMemory
from services.people.privacy import DataScope
from services.recurrence.schedule import read_schedule
from services.reminders.exchange.model import ImportRefused
from services.reminders.model import NewReminder
from services.reminders.quiet_hours import QuietHours
from services.reminders.records import ValidatedReminder
from services.storage.database import Database
from services.storage.export.lines import ExportScope
from services.storage.export.service import export_lines, import_lines
from services.storage.messages.store import SqlMessageStore
from services.storage.people.memories import SqlMemoryStore
from services.storage.people.privacy import SqlPrivacyStore
from services.storage.people.state import SqlScopeStore, SqlStateStore
from services.storage.records.store import SqlCallStore
from services.storage.reminders.store import SqlReminderStore
from services.storage.tables import REMINDER
from tests.support.records import make_call_record, make_completion_record, make_turn_record
from tests.support.stores.reminders import add_many

HOME = ChatAddress(platform="web", chat_id="home")
WORK = ChatAddress(platform="web", chat_id="work")
ANN, BEN = Person(id="ann", name="Ann", username="ann_a"), Person(id="ben", name="Ben 本")
BOT = Person(id="bot", name="Bubbles", is_bot=True)
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
CLOCK = FixedClock(NOW)
FILES = {"/files/k/desk.png": b"\x89PNG\x00\xff", "/files/k/b.txt": b"b", "/files/k/other.txt": b"others'"}
ALL_OF_HOME = ExportScope(chats=(HOME.key,))
KINDS = [
    "sqlite",
    pytest.param("postgresql", marks=[pytest.mark.integration, pytest.mark.timeout(30)]),
]


@pytest.fixture(params=KINDS)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """Open the database of the export."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgresql" else f"sqlite:///{tmp_path}/a.db"
    async with Database(url) as opened:
        yield opened


@pytest.fixture
async def other_database() -> AsyncIterator[Database]:
    """Open the database of the import."""
    async with Database("sqlite://") as opened:
        yield opened


def message(identity, sender=ANN, address=HOME, **changes):
    sent_at = NOW - timedelta(minutes=30 - len(identity))
    made = ChatMessage(id=identity, address=address, sender=sender, text=f"tea {identity}", sent_at=sent_at)
    return replace(made, **changes)


def draft(key, creator=ANN, address=HOME, rule=""):
    start = NOW + timedelta(days=1)
    new = NewReminder(
        request_key=key,
        address=replace(address, thread_id="t"),
        creator=creator,
        content=f"喝茶 {key}",
        schedule=read_schedule(start.replace(tzinfo=None), "UTC", rule),
        language="zh",
        targets=(BEN,),
    )
    return ValidatedReminder(reminder=new, first_fire=start)


async def fill_database(database):
    """Store data of every kind, of two people in two chats."""
    messages, privacy = SqlMessageStore(database), SqlPrivacyStore(database)
    desk = Attachment(kind="image", description="desk.png", url="/files/k/desk.png")
    await messages.add(
        [
            message("1", mentions=(BEN,), attachments=(desk,)),
            message("22", BEN, reply_to="1", is_addressed=True),
            message("333", BOT, reply_to="22"),
            message("4444"),
            message("w", address=WORK),
        ]
    )
    await messages.edit(HOME, "22", "tea, please", NOW)
    await messages.delete(HOME, "4444", NOW)
    for who, where in ((ANN, HOME), (BEN, HOME), (ANN, WORK)):
        await SqlMemoryStore(database).add(
            NewMemory(address=where, person=who, text=f"likes {who.id}", is_shared=who is BEN, created_at=NOW)
        )
    reminders = SqlReminderStore(database)
    await add_many(reminders, [draft("a"), draft("b", BEN, rule="FREQ=DAILY"), draft("w", address=WORK)], NOW)
    done = REMINDER.c.content == "喝茶 a"
    await database.run(
        lambda connection: connection.execute(REMINDER.update().where(done).values(state="done", next_fire_at=None))
    )
    await reminders.set_quiet_hours("chat:web:home", QuietHours(starts=time(22), ends=time(7), zone="UTC"))
    await reminders.set_quiet_hours("person:web:ann", QuietHours(starts=time(1), ends=time(2), zone="UTC"))
    await privacy.set_retention(HOME.key, 30)
    written = {"zone:web:home": "UTC", "user:web:ann": "Asia/Shanghai", "session:web:home#ann": [1], "app": 1}
    await SqlScopeStore(database).commit(
        [StateDelta(scope=scope, written={"zone": value}) for scope, value in written.items()]
        + [StateDelta(scope="places", written={"lounge": HOME.key, "office": WORK.key})]
    )
    await SqlCallStore(database).add(
        [
            make_turn_record(address=HOME, completions=(make_completion_record(),)),
            make_turn_record(2, address=WORK),
            make_turn_record(3, address=HOME, person="ben"),
        ],
        [make_call_record(address=HOME), make_call_record(2, address=WORK)],
    )
    state = SqlStateStore(database, CLOCK)
    extras = [{"id": "333", "attachments": [{"kind": "file", "description": "b.txt", "url": "/files/k/b.txt"}]}]
    await state.set("web.extras:web:home", extras, keep=timedelta(days=1))
    for key in ("tools.off:web:home", "tools.off:web:work", "confirm:web:home#ann"):
        await state.set(key, ["dice"], keep=timedelta(days=1))


class MemoryFiles(dict):
    """Files by their URLs, in memory."""

    async def read(self, url):
        return self.get(url)

    async def put(self, url, content):
        is_new = url not in self
        self.setdefault(url, content)
        return is_new


async def export_from(database, wanted, files=FILES):
    return [text async for _, text in export_lines(database, MemoryFiles(files), wanted, NOW)]


async def import_into(database, texts, files=None):
    return await import_lines(lambda: texts, database, MemoryFiles() if files is None else files, CLOCK)


def sorted_lines(texts):
    """Return the lines after the header, sorted."""
    return sorted(texts[1:])


def kinds(texts):
    return sorted({json.loads(each)["kind"] for each in texts[1:]})


async def test_data_of_a_chat_is_restored_unchanged(database, other_database):
    await fill_database(database)
    exported = await export_from(database, ALL_OF_HOME)
    files = MemoryFiles()
    await import_into(other_database, exported, files)

    assert sorted_lines(await export_from(other_database, ALL_OF_HOME, files)) == sorted_lines(exported)
    assert " ".join(kinds(exported)) == (
        "call file memory message quiet_hours reminder retention scoped state turn"  # accounts are a person's
    )
    assert files == {url: FILES[url] for url in ("/files/k/desk.png", "/files/k/b.txt")}
    assert sorted(json.loads(each)["reminder"]["state"] for each in exported if '"reminder":' in each) == [
        "active",
        "done",
    ]
    found = await SqlMessageStore(other_database).search(HOME, "tea please", 10)
    assert [each.id for each in found] == ["22", "1"]


async def test_export_has_no_data_of_other_chats_and_no_deleted_data(database):
    await fill_database(database)
    text = "\n".join(await export_from(database, ALL_OF_HOME))

    assert "web:work" not in text
    assert "4444" not in text
    assert '"app"' not in text
    assert "confirm:" not in text


async def test_export_of_a_person_covers_every_chat_of_the_platform(database):
    await fill_database(database)
    lines = [json.loads(each) for each in (await export_from(database, ExportScope(people=("web:ann",))))[1:]]

    assert {(each["kind"], each.get("chat") or each.get("scope") or each.get("key")) for each in lines} == {
        ("message", "web:home"),
        ("message", "web:work"),
        ("memory", "web:home"),
        ("memory", "web:work"),
        ("reminder", "web:home"),
        ("reminder", "web:work"),
        ("quiet_hours", "person:web:ann"),
        ("scoped", "user:web:ann"),
        ("scoped", "session:web:home#ann"),
        ("file", None),
        ("turn", "web:home"),
        ("turn", "web:work"),
        ("call", "web:home"),
        ("call", "web:work"),
    }
    assert {each["sender_id"] for each in lines if each["kind"] == "message"} == {"ann"}


@pytest.mark.parametrize("name", ["Ben\x00", "Ben\ud800"])
async def test_reminder_for_a_member_with_an_unstorable_name_is_exported(database, name):
    made = draft("a")
    made = replace(made, reminder=replace(made.reminder, targets=(Person(id="ben", name=name),)))
    await add_many(SqlReminderStore(database), [made], NOW)

    [line] = (await export_from(database, ALL_OF_HOME))[1:]

    assert json.loads(line)["reminder"]["targets"] == [{"id": "ben", "name": "Ben\ufffd"}]


async def test_second_import_of_a_file_changes_nothing(database, other_database):
    await fill_database(database)
    exported = await export_from(database, ALL_OF_HOME)
    files = MemoryFiles()
    first, second = (
        await import_into(other_database, exported, files),
        await import_into(other_database, exported, files),
    )

    assert first.added["message"] == 3
    assert not any(second.added.values())
    assert second.known_reminders == 2
    assert sorted_lines(await export_from(other_database, ALL_OF_HOME)) == sorted_lines(exported)


async def test_import_into_the_same_bot_changes_nothing(database):
    await fill_database(database)
    exported = await export_from(database, ALL_OF_HOME)
    came = await import_into(database, exported, MemoryFiles(FILES))

    assert not any(came.added.values())
    assert sorted_lines(await export_from(database, ALL_OF_HOME)) == sorted_lines(exported)


async def test_import_links_accounts_unless_one_is_already_linked(database, other_database):
    async def link(place, *people):
        service = PeopleService(SqlScopeStore(place), SqlStateStore(place, CLOCK))
        first, second = (ChatAddress(platform=platform, chat_id="alone") for platform, _ in people)
        code = await service.issue_code(first, people[0][1], "en")
        await service.redeem(second, people[1][1], code)
        return service

    await link(database, ("web", ANN), ("irc", Person(id="ann_", name="Ann")))
    exported = await export_from(database, ExportScope(people=("web:ann", "irc:ann_")))
    first = await import_into(other_database, exported)
    there = PeopleService(SqlScopeStore(other_database), SqlStateStore(other_database, CLOCK))
    known = await there.accounts_of(HOME, ANN)
    await there.unlink(HOME, ANN)
    await link(other_database, ("web", ANN), ("irc", Person(id="another", name="Ann")))
    second = await import_into(other_database, exported)

    assert [json.loads(each)["kind"] for each in exported[1:]] == ["accounts"]
    assert [each.key for each in known] == ["web:ann", "irc:ann_"]
    assert (first.added["accounts"], second.added["accounts"]) == (1, 0)
    assert [each.key for each in await there.accounts_of(HOME, ANN)] == ["web:ann", "irc:another"]


async def test_opted_out_person_is_neither_exported_by_others_nor_imported(database, other_database):
    await fill_database(database)
    before = await export_from(database, ALL_OF_HOME)
    await SqlPrivacyStore(database).opt_out(DataScope(address=HOME, person=BEN), NOW)
    exported = await export_from(database, ALL_OF_HOME)
    await import_into(other_database, exported)
    await import_into(other_database, before)

    assert "tea, please" not in "\n".join(exported)
    assert [each.sender.id for each in await SqlMessageStore(other_database).recent(HOME, 10)] == ["ann", "bot"]
    assert not [each for each in exported if '"turn"' in each and '"ben"' in each]
    assert {each.text for each in await SqlCallStore(other_database).latest_turns(9, person_id="ben")} <= {""}


@pytest.mark.parametrize(
    "wrong",
    [
        '{"kind": "state", "key": "http.tokens", "value": []}',
        '{"kind": "scoped", "scope": "app", "key": "x", "value": 1}',
        '{"kind": "memory"}',
        '{"kind": "retention", "chat": "web:work", "keep_days": 1000000}',
        '{"kind": "quiet_hours", "key": "chat:web:home", "starts": 0, "ends": 60, "zone": "Mars/Base"}',
        "not JSON",
    ],
)
async def test_file_with_an_invalid_line_is_refused(other_database, wrong):
    good = '{"kind": "retention", "chat": "web:home", "keep_days": 3}'
    with pytest.raises(ImportRefused, match="line 3"):
        await import_into(other_database, ['{"exported_at": "2026-11-20T09:00:00Z"}', good, wrong])

    assert await SqlPrivacyStore(other_database).retention() == {}


@pytest.mark.parametrize(("column", "too_much"), [("tokens", 2**63), ("rounds", 2**31), ("cost", "NaN")])
async def test_file_with_an_unsupported_number_is_refused(tmp_path, other_database, column, too_much):
    async with Database(f"sqlite:///{tmp_path}/a.db") as database:
        await fill_database(database)
        exported = await export_from(database, ALL_OF_HOME)
    line = next(number for number, text in enumerate(exported) if f'"{column}":' in text)
    exported[line] = re.sub(rf'(?<="{column}":)[^,}}]+', str(too_much), exported[line])

    with pytest.raises(ImportRefused, match=rf"line {line + 1}: .*{column}"):
        await import_into(other_database, exported)

    assert await export_from(other_database, ALL_OF_HOME) == exported[:1]


async def test_file_of_a_newer_version_is_refused_at_its_first_line(other_database):
    with pytest.raises(ImportRefused, match="line 1"):
        await import_into(other_database, ['{"exported_at": "2026-11-20T09:00:00Z", "version": 2}'])


async def test_long_history_is_imported_completely_and_in_order(database, other_database):
    await SqlMessageStore(database).add([message(f"{number:04}") for number in range(2001)])
    exported = await export_from(database, ALL_OF_HOME)
    came = await import_into(other_database, exported)

    assert [json.loads(each)["id"] for each in exported[1:]] == [f"{number:04}" for number in range(2001)]
    assert came.added["message"] == 2001
