"""Contract of the reminder stores."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from services.kernel.errors import RequestRefused
from services.recurrence.rules import stored_rule
from services.recurrence.schedule import FollowUp, Schedule
from services.reminders.model import ReminderAction, ReminderEdit, ReminderLimits, ReminderState
from services.reminders.ports import ReminderStore
from services.reminders.records import DeliveryState, Lease, StoredReminder, ValidatedReminder
from services.reminders.transitions import cancel, edit, finish, resume
from tests.support.stores.reminders import add_many, make_outcome

MakeDraft = Callable[..., ValidatedReminder]
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
LIMITS = ReminderLimits(per_person=2, per_chat=3)


async def claim_due(store: ReminderStore, at: datetime, owner: str = "me") -> tuple[Lease, ...]:
    return (await store.claim(owner, at, at, 500)).leases


async def add_failed(store: ReminderStore, reminder: ValidatedReminder, now: datetime) -> StoredReminder:
    """Add a reminder due at `now` whose delivery fails a minute later; return it as it is stored then."""
    row = await store.add(reminder, now, LIMITS)
    (lease,) = await claim_due(store, now + MINUTE)
    await store.begin("me", [lease.notice.delivery_id])
    await store.settle([make_outcome(lease, DeliveryState.FAILED, now + MINUTE)])
    failed = await store.get(row.key)
    assert failed is not None
    return failed


async def test_reminder_is_read_as_stored(reminders: ReminderStore, draft: MakeDraft, now: datetime):
    new = draft().reminder

    row = await reminders.add(draft(), now, LIMITS)

    reminder = await reminders.get(row.key)
    assert reminder == row
    assert (row.address, row.creator, row.targets, row.content, row.schedule, row.language) == (
        new.address,
        new.creator,
        new.targets,
        new.content,
        new.schedule,
        new.language,
    )
    assert (row.state, row.next_fire_at, row.created_at) == (ReminderState.ACTIVE, now + MINUTE, now)


async def test_second_of_two_equal_wall_times_is_stored_separately(reminders: ReminderStore, draft, now):
    start = datetime.fromisoformat("2026-10-25T02:30").replace(fold=1)
    new = replace(draft().reminder, schedule=Schedule(start=start, zone="Europe/Berlin"))

    row = await reminders.add(ValidatedReminder(reminder=new, first_fire=now), now, LIMITS)

    assert row.schedule.start.fold == 1


async def test_reminder_is_stored_once_per_request_key(reminders: ReminderStore, draft, now):
    first = await reminders.add(draft("a"), now, LIMITS)

    again = await reminders.add(draft("a", seconds=999), now, LIMITS)

    assert again == first
    assert await reminders.by_request("a") == first
    assert await reminders.by_request("b") is None


async def test_a_person_at_the_cap_is_refused(reminders: ReminderStore, draft, now):
    await reminders.add(draft("a"), now, LIMITS)
    await reminders.add(draft("b"), now, LIMITS)

    with pytest.raises(RequestRefused) as refusal:
        await reminders.add(draft("c"), now, LIMITS)

    assert (refusal.value.code, refusal.value.fields) == ("too_many_reminders", {"limit": 2})


async def test_a_chat_at_the_cap_is_refused(reminders: ReminderStore, draft, now):
    for key, person in (("a", "ann"), ("b", "bob"), ("c", "cy")):
        await reminders.add(draft(key, creator=person), now, LIMITS)

    with pytest.raises(RequestRefused) as refusal:
        await reminders.add(draft("d", creator="dan"), now, LIMITS)

    assert refusal.value.fields == {"limit": 3}


async def test_reminders_of_a_creator_are_found_in_every_chat_of_a_platform(reminders: ReminderStore, draft, now):
    own = await reminders.add(draft("a", creator="ann"), now, LIMITS)
    second = await reminders.add(draft("b", creator="ann"), now, LIMITS)
    await reminders.add(draft("c", creator="dan"), now, LIMITS)
    await reminders.change([cancel(second)], now)

    found = await reminders.of_creator("console", "ann", 10)

    assert [each.key for each in found] == [own.key]
    assert await reminders.of_creator("telegram", "ann", 10) == ()


async def test_a_deleted_reminder_does_not_count_for_the_cap(reminders: ReminderStore, draft, now):
    await reminders.add(draft("a"), now, LIMITS)
    row = await reminders.add(draft("b"), now, LIMITS)
    await reminders.change([cancel(row)], now)

    await reminders.add(draft("c"), now, LIMITS)

    assert {each.request_key for each in await reminders.in_chat("console:home", 10)} == {"a", "c"}


async def test_known_reminders_are_skipped_when_many_are_added(reminders: ReminderStore, draft, now):
    await reminders.add(draft("0"), now, LIMITS)

    count = await add_many(reminders, [draft(str(number)) for number in range(1500)], now)

    assert count == 1499
    assert len(await reminders.in_chat("console:home", 2000)) == 1500


async def test_only_reminders_of_the_chat_are_listed(reminders: ReminderStore, draft, now):
    await reminders.add(draft("a"), now, LIMITS)
    await reminders.add(draft("b", chat="work"), now, LIMITS)

    found = await reminders.in_chat("console:work", 10)

    assert [each.request_key for each in found] == ["b"]


async def test_only_occurrences_due_by_the_horizon_are_claimed(reminders: ReminderStore, draft, now):
    await add_many(reminders, [draft("a", seconds=3), draft("b", seconds=60)], now)

    claim = await reminders.claim("me", now, now + timedelta(seconds=5), 500)

    assert [lease.notice.content for lease in claim.leases] == ["tea a"]
    # With other processes that may add reminders, the next claim is at the horizon.
    assert claim.next_at in {now + MINUTE, now + timedelta(seconds=5)}
    assert not claim.is_full


async def test_claim_stops_at_its_limit_and_is_marked_as_full(reminders: ReminderStore, draft, now):
    await add_many(reminders, [draft(str(number), seconds=1) for number in range(3)], now)

    first = await reminders.claim("me", now, now + MINUTE, 2)
    second = await reminders.claim("me", now, now + MINUTE, 2)

    assert (len(first.leases), first.is_full, len(second.leases), second.is_full) == (2, True, 1, False)


async def test_an_occurrence_is_claimed_once(reminders: ReminderStore, draft, now):
    await reminders.add(draft(), now, LIMITS)

    first = await claim_due(reminders, now + MINUTE)
    second = await claim_due(reminders, now + MINUTE, "another")

    assert (len(first), len(second)) == (1, 0)


async def test_occurrence_in_the_ledger_is_not_created_again(reminders: ReminderStore, draft, now):
    """After the clock was set back, a reminder may be armed for a time at which it has already fired."""
    row = await reminders.add(draft(rule="FREQ=DAILY"), now, LIMITS)
    await claim_due(reminders, now + MINUTE)
    assert await reminders.realign(now) == 1

    again = await claim_due(reminders, now + MINUTE)

    armed = await reminders.get(row.key)
    assert again == ()
    assert armed is not None
    assert armed.next_fire_at == now + MINUTE + DAY


async def test_notice_has_all_data_of_its_text(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft(), now, LIMITS)

    (lease,) = await claim_due(reminders, now + MINUTE)

    notice = lease.notice
    assert (notice.address, notice.creator, notice.targets) == (row.address, row.creator, row.targets)
    assert (notice.content, notice.language, notice.due_at) == ("tea 1", "zh", now + MINUTE)
    assert (notice.missed, notice.is_recurring, notice.attempt, notice.may_be_repeat) == (0, False, 1, False)


async def test_a_claimed_recurring_reminder_is_armed_for_the_next_time(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft(rule="FREQ=DAILY"), now, LIMITS)

    await claim_due(reminders, now + MINUTE)

    armed = await reminders.get(row.key)
    assert armed is not None
    assert armed.next_fire_at == now + MINUTE + DAY


async def test_missed_fires_become_one_notice_of_the_latest_with_a_count(reminders: ReminderStore, draft, now):
    await reminders.add(draft(rule="FREQ=DAILY"), now, LIMITS)

    (lease,) = await claim_due(reminders, now + 3 * DAY)

    assert (lease.notice.due_at, lease.notice.missed) == (now + MINUTE + 2 * DAY, 2)


async def test_waiting_occurrence_is_replaced_by_the_next(reminders: ReminderStore, deliveries, draft, now):
    await reminders.add(draft(rule="FREQ=DAILY"), now, LIMITS)
    (first,) = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [first.notice.delivery_id])
    await reminders.settle([make_outcome(first, DeliveryState.LEASED, now + 3 * DAY)])

    (second,) = await claim_due(reminders, now + MINUTE + DAY)

    states = [each.state for each in await deliveries(now, now + 9 * DAY)]
    assert second.notice.missed == 1
    assert states == [DeliveryState.CANCELLED, DeliveryState.LEASED]


UNREADABLE = Schedule(start=datetime.fromisoformat("2026-01-01T00:00"), zone="UTC", rule=stored_rule("FREQ=SOMEDAY"))


@pytest.mark.parametrize("action", ReminderAction)
@pytest.mark.parametrize("follow_up", [None, FollowUp(every=MINUTE, times=3)])
async def test_reminder_with_an_unreadable_rule_fires_once_and_pauses(
    reminders: ReminderStore, draft, now, action, follow_up
):
    new = replace(draft().reminder, schedule=replace(UNREADABLE, follow_up=follow_up), action=action)
    row = await reminders.add(ValidatedReminder(reminder=new, first_fire=now), now, LIMITS)
    await reminders.add(draft("fine", seconds=1), now, LIMITS)

    leases = await claim_due(reminders, now + MINUTE)

    parked = await reminders.get(row.key)
    assert len(leases) == 2
    assert parked is not None
    assert (parked.state, parked.next_fire_at) == (ReminderState.PAUSED, None)


async def test_reminder_with_an_unreadable_rule_keeps_its_next_fire(reminders: ReminderStore, draft, now):
    new = replace(draft().reminder, schedule=UNREADABLE)
    row = await reminders.add(ValidatedReminder(reminder=new, first_fire=now + DAY), now, LIMITS)
    await reminders.follow_zone_data("2099a", now)

    await reminders.follow_zone_data("2099b", now)
    await reminders.realign(now)

    reminder = await reminders.get(row.key)
    assert reminder is not None
    assert reminder.next_fire_at == now + DAY


async def test_only_the_owner_can_begin_an_existing_occurrence(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft("a"), now, LIMITS)
    await reminders.add(draft("b"), now, LIMITS)
    first, second = await claim_due(reminders, now + MINUTE)
    ids = [first.notice.delivery_id, second.notice.delivery_id]
    await reminders.change([cancel(row)], now)

    assert await reminders.begin("another", ids) == {}
    assert await reminders.begin("me", ids) == {ids[1]: 1}


async def test_deleted_occurrence_stays_deleted_when_begun(reminders: ReminderStore, deliveries, draft, now):
    row = await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    await reminders.change([cancel(row)], now)

    await reminders.begin("me", [lease.notice.delivery_id])

    (record,) = await deliveries(now, now + DAY)
    assert record.state is DeliveryState.CANCELLED


async def test_one_time_reminder_is_done_when_sent(reminders: ReminderStore, deliveries, draft, now):
    row = await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [lease.notice.delivery_id])

    await reminders.settle([make_outcome(lease, DeliveryState.SENT, now + MINUTE)])

    done = await reminders.get(row.key)
    (record,) = await deliveries(now, now + DAY)
    assert done is not None
    assert done.state is ReminderState.DONE
    assert (record.state, record.sent_at, record.attempt) == (DeliveryState.SENT, now + MINUTE, 1)


async def test_a_failed_attempt_is_claimed_again_at_its_time(reminders: ReminderStore, draft, now):
    await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [lease.notice.delivery_id])
    await reminders.settle([make_outcome(lease, DeliveryState.UNKNOWN, now + 2 * MINUTE)])

    early = await reminders.claim("me", now + MINUTE, now + MINUTE, 10)
    (again,) = await claim_due(reminders, now + 2 * MINUTE)

    assert early.leases == ()
    assert again.notice.idempotency_key == lease.notice.idempotency_key
    assert (again.notice.attempt, again.notice.may_be_repeat) == (2, True)
    assert again.try_at == now + 2 * MINUTE


async def test_only_begun_occurrences_may_be_repeats_after_freeing(reminders: ReminderStore, draft, now):
    await add_many(reminders, [draft("a"), draft("b", seconds=61)], now)
    first, _ = await claim_due(reminders, now + 2 * MINUTE)
    await reminders.begin("me", [first.notice.delivery_id])

    count = await reminders.free("me")

    leases = {lease.notice.content: lease.notice for lease in await claim_due(reminders, now + 2 * MINUTE, "next")}
    assert count == 2
    assert (leases["tea a"].may_be_repeat, leases["tea b"].may_be_repeat) == (True, False)
    assert (leases["tea a"].attempt, leases["tea b"].attempt) == (2, 1)


async def test_leases_of_other_owners_are_not_freed(reminders: ReminderStore, draft, now):
    await reminders.add(draft("a"), now, LIMITS)
    await claim_due(reminders, now + MINUTE, "me")

    assert await reminders.free("another") == 0
    assert await reminders.free("me") == 1


async def test_late_settlement_does_not_revive_a_final_occurrence(reminders: ReminderStore, deliveries, draft, now):
    await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [lease.notice.delivery_id])
    await reminders.settle([make_outcome(lease, DeliveryState.SENT, now + MINUTE)])

    await reminders.settle([make_outcome(lease, DeliveryState.LEASED, now + MINUTE)])

    (record,) = await deliveries(now, now + DAY)
    assert record.state is DeliveryState.SENT


async def test_change_of_an_old_version_is_discarded(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft(), now, LIMITS)
    await reminders.change([edit(row, ReminderEdit(content="milk"), now)], now)

    lost = await reminders.change([edit(row, ReminderEdit(content="beer"), now)], now)

    reminder = await reminders.get(row.key)
    assert lost == ()
    assert reminder is not None
    assert (reminder.content, reminder.version) == ("milk", 2)


async def test_new_text_reaches_claimed_occurrences_that_are_not_begun(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    await reminders.change([edit(row, ReminderEdit(content="milk"), now)], now)

    attempts = await reminders.begin("me", [lease.notice.delivery_id])

    renewed = await reminders.renew(lease.notice.delivery_id)
    assert attempts == {lease.notice.delivery_id: 2}
    assert renewed is not None
    assert (renewed.notice.content, renewed.notice.attempt) == ("milk", 1)


async def test_new_text_does_not_change_the_next_fire(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft(rule="FREQ=DAILY"), now, LIMITS)
    await claim_due(reminders, now + MINUTE)

    (changed,) = await reminders.change([edit(row, ReminderEdit(content="milk"), now)], now)

    assert changed.next_fire_at == now + MINUTE + DAY


async def test_new_times_cancel_claimed_occurrences(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    later = Schedule(start=datetime.fromisoformat("2026-11-21T09:00"), zone="UTC")

    (moved,) = await reminders.change([edit(row, ReminderEdit(schedule=later), now)], now)

    assert await reminders.begin("me", [lease.notice.delivery_id]) == {}
    assert moved.next_fire_at == datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


async def test_a_deleted_and_restored_reminder_fires_at_its_old_time(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft(), now, LIMITS)
    await claim_due(reminders, now + MINUTE)
    (changed,) = await reminders.change([cancel(row)], now)
    await reminders.change([resume(changed, now)], now)

    (lease,) = await claim_due(reminders, now + MINUTE)

    assert lease.notice.due_at == now + MINUTE
    assert await reminders.begin("me", [lease.notice.delivery_id]) == {lease.notice.delivery_id: 3}


async def test_sent_reminders_are_listed_latest_first(reminders: ReminderStore, draft, now):
    await add_many(reminders, [draft("a"), draft("b", seconds=61), draft("c", seconds=62, chat="work")], now)
    leases = await claim_due(reminders, now + 2 * MINUTE)
    await reminders.begin("me", [lease.notice.delivery_id for lease in leases])
    marks = [make_outcome(lease, DeliveryState.SENT, lease.notice.due_at) for lease in leases]
    await reminders.settle(marks)

    found = await reminders.sent_since("console:home", now, 10)

    assert [each.request_key for each in found] == ["b", "a"]
    assert await reminders.sent_since("console:home", now + DAY, 10) == ()


async def test_reminder_being_sent_is_the_latest_delivery(reminders: ReminderStore, draft, now):
    await add_many(reminders, [draft("a"), draft("b", seconds=30), draft("c", seconds=31)], now)
    first, *others = await claim_due(reminders, now + 2 * MINUTE)
    await reminders.begin("me", [first.notice.delivery_id, others[0].notice.delivery_id])
    await reminders.settle([make_outcome(others[0], DeliveryState.SENT, now + 2 * MINUTE)])

    found = await reminders.sent_since("console:home", now, 10)

    assert [each.key for each in found] == [first.reminder_key, others[0].reminder_key]


async def test_failed_deliveries_of_a_chat_can_be_retried(reminders: ReminderStore, draft, now):
    await reminders.add(draft("a"), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [lease.notice.delivery_id])
    await reminders.settle([make_outcome(lease, DeliveryState.FAILED, now + MINUTE)])

    retried_elsewhere = await reminders.retry_failed("console:elsewhere", now - DAY, now + DAY)
    count = await reminders.retry_failed(lease.notice.address.key, now - DAY, now + DAY)

    (again,) = await claim_due(reminders, now + DAY)
    assert (retried_elsewhere, count) == (0, 1)
    assert (again.notice.content, again.notice.due_at, again.notice.attempt) == ("tea a", lease.notice.due_at, 1)
    assert not again.notice.may_be_repeat


async def test_failed_occurrence_before_a_sent_one_is_not_retried(reminders: ReminderStore, draft, now):
    await reminders.add(draft("a", rule="FREQ=DAILY"), now, LIMITS)
    for day, state in enumerate((DeliveryState.FAILED, DeliveryState.SENT)):
        (lease,) = await claim_due(reminders, now + day * DAY + MINUTE)
        await reminders.begin("me", [lease.notice.delivery_id])
        await reminders.settle([make_outcome(lease, state, now + day * DAY + MINUTE)])

    assert await reminders.retry_failed(lease.notice.address.key, now - DAY, now + 2 * DAY) == 0


async def test_one_time_reminder_that_was_moved_is_not_retried(reminders: ReminderStore, draft, now):
    done = await add_failed(reminders, draft("a"), now)
    later = replace(done.schedule, start=done.schedule.start + 2 * DAY)
    await reminders.change([edit(done, ReminderEdit(schedule=later), now + MINUTE)], now + MINUTE)

    assert await reminders.retry_failed(done.address.key, now - DAY, now + DAY) == 0


async def test_failed_occurrence_that_was_marked_as_done_is_not_retried(reminders: ReminderStore, draft, now):
    new = draft("a")
    repeated = replace(new.reminder.schedule, follow_up=FollowUp(every=timedelta(hours=1), times=1))
    failed = await add_failed(reminders, replace(new, reminder=replace(new.reminder, schedule=repeated)), now)
    await reminders.change([finish(failed, now + MINUTE)], now + MINUTE)

    assert await reminders.retry_failed(failed.address.key, now - DAY, now + DAY) == 0


async def test_chats_with_failed_deliveries_are_listed(reminders: ReminderStore, draft, now):
    await add_many(reminders, [draft("a"), draft("b", chat="elsewhere")], now)
    here, there = sorted(await claim_due(reminders, now + MINUTE), key=lambda lease: lease.notice.address.key)[::-1]
    await reminders.begin("me", [here.notice.delivery_id, there.notice.delivery_id])
    outcomes = [(here, DeliveryState.FAILED), (there, DeliveryState.SENT)]
    await reminders.settle([make_outcome(lease, state, now + MINUTE) for lease, state in outcomes])

    found = await reminders.chats_with_failures(now - DAY)
    assert found == {here.notice.address.key}
    assert await reminders.chats_with_failures(now + DAY) == frozenset()


async def test_deleted_reminder_is_not_retried(reminders: ReminderStore, draft, now):
    done = await add_failed(reminders, draft("a"), now)
    await reminders.change([cancel(done)], now)

    assert await reminders.retry_failed(done.address.key, now - DAY, now + DAY) == 0


async def test_purge_deletes_only_old_final_occurrences(reminders: ReminderStore, deliveries, draft, now):
    await add_many(reminders, [draft("a"), draft("b")], now)
    first, _ = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [first.notice.delivery_id])
    await reminders.settle([make_outcome(first, DeliveryState.SENT, now + MINUTE)])

    assert await reminders.purge(now, 10) == 0
    assert await reminders.purge(now + DAY, 10) == 1
    assert [each.state for each in await deliveries(now, now + DAY)] == [DeliveryState.LEASED]


async def test_realign_repairs_fires_armed_from_a_wrong_future(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft(rule="FREQ=DAILY"), now, LIMITS)
    await claim_due(reminders, now + 3650 * DAY)

    assert await reminders.realign(now + 2 * MINUTE) == 1

    repaired = await reminders.get(row.key)
    assert repaired is not None
    assert repaired.next_fire_at == now + MINUTE + DAY


async def test_wait_from_a_wrong_future_clock_ends_at_the_due_time(reminders: ReminderStore, draft, now):
    await reminders.add(draft(seconds=60), now, LIMITS)
    (lease,) = await claim_due(reminders, now + 3650 * DAY)
    await reminders.begin("me", [lease.notice.delivery_id])
    await reminders.settle([make_outcome(lease, DeliveryState.LEASED, now + 3650 * DAY)])

    await reminders.realign(now)

    assert await claim_due(reminders, now + MINUTE - timedelta(seconds=1)) == ()
    assert len(await claim_due(reminders, now + MINUTE)) == 1


async def test_only_leases_not_kept_are_released_and_claimed_again(reminders: ReminderStore, draft, now):
    await add_many(reminders, [draft(str(number)) for number in range(3)], now)
    begun, kept, released = (lease.notice.delivery_id for lease in await claim_due(reminders, now + MINUTE))
    await reminders.begin("me", [begun])

    assert await reminders.release("me", {kept}) == 1
    assert [lease.notice.delivery_id for lease in await claim_due(reminders, now + MINUTE, "other")] == [released]


async def test_latest_due_time_is_that_of_the_claimed_occurrences(reminders: ReminderStore, draft, now):
    before = await reminders.latest_due()
    await add_many(reminders, [draft("a", seconds=30), draft("b", seconds=60), draft("c", seconds=90)], now)
    await claim_due(reminders, now + MINUTE)

    assert (before, await reminders.latest_due()) == (None, now + MINUTE)


@pytest.mark.parametrize("is_crash", [False, True])
async def test_reminder_deleted_while_sending_is_not_retried(
    reminders: ReminderStore, deliveries, draft, now, is_crash: bool
):
    row = await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    ids = [lease.notice.delivery_id]
    await reminders.begin("me", ids)
    await reminders.change([cancel(row)], now)

    second = await reminders.begin("me", ids)
    if is_crash:
        await reminders.free("me")
    else:
        await reminders.settle([make_outcome(lease, DeliveryState.UNKNOWN, now + MINUTE)])

    assert second == {}
    assert await claim_due(reminders, now + DAY) == ()
    (record,) = await deliveries(now, now + DAY)
    assert record.state is DeliveryState.CANCELLED


async def test_reminder_deleted_while_sending_is_recorded_as_sent(reminders: ReminderStore, deliveries, draft, now):
    row = await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [lease.notice.delivery_id])
    await reminders.change([cancel(row)], now)

    await reminders.settle([make_outcome(lease, DeliveryState.SENT, now + MINUTE)])

    (record,) = await deliveries(now, now + DAY)
    assert record.state is DeliveryState.SENT


async def test_next_attempt_has_the_new_text(reminders: ReminderStore, draft, now):
    row = await reminders.add(draft(), now, LIMITS)
    (lease,) = await claim_due(reminders, now + MINUTE)
    await reminders.begin("me", [lease.notice.delivery_id])
    await reminders.change([edit(row, ReminderEdit(content="coffee"), now)], now)

    await reminders.settle([make_outcome(lease, DeliveryState.LEASED, now + MINUTE)])

    assert [each.notice.content for each in await claim_due(reminders, now + MINUTE)] == ["coffee"]


@pytest.mark.parametrize("state", [DeliveryState.LEASED, DeliveryState.UNKNOWN, DeliveryState.FAILED])
async def test_failed_attempt_is_recorded_when_a_crash_lost_its_beginning(
    reminders: ReminderStore, deliveries, draft, now, state
):
    for each in "ab":
        await reminders.add(draft(each), now, LIMITS)
    leases = await claim_due(reminders, now + MINUTE)
    await reminders.settle([make_outcome(lease, state, now + 2 * MINUTE) for lease in leases])

    records = await deliveries(now, now + DAY)
    again = await claim_due(reminders, now + 3 * MINUTE, owner="you")
    assert [record.state for record in records] == [state, state]
    assert [each.notice.attempt for each in again] == ([] if state is DeliveryState.FAILED else [2, 2])
