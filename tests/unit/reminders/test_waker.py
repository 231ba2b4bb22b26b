"""What falls due is said, whatever happens; in simulated time."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from services.chat import ChatAddress
from services.errors import DeliveryFailed
from services.reminders.memory_store import MemoryReminderStore
from services.reminders.model import ReminderLimits
from services.reminders.records import DeliveryState
from services.reminders.retries import RetryPolicy
from services.reminders.waker import WakerPace

pytestmark = pytest.mark.looptime

DAY = timedelta(days=1)
BOT_REMOVED = "bot was removed"


async def states(desk) -> list[DeliveryState]:
    now = desk.clock.now()
    return [each.state for each in await desk.service.deliveries(now - 30 * DAY, now + 30 * DAY)]


async def test_a_reminder_is_said_at_its_instant(desk):
    reminder = await desk.set(seconds=10)
    async with desk.running():
        await asyncio.sleep(9.9)
        early = list(desk.courier.said)
        await asyncio.sleep(0.2)

    (notice,) = desk.courier.said
    assert early == []
    assert notice.due_at == reminder.next_fires[0]
    assert timedelta(0) <= desk.courier.said_at[0] - notice.due_at < timedelta(milliseconds=10)


async def test_a_nearer_reminder_does_not_wait_for_a_farther_one(desk):
    await desk.set("far", seconds=3600)
    async with desk.running():
        await asyncio.sleep(100.5)
        await desk.set("near", seconds=2)
        await asyncio.sleep(2.1)

    assert desk.courier.texts == ["near"]


async def test_a_recurring_reminder_fires_again_and_again(desk):
    await desk.set(seconds=60, rule="FREQ=HOURLY")
    async with desk.running():
        await asyncio.sleep(3 * 3600)

    assert [notice.missed for notice in desk.courier.said] == [0, 0, 0]
    assert len({notice.idempotency_key for notice in desk.courier.said}) == 3


async def test_every_day_at_midnight_does_not_fire_when_it_is_set(desk):
    await desk.set(seconds=-1, rule="FREQ=DAILY")
    async with desk.running():
        await asyncio.sleep(3600)

    assert desk.courier.said == []


async def test_what_was_due_while_the_bot_was_down_is_said_with_its_time(desk):
    reminder = await desk.set(seconds=10)
    await asyncio.sleep(3600)

    async with desk.running():
        await asyncio.sleep(1)

    (notice,) = desk.courier.said
    assert notice.due_at == reminder.next_fires[0]
    assert desk.courier.said_at[0] - notice.due_at > timedelta(minutes=59)


async def test_missed_fires_of_a_recurring_reminder_are_one_notice(desk):
    await desk.set(seconds=60, rule="FREQ=DAILY")
    await asyncio.sleep(3 * 86400)

    async with desk.running():
        await asyncio.sleep(1)

    (notice,) = desk.courier.said
    assert notice.missed == 2


async def test_a_deleted_reminder_is_not_said_even_when_it_was_claimed_early(desk):
    reminder = await desk.set(seconds=3)
    async with desk.running():
        await asyncio.sleep(2.9)
        await desk.service.delete(reminder.address, reminder.creator, reminder.id)
        await asyncio.sleep(5)

    assert desk.courier.said == []
    assert await states(desk) == [DeliveryState.CANCELLED]


async def test_new_words_are_said_even_when_it_was_claimed_early(desk, edit_of):
    reminder = await desk.set("tea", seconds=3)
    async with desk.running():
        await asyncio.sleep(2.9)
        await desk.service.edit(reminder.address, reminder.creator, reminder.id, edit_of(content="milk"))
        await asyncio.sleep(5)

    assert desk.courier.texts == ["milk"]


async def test_a_failed_send_is_tried_again_with_the_same_key(desk):
    desk.courier.failures = [DeliveryFailed("offline"), DeliveryFailed("offline")]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(20)

    (notice,) = desk.courier.said
    assert (notice.attempt, notice.may_be_repeat) == (3, False)
    assert await states(desk) == [DeliveryState.SENT]


async def test_the_platform_s_wish_to_wait_is_obeyed(desk):
    desk.courier.failures = [DeliveryFailed("slow down", retry_after=100)]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(100.5)
        early = list(desk.courier.said)
        await asyncio.sleep(5)

    assert (early, desk.courier.texts) == ([], ["tea"])


async def test_a_wish_to_wait_holds_over_a_restart(desk):
    desk.courier.failures = [DeliveryFailed("slow down", retry_after=100)]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(10)

    async with desk.running(desk.new_service()):
        await asyncio.sleep(80)
        early = list(desk.courier.said)
        await asyncio.sleep(20)

    assert (early, desk.courier.texts) == ([], ["tea"])


async def test_an_unknown_outcome_is_a_state_of_its_own_and_said_again(desk):
    desk.courier.failures = [DeliveryFailed("connection lost", is_unknown=True, retry_after=50)]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(10)
        between = await states(desk)
        await asyncio.sleep(60)

    assert between == [DeliveryState.UNKNOWN]
    assert desk.courier.said[0].may_be_repeat


@pytest.mark.parametrize("error", [RuntimeError("bug"), TimeoutError()])
async def test_an_unforeseen_error_is_an_unknown_outcome(desk, error):
    desk.courier.failures = [error]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(20)

    assert [notice.may_be_repeat for notice in desk.courier.said] == [True]


async def test_a_send_that_hangs_is_given_up_and_said_again(make_desk):
    desk = make_desk(pace=WakerPace(send_limit=timedelta(seconds=30)))
    desk.courier.hold.clear()
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(31.5)
        desk.courier.hold.set()
        await asyncio.sleep(5)

    assert [notice.attempt for notice in desk.courier.said] == [2]


async def test_an_outage_of_an_hour_loses_nothing_and_does_not_hammer(desk):
    desk.courier.failures = [DeliveryFailed("down")] * 10_000
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(3600)
        attempts = 10_000 - len(desk.courier.failures)
        desk.courier.failures = []
        await asyncio.sleep(301)

    assert desk.courier.texts == ["tea"]
    assert attempts < 40


async def test_a_recurring_reminder_keeps_one_waiting_notice_during_an_outage(desk):
    desk.courier.failures = [DeliveryFailed("down")] * 10_000
    await desk.set(seconds=60, rule="FREQ=HOURLY")
    async with desk.running():
        await asyncio.sleep(4.5 * 3600)
        desk.courier.failures = []
        await asyncio.sleep(400)

    assert desk.courier.said[0].missed == 4


async def test_a_permanent_refusal_is_parked_and_the_owner_told(desk):
    desk.courier.failures = [DeliveryFailed(BOT_REMOVED, is_permanent=True)]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(600)

    assert [reason for _, reason in desk.courier.reported] == [BOT_REMOVED]
    assert (desk.courier.said, await states(desk)) == ([], [DeliveryState.PARKED])


async def test_the_owner_is_told_once_until_it_works_again(desk):
    refusal = DeliveryFailed(BOT_REMOVED, is_permanent=True)
    desk.courier.failures = [refusal, refusal]
    await desk.set(seconds=60, rule="FREQ=HOURLY")
    async with desk.running():
        await asyncio.sleep(3 * 3600)
        desk.courier.failures = [refusal]
        await asyncio.sleep(3600)

    assert len(desk.courier.reported) == 2
    assert len(desk.courier.said) == 1


async def test_an_owner_who_cannot_be_told_does_not_stop_anything(desk):
    desk.courier.failures = [DeliveryFailed("the owner is gone too", is_permanent=True)]
    await desk.set("gone", seconds=1)
    await desk.set("tea", seconds=2)
    async with desk.running():
        await asyncio.sleep(5)

    assert desk.courier.texts == ["tea"]
    assert await states(desk) == [DeliveryState.PARKED, DeliveryState.SENT]


async def test_what_has_failed_for_too_long_is_parked(make_desk):
    desk = make_desk(retries=RetryPolicy(keep=timedelta(hours=7)))
    desk.courier.failures = [DeliveryFailed("down", retry_after=3600.0)] * 9
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(6.5 * 3600)
        before = await states(desk)
        await asyncio.sleep(2 * 3600)

    assert (before, await states(desk)) == ([DeliveryState.LEASED], [DeliveryState.PARKED])
    assert len(desk.courier.reported) == 1


@pytest.mark.parametrize("call", ["free", "claim", "begin", "settle"])
async def test_a_database_that_fails_for_a_while_costs_time_and_no_reminder(desk, call: str):
    desk.store.failures = {call: 8}
    await desk.set("first", seconds=1)
    async with desk.running():
        await asyncio.sleep(20)
        await desk.set("second", seconds=1)
        await asyncio.sleep(5)

    assert desk.courier.texts == ["first", "second"]
    assert await states(desk) == [DeliveryState.SENT, DeliveryState.SENT]


async def test_a_text_that_cannot_be_read_again_is_said_as_it_was(desk, edit_of):
    reminder = await desk.set("tea", seconds=3)
    desk.store.failures = {"renew": 1}
    async with desk.running():
        await asyncio.sleep(2.9)
        await desk.service.edit(reminder.address, reminder.creator, reminder.id, edit_of(content="milk"))
        await asyncio.sleep(20)

    assert desk.courier.texts == ["milk"]


async def test_a_clock_set_forward_fires_what_is_due_at_once(make_desk):
    desk = make_desk(pace=WakerPace())
    await desk.set(seconds=3600)
    async with desk.running():
        await asyncio.sleep(2)
        desk.clock.shift(timedelta(hours=1))
        await asyncio.sleep(1.1)

    assert desk.courier.texts == ["tea"]


async def test_a_clock_set_back_fires_nothing_again(desk):
    await desk.set(seconds=60, rule="FREQ=DAILY")
    async with desk.running():
        await asyncio.sleep(61)
        desk.clock.shift(-timedelta(hours=1))
        await asyncio.sleep(2 * 3600)

    assert len(desk.courier.said) == 1


async def test_a_clock_ten_years_ahead_and_back_does_not_silence_a_daily_reminder(make_desk):
    desk = make_desk(pace=WakerPace(tick=timedelta(minutes=30)))
    await desk.set(seconds=60, rule="FREQ=DAILY")
    async with desk.running():
        await asyncio.sleep(61)
        desk.clock.shift(3650 * DAY)
        desk.service.waker.tick()
        await asyncio.sleep(5)
        desk.clock.shift(-3650 * DAY)
        desk.service.waker.tick()
        await asyncio.sleep(5)
        before = len(desk.courier.said)
        await asyncio.sleep(2 * 86400)

    assert (before, len(desk.courier.said)) == (2, before + 2)


async def test_no_more_than_the_senders_are_in_flight(make_desk):
    desk = make_desk(pace=WakerPace(senders=4))
    desk.courier.hold.clear()
    for number in range(20):
        await desk.set(str(number), seconds=5)
    async with desk.running():
        await asyncio.sleep(10)
        held = desk.courier.most_in_flight
        desk.courier.hold.set()
        await asyncio.sleep(1)

    assert (held, desk.courier.most_in_flight) == (4, 4)
    assert len(desk.courier.said) == 20


class SlowStore(MemoryReminderStore):
    """A store that takes a second to begin, so that much is begun ahead; `asked` are its questions about what is held.

    What is in `taken` others have taken over.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []
        self.taken: set[int] = set()

    async def begin(self, owner, delivery_ids, message_keys=None):
        await asyncio.sleep(1)
        return await super().begin(owner, delivery_ids, message_keys)

    async def held(self, owner, delivery_ids):
        self.asked.append(len(delivery_ids))
        return await super().held(owner, delivery_ids) - self.taken


