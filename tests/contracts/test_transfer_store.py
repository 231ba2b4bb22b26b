"""What goes into an export and what comes back from one, in every database."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from bot.testing.clocks import FixedClock
from services.chat import Attachment, ChatAddress, ChatMessage, Person
from services.memory.model import NewMemory
from services.privacy.model import DataScope
from services.reminders.model import NewReminder, Schedule
from services.reminders.portable.model import ImportRefused
from services.reminders.quiet_hours import QuietHours
from services.reminders.records import Draft
from services.session import StateDelta
from services.storage.database import Database
from services.storage.memories import SqlMemoryStore
from services.storage.message_store import SqlMessageStore
from services.storage.privacy_store import SqlPrivacyStore
from services.storage.reminder_store import SqlReminderStore
from services.storage.reminder_transfer import SqlTransferStore
from services.storage.scope_store import SqlScopeStore
from services.storage.state_store import SqlStateStore
from services.storage.transfer_reader import TransferReader
from services.storage.transfer_writer import TransferWriter
from services.transfer.service import bring_in, exported
from services.transfer.wanted import Wanted

HOME = ChatAddress(platform="web", chat_id="home")
WORK = ChatAddress(platform="web", chat_id="work")
ANN, BEN = Person(id="ann", name="Ann"), Person(id="ben", name="Ben 本")
BOT = Person(id="bot", name="Bubbles", is_bot=True)
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
CLOCK = FixedClock(NOW)
ALL_OF_HOME = Wanted(chats=(HOME.key,))
KINDS = [
    "sqlite",
    pytest.param("postgresql", marks=[pytest.mark.integration, pytest.mark.timeout(30)]),
]


@pytest.fixture(params=KINDS)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """The database that is exported from."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgresql" else f"sqlite:///{tmp_path}/a.db"
    async with Database(url) as opened:
        yield opened


@pytest.fixture
async def other() -> AsyncIterator[Database]:
    """The database that is imported into."""
    async with Database("sqlite://") as opened:
        yield opened


def message(identity, sender=ANN, address=HOME, **changes):
    sent_at = NOW - timedelta(minutes=30 - len(identity))
    made = ChatMessage(id=identity, address=address, sender=sender, text=f"tea {identity}", sent_at=sent_at)
    return replace(made, **changes)


def draft(key, creator=ANN, address=HOME, rule=""):
    start = NOW + timedelta(days=1)
    wish = NewReminder(
        request_key=key,
        address=replace(address, thread_id="t"),
        creator=creator,
        content=f"喝茶 {key}",
        schedule=Schedule(start=start.replace(tzinfo=None), zone="UTC", rule=rule),
        language="zh",
        targets=(BEN,),
    )
    return Draft(wish=wish, first_fire=start)


async def furnish(database):
    """Something of every kind, of two people in two chats."""
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
    await messages.rewrite(HOME, "22", "tea, please", NOW)
    await messages.erase(HOME, "4444", NOW)
    for who, where in ((ANN, HOME), (BEN, HOME), (ANN, WORK)):
        await SqlMemoryStore(database).add(
            NewMemory(address=where, person=who, text=f"likes {who.id}", is_shared=who is BEN, created_at=NOW)
        )
    reminders = SqlReminderStore(database)
    await reminders.add_many([draft("a"), draft("b", BEN, rule="FREQ=DAILY"), draft("w", address=WORK)], NOW)
    await reminders.set_quiet_hours("chat:web:home", QuietHours(starts=time(22), ends=time(7), zone="UTC"))
    await reminders.set_quiet_hours("person:web:ann", QuietHours(starts=time(1), ends=time(2), zone="UTC"))
    await privacy.set_retention(HOME.key, 30)
    written = {"zone:web:home": "UTC", "user:web:ann": "Asia/Shanghai", "session:web:home#ann": [1], "app": 1}
    await SqlScopeStore(database).commit(
        [StateDelta(scope=scope, written={"zone": value}) for scope, value in written.items()]
        + [StateDelta(scope="places", written={"lounge": HOME.key, "office": WORK.key})]
    )
    state = SqlStateStore(database, CLOCK)
    for key in ("tools.off:web:home", "tools.off:web:work", "confirm:web:home#ann"):
        await state.set(key, ["dice"], keep=timedelta(days=1))


