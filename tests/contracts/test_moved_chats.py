"""Contract of stored data whose chat gets a new id."""

from collections.abc import Callable
from datetime import datetime, time, timedelta

from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from services.kernel.chat import ChatAddress, ChatMessage, ChatMoved, Person
from services.kernel.state import FOREVER, StateDelta
from services.people.memory import MemoryViewer, NewMemory
from services.people.privacy import DataScope
from services.reminders.exchange.feed import FeedTokens
from services.reminders.model import ReminderLimits
from services.reminders.quiet_hours import QuietHours, chat_key
from services.reminders.records import DeliveryState, ValidatedReminder
from services.storage.database import Database
from services.storage.messages.chat_moves import move_chat
from services.storage.messages.store import SqlMessageStore
from services.storage.people.memories import SqlMemoryStore
from services.storage.people.privacy import SqlPrivacyStore
from services.storage.people.state import SqlScopeStore, SqlStateStore
from services.storage.records.store import SqlCallStore
from services.storage.reminders.store import SqlReminderStore
from tests.support.records import make_call_record, make_turn_record
from tests.support.stores.reminders import make_outcome

OLD = ChatAddress(platform="console", chat_id="home")
NEW = ChatAddress(platform="console", chat_id="big")
SIMILAR = ChatAddress(platform="console", chat_id="home2")
MOVED = ChatMoved(address=NEW, previous=OLD)
ANN = Person(id="ann", name="Ann")


def message(number: int, now: datetime, **changes: object) -> ChatMessage:
    sent_at = now + timedelta(minutes=number)
    made = ChatMessage(id=str(number), address=OLD, sender=ANN, text=f"tea {number}", sent_at=sent_at)
    return replace(made, **changes)


async def test_reminders_and_sent_occurrences_are_in_the_new_chat(
    sql_database: Database, draft: Callable[..., ValidatedReminder], now: datetime
):
    store, later = SqlReminderStore(sql_database), now + timedelta(minutes=5)
    for key, chat in (("1", "home"), ("2", "home2")):
        await store.add(draft(key, chat=chat, rule="FREQ=DAILY"), now, ReminderLimits())
    for lease in (await store.claim("me", later, later, 10)).leases:
        await store.begin("me", [lease.notice.delivery_id])
        await store.settle([make_outcome(lease, DeliveryState.SENT, later, message_id="5")])
    await move_chat(sql_database, MOVED)

    assert [row.content for row in await store.in_chat(NEW.key, 10)] == ["tea 1"]
    assert [row.content for row in await store.sent_since(NEW.key, now, 10)] == ["tea 1"]
    assert await store.in_chat(OLD.key, 10) == ()
    assert [row.content for row in await store.in_chat(SIMILAR.key, 10)] == ["tea 2"]


async def test_a_message_with_the_id_of_an_earlier_one_is_another(sql_database: Database, now: datetime):
    messages = SqlMessageStore(sql_database)
    await messages.add([message(1, now), message(2, now, reply_to="1")])
    await move_chat(sql_database, MOVED)
    await messages.add([message(1, now + timedelta(hours=1), address=NEW, text="coffee")])

    found = await messages.recent(NEW, 10)
    assert [(each.id, each.reply_to, each.text) for each in found] == [
        ("home/1", None, "tea 1"),
        ("home/2", "home/1", "tea 2"),
        ("1", None, "coffee"),
    ]
    assert [each.id for each in await messages.search(NEW, "tea", 10)] == ["home/2", "home/1"]
    assert await messages.search(OLD, "tea", 10) == ()


async def test_messages_that_waited_for_the_index_are_found(sql_database: Database, now: datetime):
    messages = SqlMessageStore(sql_database)
    await messages.add([message(number, now) for number in range(1, 65)])
    await messages.add([message(number, now, text="coffee") for number in range(65, 70)])
    await move_chat(sql_database, MOVED)

    assert len(await messages.search(NEW, "tea", 100)) == 64
    assert len(await messages.search(NEW, "coffee", 100)) == 5


async def test_records_are_of_the_new_chat(sql_database: Database):
    records = SqlCallStore(sql_database)
    await records.add([make_turn_record(address=OLD)], [make_call_record(address=OLD)])
    await move_chat(sql_database, MOVED)

    assert (await records.turn("home/m1", NEW.key)).text == "提醒我喝茶"
    assert [each.tool_name for each in await records.calls(NEW.key, ["home/m1"])] == ["reminder_set"]
    assert await records.turn("m1") is None


async def test_notes_and_choices_are_of_the_new_chat(sql_database: Database, now: datetime):
    memories, privacy = SqlMemoryStore(sql_database), SqlPrivacyStore(sql_database)
    reminders, messages = SqlReminderStore(sql_database), SqlMessageStore(sql_database)
    hours = QuietHours(starts=time(22), ends=time(7), zone="UTC")
    await memories.add(NewMemory(address=OLD, person=ANN, text="the door code", is_shared=True, created_at=now))
    await privacy.set_retention(OLD.key, 7)
    await privacy.opt_out(DataScope(address=OLD, person=ANN), now)
    await reminders.set_quiet_hours(chat_key(OLD), hours)
    await move_chat(sql_database, MOVED)
    await messages.add([message(1, now, address=NEW)])

    assert [each.text for each in await memories.visible_to(MemoryViewer(address=NEW, person=ANN))] == ["the door code"]
    assert await privacy.retention() == {NEW.key: 7}
    assert await messages.recent(NEW, 10) == ()
    assert await reminders.quiet_hours(chat_key(NEW)) == hours


async def test_choices_of_the_new_chat_stay(sql_database: Database, clock: FixedClock):
    privacy, state = SqlPrivacyStore(sql_database), SqlStateStore(sql_database, clock)
    for chat, days in ((OLD, 7), (NEW, 30)):
        await privacy.set_retention(chat.key, days)
        await state.set(f"welcomed:{chat.key}", days, keep=FOREVER)
    await move_chat(sql_database, MOVED)

    assert await privacy.retention() == {NEW.key: 30}
    assert await state.get(f"welcomed:{NEW.key}") == 30
    assert await state.get(f"welcomed:{OLD.key}") is None


async def test_state_is_of_the_new_chat(sql_database: Database, clock: FixedClock):
    state, scopes = SqlStateStore(sql_database, clock), SqlScopeStore(sql_database)
    before = ("zone:console:home", "last_call:console:home#ann", "zone:console:home2", "taken_up:console:home#1")
    for key in before:
        await state.set(key, "said in console:home", keep=FOREVER)
    values = (("session:console:home#ann", "count", 3), ("places", "team", OLD.key), ("places", "other", SIMILAR.key))
    await scopes.commit([StateDelta(scope=scope, written={key: value}) for scope, key, value in values])
    feeds = FeedTokens(state)
    token = await feeds.issue(OLD)
    await move_chat(sql_database, MOVED)

    after = ("zone:console:big", "last_call:console:big#ann", "zone:console:home2", "taken_up:console:home#1")
    assert [await state.get(key) for key in after] == ["said in console:home"] * 4
    assert await scopes.load(["session:console:big#ann", "places"]) == [
        {"count": 3},
        {"team": NEW.key, "other": SIMILAR.key},
    ]
    assert await feeds.chat_of(token) == NEW


async def test_a_second_move_changes_nothing(sql_database: Database, now: datetime):
    messages = SqlMessageStore(sql_database)
    await messages.add([message(1, now)])
    await move_chat(sql_database, MOVED)
    await move_chat(sql_database, MOVED)

    assert [each.id for each in await messages.recent(NEW, 10)] == ["home/1"]
