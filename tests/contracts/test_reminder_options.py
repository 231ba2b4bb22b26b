"""Contract of the reminder stores: quiet hours, catching up, batches and zone data."""

from collections.abc import Callable
from datetime import datetime, time, timedelta

import pytest
from msgspec.structs import replace

from services.kernel.chat import ChatAddress, Person
from services.reminders.model import CatchUp, ReminderEdit, ReminderLimits
from services.reminders.ports import ReminderStore
from services.reminders.quiet_hours import QuietHours, chat_key, person_key
from services.reminders.records import DeliveryState, Lease, ValidatedReminder
from services.reminders.transitions import cancel, edit
from tests.support.stores.reminders import add_many, make_outcome

MakeDraft = Callable[..., ValidatedReminder]
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
LIMITS = ReminderLimits()
HOME = ChatAddress(platform="console", chat_id="home")
BOB = Person(id="bob", name="Bob")
MORNING = QuietHours(starts=time(9), ends=time(10), zone="UTC")


def replace_fields(draft: ValidatedReminder, **changes) -> ValidatedReminder:
    return replace(draft, reminder=replace(draft.reminder, **changes))


async def claim_due(store: ReminderStore, at: datetime, owner: str = "me") -> tuple[Lease, ...]:
    return (await store.claim(owner, at, at, 500)).leases


async def test_urgency_and_catching_up_are_stored_and_changed(
    reminders: ReminderStore, draft: MakeDraft, now: datetime
):
    row = await reminders.add(replace_fields(draft(), is_urgent=True, catch_up=CatchUp.ALL), now, LIMITS)
    change = ReminderEdit(content="milk", is_urgent=False)

    (changed,) = await reminders.change([edit(row, change, now)], now)

    assert (row.is_urgent, row.catch_up) == (True, CatchUp.ALL)
    assert (changed.is_urgent, changed.catch_up, changed.content) == (False, CatchUp.ALL, "milk")


async def test_each_missed_fire_is_an_occurrence_of_its_own(reminders: ReminderStore, draft, now):
    await reminders.add(replace_fields(draft(rule="FREQ=DAILY"), catch_up=CatchUp.ALL), now, LIMITS)

    leases = await claim_due(reminders, now + 3 * DAY)

    fires = [now + MINUTE, now + MINUTE + DAY, now + MINUTE + 2 * DAY]
    assert [(lease.notice.due_at, lease.notice.missed) for lease in leases] == [(fire, 0) for fire in fires]


async def test_at_most_ten_occurrences_wait_for_a_retry(reminders: ReminderStore, deliveries, draft, now):
    await reminders.add(replace_fields(draft(rule="FREQ=DAILY"), catch_up=CatchUp.ALL), now, LIMITS)
    for day in range(1, 16):
        await claim_due(reminders, now + day * DAY)
        await reminders.free("me")

    records = await deliveries(now, now + 30 * DAY)

    waiting = [each for each in records if each.state is DeliveryState.LEASED]
    assert len(records) == 15
    assert len(waiting) == 10


async def test_missed_fires_without_catch_up_are_recorded_as_skipped(reminders: ReminderStore, deliveries, draft, now):
    await reminders.add(replace_fields(draft(rule="FREQ=DAILY"), catch_up=CatchUp.NONE), now, LIMITS)

    leases = await claim_due(reminders, now + 3 * DAY)

    (record,) = await deliveries(now, now + 9 * DAY)
    assert leases == ()
    assert (record.state, record.due_at, record.missed) == (DeliveryState.SKIPPED, now + MINUTE + 2 * DAY, 2)


async def test_quiet_hours_stay_until_they_are_removed(reminders: ReminderStore):
    key = chat_key(HOME)
    await reminders.set_quiet_hours(key, replace(MORNING, ends=time(8, 30)))
    await reminders.set_quiet_hours(key, MORNING)

    quiet_hours = await reminders.quiet_hours(key)
    await reminders.set_quiet_hours(key, None)

    assert quiet_hours == MORNING
    assert await reminders.quiet_hours(key) is None


@pytest.mark.parametrize("key", [chat_key(HOME), person_key(HOME, BOB)])
async def test_occurrence_in_quiet_hours_is_leased_after_they_end(reminders: ReminderStore, draft, now, key: str):
    await reminders.set_quiet_hours(key, MORNING)
    await reminders.add(draft(), now, LIMITS)

    claim = await reminders.claim("me", now, now + MINUTE, 500)
    (lease,) = await claim_due(reminders, now + timedelta(hours=1))

    assert claim.leases == ()
    assert lease.notice.was_held
    assert lease.notice.due_at == now + MINUTE


@pytest.mark.parametrize("rule", ["", "FREQ=DAILY"])
async def test_zones_that_the_zone_data_lacks_stop_no_delivery(reminders: ReminderStore, draft, now, rule: str):
    await reminders.set_quiet_hours(chat_key(HOME), replace(MORNING, starts=time(3), ends=time(4), zone="Mars/Base"))
    stored = draft(rule=rule)
    schedule = replace(stored.reminder.schedule, zone="Mars/Base")
    await add_many(reminders, [replace_fields(stored, schedule=schedule), draft("2")], now)

    leases = await claim_due(reminders, now + MINUTE)

    assert [(lease.notice.content, lease.notice.due_at) for lease in leases] == [
        ("tea 1", now + MINUTE),
        ("tea 2", now + MINUTE),
    ]