async def taken_out(database, wanted):
    return [text async for _, text in exported(TransferReader(database), wanted, NOW)]


async def brought(database, texts):
    store = SqlTransferStore(database)
    return await bring_in(lambda: texts, store, TransferWriter(database), CLOCK)


def things(texts):
    """What the lines are about, without the head."""
    return sorted(texts[1:])


def kinds(texts):
    return sorted({json.loads(each)["kind"] for each in texts[1:]})


async def test_everything_of_a_chat_comes_back_as_it_was(database, other):
    await furnish(database)
    taken = await taken_out(database, ALL_OF_HOME)
    await brought(other, taken)

    assert things(await taken_out(other, ALL_OF_HOME)) == things(taken)
    assert kinds(taken) == ["memory", "message", "quiet_hours", "reminder", "retention", "scoped", "state"]
    found = await SqlMessageStore(other).search(HOME, "tea please", 10)
    assert [each.id for each in found] == ["22", "1"]


async def test_nothing_of_other_chats_and_nothing_that_was_taken_back_is_in_it(database):
    await furnish(database)
    text = "\n".join(await taken_out(database, ALL_OF_HOME))

    assert "web:work" not in text
    assert "4444" not in text
    assert '"app"' not in text
    assert "confirm:" not in text


async def test_a_person_takes_what_is_theirs_in_every_chat_of_the_platform(database):
    await furnish(database)
    lines = [json.loads(each) for each in (await taken_out(database, Wanted(people=("web:ann",))))[1:]]

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
    }
    assert {each["sender_id"] for each in lines if each["kind"] == "message"} == {"ann"}


async def test_the_same_file_twice_is_the_same_as_once(database, other):
    await furnish(database)
    taken = await taken_out(database, ALL_OF_HOME)
    first, second = await brought(other, taken), await brought(other, taken)

    assert first.added["message"] == 3
    assert not any(second.added.values())
    assert second.known_reminders == 2
    assert things(await taken_out(other, ALL_OF_HOME)) == things(taken)


async def test_who_wants_nothing_kept_is_neither_given_out_by_others_nor_brought_back(database, other):
    await furnish(database)
    before = await taken_out(database, ALL_OF_HOME)
    await SqlPrivacyStore(database).opt_out(DataScope(address=HOME, person=BEN), NOW)
    taken = await taken_out(database, ALL_OF_HOME)
    await brought(other, taken)
    await brought(other, before)

    assert "tea, please" not in "\n".join(taken)
    assert [each.sender.id for each in await SqlMessageStore(other).recent(HOME, 10)] == ["ann", "bot"]


@pytest.mark.parametrize(
    "wrong",
    [
        '{"kind": "state", "key": "http.tokens", "value": []}',
        '{"kind": "scoped", "scope": "app", "key": "x", "value": 1}',
        '{"kind": "memory"}',
        "not JSON",
    ],
)
async def test_a_line_that_is_not_ours_keeps_all_of_the_file_out(other, wrong):
    good = '{"kind": "retention", "chat": "web:home", "keep_days": 3}'
    with pytest.raises(ImportRefused, match="line 3"):
        await brought(other, ['{"exported_at": "2026-11-20T09:00:00Z"}', good, wrong])

    assert await SqlPrivacyStore(other).retention() == {}


async def test_a_file_of_a_newer_form_is_refused_at_its_first_line(other):
    with pytest.raises(ImportRefused, match="line 1"):
        await brought(other, ['{"exported_at": "2026-11-20T09:00:00Z", "version": 2}'])


async def test_a_long_history_is_taken_whole_and_in_order(database, other):
    await SqlMessageStore(database).add([message(f"{number:04}") for number in range(2001)])
    taken = await taken_out(database, ALL_OF_HOME)
    came = await brought(other, taken)

    assert [json.loads(each)["id"] for each in taken[1:]] == [f"{number:04}" for number in range(2001)]
    assert came.added["message"] == 2001