async def test_what_was_begun_long_ago_is_asked_about_all_at_once(make_desk):
    store = SlowStore()
    desk = make_desk(store=store)
    for number in range(20):
        await desk.set(f"early {number}", seconds=5)
    for number in range(60):
        await desk.set(f"late {number}", seconds=10)
    async with desk.running():
        await asyncio.sleep(9)
        desk.courier.hold.clear()
        await asyncio.sleep(10)
        store.taken = {80}
        desk.courier.hold.set()
        await asyncio.sleep(3)

    assert len(desk.courier.said) == 79
    assert store.asked == [60 - desk.pace.senders]


async def test_more_than_a_batch_due_at_once_all_arrive_once(make_desk):
    desk = make_desk(pace=WakerPace(batch=10), limits=ReminderLimits(per_person=99))
    for number in range(35):
        await desk.set(str(number), seconds=5)
    async with desk.running():
        await asyncio.sleep(6)

    assert sorted(desk.courier.texts, key=int) == [str(number) for number in range(35)]


async def test_a_full_memory_makes_the_rest_wait_and_loses_none(make_desk):
    desk = make_desk(pace=WakerPace(batch=5, most_held=5, senders=2))
    for number in range(20):
        await desk.set(str(number), seconds=5)
    async with desk.running():
        await asyncio.sleep(20)

    assert len(desk.courier.said) == 20


