"""Contract of the privacy store: opting out, erasure, export and retention."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from services.call_log.model import CallRecord, TurnRecord
from services.kernel.chat import Attachment, ChatAddress, ChatMessage, Person
from services.kernel.state import FOREVER, StateDelta
from services.people.memory import MemoryViewer, NewMemory
from services.people.privacy import DataScope, Erasure
from services.storage.database import Database
from services.storage.messages.store import SqlMessageStore
from services.storage.people.memories import SqlMemoryStore
from services.storage.people.privacy import SqlPrivacyStore
from services.storage.people.state import SqlScopeStore, SqlStateStore
from services.storage.records.store import SqlCallStore
from services.storage.tables import MESSAGE

HOME = ChatAddress(platform="console", chat_id="home")
WORK = ChatAddress(platform="console", chat_id="work")
OTHER = ChatAddress(platform="telegram", chat_id="home")
ANN = Person(id="ann", name="Ann")
BOB = Person(id="bob", name="Bob")
BOT = Person(id="self", name="Bubbles", is_bot=True)
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
HERE = DataScope(address=HOME, person=ANN)
EVERYWHERE = DataScope(address=HOME, person=ANN, is_everywhere=True)


KINDS = [
    "sqlite in memory",
    "sqlite file",
    pytest.param("postgresql", marks=[pytest.mark.integration, pytest.mark.timeout(30)]),
]


@pytest.fixture(params=KINDS)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    urls = {"sqlite in memory": "sqlite://", "sqlite file": f"sqlite:///{tmp_path / 'bubbles.db'}"}
    url = request.getfixturevalue("postgres_url") if request.param == "postgresql" else urls[request.param]
    async with Database(url) as opened:
        yield opened


@pytest.fixture
def privacy(database: Database) -> SqlPrivacyStore:
    return SqlPrivacyStore(database)


@pytest.fixture
def messages(database: Database) -> SqlMessageStore:
    return SqlMessageStore(database)


def message(number: int, *, sender: Person = ANN, address: ChatAddress = HOME, **changes: object) -> ChatMessage:
    sent_at = NOW + timedelta(minutes=number)
    made = ChatMessage(id=str(number), address=address, sender=sender, text=f"tea {number}", sent_at=sent_at)
    return replace(made, **changes)


def turn(number: int, person: Person = ANN, address: ChatAddress = HOME) -> TurnRecord:
    return TurnRecord(
        message_id=str(number),
        address=address,
        person=person,
        text="secret wish",
        at=NOW,
        zone="UTC",
        language="en",
        route="offline",
        rounds=1,
        outcome="answered",
        reply="secret answer",
        duration_ms=1.0,
    )


def call(number: int, person: Person = ANN) -> CallRecord:
    return CallRecord(
        id=f"c{number}",
        address=HOME,
        message_id=str(number),
        person_id=person.id,
        user_message="secret wish",
        tool_name="memory_save",
        arguments='{"text": "secret"}',
        result="secret",
        error=None,
        status="success",
        duration_ms=1.0,
        at=NOW,
        route="offline",
        round=1,
        said="secret answer",
    )


async def texts(messages: SqlMessageStore, address: ChatAddress = HOME) -> list[str]:
    return [each.text for each in await messages.recent(address, 50)]


async def test_messages_after_opting_out_are_not_stored_but_known_by_id(privacy, messages):
    assert await privacy.opt_out(HERE, NOW)
    assert not await privacy.opt_out(HERE, NOW)
    await messages.add([message(1), message(2, sender=BOB), message(3, address=WORK)])

    assert await texts(messages) == ["tea 2"]
    assert await texts(messages, WORK) == ["tea 3"]
    assert [each.id for each in await messages.search(HOME, "tea", 10)] == ["2"]
    assert await messages.add([message(1)]) == (False,)


async def test_edit_does_not_store_text_of_an_opted_out_person(privacy, messages):
    await privacy.opt_out(HERE, NOW)
    await messages.add([message(1)])

    assert not await messages.edit(HOME, "1", "edited", NOW)
    assert await messages.search(HOME, "edited", 10) == ()


async def test_earlier_messages_are_hidden_until_opt_in(privacy, messages):
    await messages.add([message(1), message(2, sender=BOB), message(3, address=WORK)])

    await privacy.opt_out(HERE, NOW)
    assert await texts(messages) == ["tea 2"]
    assert [each.id for each in await messages.since(HOME, NOW - timedelta(days=1000), 10)] == ["2"]
    assert [each.id for each in await messages.search(HOME, "tea", 10)] == ["2"]
    assert await texts(messages, WORK) == ["tea 3"]

    await privacy.opt_in(HERE)
    assert await texts(messages) == ["tea 1", "tea 2"]


async def test_edit_after_opting_out_removes_the_earlier_text(privacy, messages):
    await messages.add([message(1), message(2, sender=BOB)])
    await privacy.opt_out(HERE, NOW)

    await messages.edit(HOME, "1", "edited", NOW)
    await messages.edit(HOME, "2", "edited", NOW)
    await privacy.opt_in(HERE)

    assert await texts(messages) == ["edited"]
    assert [each.id for each in await messages.search(HOME, "edited", 10)] == ["2"]


async def test_record_of_an_opted_out_person_has_costs_and_no_text(privacy, database):
    log = SqlCallStore(database)
    await privacy.opt_out(HERE, NOW)

    await log.add([turn(1), turn(2, BOB), turn(3, address=WORK)], [call(1), call(2, BOB)])

    turns = await log.latest_turns(10)
    assert [(each.text, each.reply, each.person.name) for each in turns] == [
        ("secret wish", "secret answer", "Ann"),
        ("secret wish", "secret answer", "Bob"),
        ("", "", ""),
    ]
    (hers,), (his,) = await log.calls(HOME.key, ["1"]), await log.calls(HOME.key, ["2"])
    assert (hers.tool_name, hers.user_message, hers.arguments, hers.said) == ("memory_save", "", "{}", "")
    assert his.said == "secret answer"


async def test_opting_out_everywhere_applies_to_one_platform(privacy, messages):
    await privacy.opt_out(EVERYWHERE, NOW)
    await messages.add([message(1, address=WORK), message(2, address=OTHER)])

    assert await texts(messages, WORK) == []
    assert await texts(messages, OTHER) == ["tea 2"]


async def test_opting_in_again_stores_later_messages(privacy, messages):
    await privacy.opt_out(HERE, NOW)
    await privacy.opt_out(EVERYWHERE, NOW)

    assert await privacy.opt_in(EVERYWHERE)
    assert not await privacy.opt_in(HERE)
    await messages.add([message(1)])

    assert await texts(messages) == ["tea 1"]


@pytest.mark.parametrize("way", ["erased", "not recorded"])
async def test_erasure_leaves_no_name_of_the_author(privacy, messages, database, way):
    ann = Person(id="ann", name="Ann", username="ann_lee")
    if way == "not recorded":
        await privacy.opt_out(HERE, NOW)
    await messages.add([message(1, sender=ann)])
    if way == "erased":
        await privacy.erase(HERE, NOW)
    columns = (MESSAGE.c.sender_id, MESSAGE.c.sender_name, MESSAGE.c.sender_username)
    rows = await database.read(lambda connection: connection.execute(sa.select(*columns)).all())

    assert [tuple(row) for row in rows] == [("", "", "")]


async def test_erasure_deletes_and_counts_messages_replies_memories_and_records(privacy, messages, database):
    memories, records = SqlMemoryStore(database), SqlCallStore(database)
    await messages.add([message(1), message(2, sender=BOB), message(3, sender=BOT, reply_to="1")])
    await messages.add([message(4, sender=BOT, reply_to="2"), message(5, address=WORK)])
    for who in (ANN, BOB):
        await memories.add(NewMemory(address=HOME, person=who, text="x", is_shared=True, created_at=NOW))
        await records.add([turn(1, who)], [])

    receipt = await privacy.erase(HERE, NOW)

    assert receipt == Erasure(messages=1, replies=1, memories=1, records=1)
    assert await texts(messages) == ["tea 2", "tea 4"]
    assert await texts(messages, WORK) == ["tea 5"]
    assert [each.id for each in await messages.search(HOME, "tea", 10)] == ["2"]
    assert [each.person.id for each in await memories.visible_to(MemoryViewer(address=HOME, person=BOB))] == ["bob"]
    assert [each.text for each in await records.latest_turns(5)] == ["secret wish", ""]
    assert await privacy.erase(HERE, NOW) == Erasure(messages=0, replies=0, memories=0, records=0)


async def test_erasure_lists_files_of_deleted_messages(privacy, messages):
    desk = Attachment(kind="image", description="desk.png", url="/files/k/desk.png")
    await messages.add([message(1, attachments=(desk,)), message(2, sender=BOT, reply_to="1"), message(3, sender=BOB)])
    before = await privacy.with_files(HOME.key, NOW + timedelta(hours=1))

    rows = (await privacy.erase(HERE, NOW)).deleted

    assert [(each.message_id, each.files) for each in rows] == [("1", ("/files/k/desk.png",)), ("2", ())]
    assert [each.message_id for each in before] == ["1"]
    assert await privacy.with_files(HOME.key, NOW + timedelta(hours=1)) == ()
    assert await privacy.with_files(HOME.key, NOW) == ()


async def test_erasing_everywhere_applies_to_one_platform(privacy, messages):
    await messages.add([message(1), message(2, address=WORK), message(3, address=OTHER)])

    assert (await privacy.erase(EVERYWHERE, NOW)).messages == 2
    assert await texts(messages, OTHER) == ["tea 3"]


async def test_erased_text_is_not_in_the_database(privacy, messages, database, tmp_path):
    await SqlCallStore(database).add([turn(1)], [])
    await messages.add([message(1, text="secret plan")])
    await privacy.erase(EVERYWHERE, NOW)

    def dump(connection) -> str:
        tables = ("message", "turn", "tool_conversations", "memory", "session_state", "scoped_state")
        return str([connection.exec_driver_sql(f"SELECT * FROM {table}").all() for table in tables])

    assert "secret" not in await database.read(dump)


async def test_state_of_the_person_is_deleted_and_that_of_others_stays(privacy, database):
    scopes = SqlScopeStore(database)
    names = ["session:console:home#ann", "session:console:home#bob", "session:x:console:home#ann", "user:console:ann"]
    await scopes.commit([StateDelta(scope=name, written={"k": 1}) for name in names])

    await privacy.erase(HERE, NOW)
    after_here = [bool(each) for each in await scopes.load(names)]
    await privacy.erase(EVERYWHERE, NOW)

    assert after_here == [False, True, True, True]
    assert [bool(each) for each in await scopes.load(names)] == [False, True, True, False]


async def test_state_of_the_dialogues_in_the_chat_is_deleted(privacy, database):
    state = SqlStateStore(database, FixedClock(NOW))
    keys = [f"dialogue.chat:{chat.key}" for chat in (HOME, WORK, OTHER)]
    for key in keys:
        await state.set(key, "tea", keep=FOREVER)

    await privacy.erase(HERE, NOW)
    after_here = [await state.get(key) for key in keys]
    await privacy.erase(EVERYWHERE, NOW)

    assert after_here == [None, "tea", "tea"]
    assert [await state.get(key) for key in keys] == [None, None, "tea"]


async def test_read_places_of_the_person_in_web_rooms_are_deleted(privacy, database):
    state = SqlStateStore(database, FixedClock(NOW))
    room = ChatAddress(platform="web", chat_id="home")
    of_ann = {"http.read:ann": {"home": "2026-11-20", "work": "2026-11-20"}, "http.rooms:ann": ["home", "work"]}
    for key, value in {**of_ann, "http.read:bob": {"home": "2026-11-20"}}.items():
        await state.set(key, value, keep=FOREVER)

    await privacy.erase(EVERYWHERE, NOW)
    after_console = [await state.get(key) for key in of_ann]
    await privacy.erase(DataScope(address=room, person=ANN), NOW)
    after_room = [await state.get(key) for key in of_ann]
    await privacy.erase(DataScope(address=room, person=ANN, is_everywhere=True), NOW)

    assert after_console == list(of_ann.values())
    assert after_room == [{"work": "2026-11-20"}, ["home", "work"]]
    assert [await state.get(key) for key in of_ann] == [None, None]
    assert await state.get("http.read:bob") == {"home": "2026-11-20"}


@pytest.mark.parametrize(
    "scope", ["chat:console:#ann", "zone:console:#ann", "zone:console:home#ann", "user:console:home#ann"]
)
async def test_state_of_a_chat_named_like_the_person_stays(privacy, database, scope):
    scopes = SqlScopeStore(database)
    await scopes.commit([StateDelta(scope=scope, written={"k": 1})])

    await privacy.erase(EVERYWHERE, NOW)

    assert await scopes.load([scope]) == [{"k": 1}]


async def test_export_returns_stored_data(privacy, messages, database):
    await messages.add([message(1), message(2), message(3, sender=BOB), message(4, address=OTHER)])
    await SqlMemoryStore(database).add(NewMemory(address=HOME, person=ANN, text="x", is_shared=False, created_at=NOW))
    await SqlCallStore(database).add([turn(1)], [])
    await privacy.opt_out(EVERYWHERE, NOW)

    data = await privacy.export(HERE, 1)

    assert [each.id for each in data.messages] == ["2"]
    assert (data.message_count, len(data.memories), data.record_count, data.is_opted_out) == (2, 1, 1, True)


async def test_each_chat_has_its_own_retention_period(privacy):
    await privacy.set_retention(HOME.key, 7)
    await privacy.set_retention(HOME.key, 30)
    await privacy.set_retention(WORK.key, 0)
    await privacy.set_retention(WORK.key, None)

    assert await privacy.retention() == {"console:home": 30}


async def test_old_messages_are_purged_from_store_and_index(privacy, messages):
    await messages.add([message(number) for number in range(10)])
    await messages.add([message(1, address=WORK)])

    before = NOW + timedelta(minutes=5)
    removed = [await privacy.purge(HOME.key, before, 3) for _ in range(3)]

    assert removed == [3, 2, 0]
    assert await texts(messages) == [f"tea {number}" for number in range(5, 10)]
    assert len(await messages.search(HOME, "tea", 50)) == 5
    assert sorted(await privacy.chats()) == ["console:home", "console:work"]


NAMESAKE = Person(id=BOT.id, name="Self")
"""A person whose id is that of the bot's own messages."""


async def test_person_with_the_id_of_the_bot_exports_none_of_its_messages(privacy, messages):
    await messages.add([message(1, sender=BOT, address=WORK), message(2, sender=NAMESAKE)])

    data = await privacy.export(DataScope(address=HOME, person=NAMESAKE, is_everywhere=True), 10)

    assert ([each.id for each in data.messages], data.message_count) == (["2"], 1)


async def test_opt_out_of_a_person_with_the_id_of_the_bot_hides_none_of_its_messages(privacy, messages):
    await privacy.opt_out(DataScope(address=HOME, person=NAMESAKE), NOW)
    await messages.add([message(1, sender=BOT), message(2, sender=NAMESAKE)])

    assert [each.id for each in await messages.recent(HOME, 10)] == ["1"]
    assert await messages.last_message_of(HOME, NAMESAKE, None) is None