async def test_quiet_hours_of_another_chat_or_person_delay_nothing(reminders: ReminderStore, draft, now):
    await reminders.set_quiet_hours("chat:console:work", MORNING)
    await reminders.set_quiet_hours("person:console:ann", MORNING)
    await reminders.add(draft(), now, LIMITS)

    assert len(await claim_due(reminders, now + MINUTE)) == 1


async def test_urgent_reminder_is_claimed_in_quiet_hours(reminders: ReminderStore, draft, now):
    await reminders.set_quiet_hours(chat_key(HOME), MORNING)
    await reminders.add(replace_fields(draft(), is_urgent=True), now, LIMITS)

    assert len(await claim_due(reminders, now + MINUTE)) == 1


async def test_freed_occurrence_waits_for_quiet_hours_unless_it_may_have_been_sent(
    reminders: ReminderStore, draft, now
):
    await add_many(reminders, [draft("a"), draft("b")], now)
    first, _ = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [first.notice.delivery_id])
    await reminders.free("me")
    await reminders.set_quiet_hours(chat_key(HOME), MORNING)

    (again,) = await claim_due(reminders, now + 2 * MINUTE)

    (later,) = await claim_due(reminders, now + timedelta(hours=1))
    assert again.notice.delivery_id == first.notice.delivery_id
    assert later.notice.was_held


async def test_reminders_of_one_message_are_claimed_together(reminders: ReminderStore, draft, now):
    await add_many(reminders, [draft("a"), draft("b", seconds=61), draft("c", seconds=62)], now)
    ids = [lease.notice.delivery_id for lease in await claim_due(reminders, now + 2 * MINUTE)]
    await reminders.begin("me", ids, {ids[0]: "together", ids[2]: "together"})
    await reminders.free("me")

    first = await reminders.claim("next", now + 2 * MINUTE, now + 2 * MINUTE, 1)
    second = await reminders.claim("next", now + 2 * MINUTE, now + 2 * MINUTE, 1)

    assert {(lease.notice.content, lease.message_key) for lease in first.leases} == {
        ("tea a", "together"),
        ("tea c", "together"),
    }
    assert [(lease.notice.content, lease.message_key) for lease in second.leases] == [("tea b", "")]


async def test_occurrence_begun_alone_leaves_its_earlier_message(reminders: ReminderStore, draft, now):
    await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [lease.notice.delivery_id], {lease.notice.delivery_id: "together"})
    await reminders.free("me")
    await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [lease.notice.delivery_id])
    await reminders.free("me")

    (again,) = await claim_due(reminders, now + MINUTE)

    assert again.message_key == ""


async def test_new_zone_data_reschedule_wrong_reminders_only(reminders: ReminderStore, draft, now):
    row = await reminders.add(replace(draft(rule="FREQ=DAILY"), first_fire=now + DAY), now, LIMITS)

    moved = [await reminders.follow_zone_data(version, now) for version in ("2026a", "2026a", "2026b", "2026b")]

    armed = await reminders.get(row.key)
    assert moved == [0, 0, 1, 0]
    assert armed is not None
    assert armed.next_fire_at == now + MINUTE


async def test_reminders_are_found_by_their_sent_message(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [lease.notice.delivery_id])
    await reminders.settle([make_outcome(lease, DeliveryState.SENT, now + MINUTE, message_id="m7")])

    assert [each.key for each in await reminders.sent_in(row.address.key, "m7")] == [row.key]
    assert await reminders.sent_in(row.address.key, "m8") == ()
    assert await reminders.sent_in("console:other", "m7") == ()


async def test_occurrence_being_sent_is_held_until_taken_over(reminders: ReminderStore, draft, now):
    await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    identifier = lease.notice.delivery_id
    leased = await reminders.list_sending("me", [identifier])
    await reminders.begin("me", [identifier])
    of_owner, of_another = (
        await reminders.list_sending("me", [identifier]),
        await reminders.list_sending("you", [identifier]),
    )
    await reminders.free("me")

    assert (leased, of_owner, of_another) == (frozenset(), frozenset({identifier}), frozenset())
    assert await reminders.list_sending("me", [identifier]) == frozenset()


async def test_deleted_or_taken_over_occurrence_is_not_begun(reminders: ReminderStore, deliveries, draft, now):
    row = await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    of_another = await reminders.begin("you", [lease.notice.delivery_id])
    await reminders.change([cancel(row)], now)
    of_deleted = await reminders.begin("me", [lease.notice.delivery_id])

    (record,) = await deliveries(now, now + DAY)
    assert (of_another, of_deleted) == ({}, {})
    assert (record.state, record.attempt) == (DeliveryState.CANCELLED, 0)