async def test_a_stopped_process_leaves_what_it_was_sending_to_the_next_as_a_possible_repeat(desk):
    desk.courier.hold.clear()
    await desk.set("begun", seconds=1)
    await desk.set("claimed", seconds=4)
    async with desk.running():
        await asyncio.sleep(2)

    desk.courier.hold.set()
    async with desk.running(desk.new_service()):
        await asyncio.sleep(5)

    assert {notice.content: notice.may_be_repeat for notice in desk.courier.said} == {"begun": True, "claimed": False}


async def test_draining_finishes_what_is_in_flight_and_begins_nothing(desk):
    desk.courier.hold.clear()
    await desk.set("begun", seconds=1)
    await desk.set("later", seconds=3)
    async with desk.running():
        await asyncio.sleep(2)
        draining = asyncio.create_task(desk.service.drain())
        await asyncio.sleep(5)
        assert not draining.done()
        desk.courier.hold.set()
        await draining

    assert desk.courier.texts == ["begun"]
    assert await states(desk) == [DeliveryState.SENT, DeliveryState.LEASED]


async def test_draining_waits_for_what_the_ledger_is_being_asked_to_begin(desk):
    await desk.set(seconds=1)
    begin, asked, answered = desk.store.begin, asyncio.Event(), asyncio.Event()

    async def slow(*arguments):
        asked.set()
        await answered.wait()
        return await begin(*arguments)

    desk.store.begin = slow
    async with desk.running():
        await asked.wait()
        draining = asyncio.create_task(desk.service.drain())
        await asyncio.sleep(5)
        assert not draining.done()
        answered.set()
        await draining

    assert desk.courier.texts == ["tea"]
    assert await states(desk) == [DeliveryState.SENT]


async def test_a_send_that_is_cut_off_does_not_stop_its_sender(make_desk):
    desk = make_desk(pace=WakerPace(send_limit=timedelta(seconds=30), senders=1))
    desk.courier.hold.clear()
    await desk.set("hangs", seconds=1)
    async with desk.running():
        await asyncio.sleep(32)
        desk.courier.hold.set()
        await desk.set("next", seconds=5)
        await asyncio.sleep(40)

    assert set(desk.courier.texts) == {"hangs", "next"}


async def test_a_chat_with_many_due_does_not_make_another_wait(make_desk):
    desk = make_desk(pace=WakerPace(senders=1))
    work = ChatAddress(platform="console", chat_id="work")
    for number in range(10):
        await desk.set(str(number), seconds=5)
    await desk.service.create(replace(desk.wish("other", seconds=5), address=work))
    async with desk.running():
        await asyncio.sleep(6)

    assert desk.courier.texts.index("other") == 1
