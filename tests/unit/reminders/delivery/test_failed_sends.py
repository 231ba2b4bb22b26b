"""Failed sends, which are retried or reported, in simulated time."""

import asyncio
import random
from datetime import timedelta

import pytest
from msgspec.structs import replace

from services.kernel.chat import ChatAddress, Person
from services.kernel.errors import DeliveryFailed
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.delivery.retry import RetryPolicy
from services.reminders.model import DueNotice, ReminderEdit
from services.reminders.records import DeliveryState

pytestmark = pytest.mark.looptime

BOT_REMOVED = "bot was removed"
HOME = ChatAddress(platform="console", chat_id="home")
ANN = Person(id="ann", name="Ann")


class FailingAtTheEnd:
    """Keeps the first send in flight until `hold` is set, and then fails it."""

    def __init__(self, failure: DeliveryFailed) -> None:
        self.hold = asyncio.Event()
        self.texts: list[str] = []
        self._failure = failure

    async def deliver(self, notice: DueNotice) -> str | None:
        if not self.hold.is_set():
            await self.hold.wait()
            raise self._failure
        self.texts.append(notice.content)
        return None

    async def report_undeliverable(self, notice: DueNotice, reason: str) -> None:
        raise AssertionError(notice, reason)


async def test_a_failed_send_is_tried_again_with_the_same_key(desk):
    desk.courier.failures = [DeliveryFailed("offline"), DeliveryFailed("offline")]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(20)

    (notice,) = desk.courier.said
    assert (notice.attempt, notice.may_be_repeat) == (3, False)
    assert await desk.states() == [DeliveryState.SENT]


async def test_retry_waits_for_the_time_given_by_the_platform(desk):
    desk.courier.failures = [DeliveryFailed("slow down", retry_after=100)]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(100.5)
        early = list(desk.courier.said)
        await asyncio.sleep(5)

    assert (early, desk.courier.texts) == ([], ["tea"])


@pytest.mark.parametrize("seconds", [1e18, float("inf"), float("nan")])
async def test_absurd_retry_time_delays_a_reminder_by_a_day(desk, seconds):
    desk.courier.failures = [DeliveryFailed("slow down", retry_after=seconds)]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(86_500)

    assert desk.courier.texts == ["tea"]


async def test_retry_time_of_the_platform_is_kept_over_a_restart(desk):
    desk.courier.failures = [DeliveryFailed("slow down", retry_after=100)]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(10)

    async with desk.running(desk.new_service()):
        await asyncio.sleep(80)
        early = list(desk.courier.said)
        await asyncio.sleep(20)

    assert (early, desk.courier.texts) == ([], ["tea"])


async def test_send_with_an_unknown_outcome_is_recorded_and_repeated(desk):
    desk.courier.failures = [DeliveryFailed("connection lost", is_unknown=True, retry_after=50)]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(10)
        between = await desk.states()
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


async def test_reason_of_a_failure_can_be_stored(desk):
    desk.courier.failures = [DeliveryFailed("half \ud83d and\0", is_permanent=True)]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(5)

    (record,) = await desk.store.deliveries(desk.clock.now() - timedelta(hours=1), desk.clock.now())
    assert record.error == "half \ufffd and\ufffd"


async def test_hanging_send_is_cancelled_and_repeated(make_desk):
    desk = make_desk(delivery=DeliveryConfig(send_limit=timedelta(seconds=30)))
    desk.courier.hold.clear()
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(31.5)
        desk.courier.hold.set()
        await asyncio.sleep(5)

    assert [notice.attempt for notice in desk.courier.said] == [2]


async def test_old_occurrence_is_retried_after_its_first_failure(desk):
    desk.courier.failures = [DeliveryFailed("not connected yet")] * 5
    await desk.set(seconds=1)
    desk.clock.shift(timedelta(days=8))
    async with desk.running():
        await asyncio.sleep(60)

    assert desk.courier.texts == ["tea"]


async def delete(desk, reminder):
    await desk.service.delete(HOME, ANN, reminder.id)


async def pause(desk, reminder):
    await desk.service.pause(HOME, ANN, reminder.id)


async def move(desk, reminder):
    tomorrow = (desk.clock.now() + timedelta(days=1)).replace(tzinfo=None)
    schedule = replace(reminder.schedule, start=tomorrow)
    await desk.service.edit(HOME, ANN, reminder.id, ReminderEdit(schedule=schedule))


async def reword(desk, reminder):
    await desk.service.edit(HOME, ANN, reminder.id, ReminderEdit(content="coffee"))


@pytest.mark.parametrize("is_unknown", [False, True])
@pytest.mark.parametrize(("command", "expected"), [(delete, []), (pause, []), (move, []), (reword, ["coffee"])])
async def test_change_during_a_send_applies_to_the_next_attempt(make_desk, command, expected, is_unknown: bool):
    desk = make_desk(courier=FailingAtTheEnd(DeliveryFailed("down", is_unknown=is_unknown)))
    reminder = await desk.set(seconds=1, rule="FREQ=DAILY")
    async with desk.running():
        await asyncio.sleep(2)
        await command(desk, reminder)
        desk.courier.hold.set()
        await asyncio.sleep(600)

    assert desk.courier.texts == expected


async def test_reminder_deleted_while_sending_is_not_sent_after_a_crash(desk):
    desk.courier.hold.clear()
    reminder = await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(2)
        await delete(desk, reminder)

    desk.courier.hold.set()
    async with desk.running(desk.new_service()):
        await asyncio.sleep(60)

    assert (desk.courier.texts, await desk.states()) == ([], [DeliveryState.CANCELLED])


async def test_outage_of_an_hour_loses_nothing_and_retries_slowly(desk):
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
    random.seed(1)  # pauses in which no attempt is just under way when the next notice comes: that one is said besides
    desk.courier.failures = [DeliveryFailed("down")] * 10_000
    await desk.set(seconds=60, rule="FREQ=HOURLY")
    async with desk.running():
        await asyncio.sleep(4.5 * 3600)
        desk.courier.failures = []
        await asyncio.sleep(400)

    assert desk.courier.said[0].missed == 4


async def test_permanent_refusal_is_a_failure_reported_to_the_owner(desk):
    desk.courier.failures = [DeliveryFailed(BOT_REMOVED, is_permanent=True)]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(600)

    assert [reason for _, reason in desk.courier.reported] == [BOT_REMOVED]
    assert (desk.courier.said, await desk.states()) == ([], [DeliveryState.FAILED])


async def test_owner_is_notified_once_until_a_send_succeeds(desk):
    refusal = DeliveryFailed(BOT_REMOVED, is_permanent=True)
    desk.courier.failures = [refusal, refusal]
    await desk.set(seconds=60, rule="FREQ=HOURLY")
    async with desk.running():
        await asyncio.sleep(3 * 3600)
        desk.courier.failures = [refusal]
        await asyncio.sleep(3600)

    assert len(desk.courier.reported) == 2
    assert len(desk.courier.said) == 1


async def test_unreachable_owner_stops_no_other_send(desk):
    desk.courier.failures = [DeliveryFailed("the owner is gone too", is_permanent=True)]
    await desk.set("gone", seconds=1)
    await desk.set("tea", seconds=2)
    async with desk.running():
        await asyncio.sleep(5)

    assert desk.courier.texts == ["tea"]
    assert await desk.states() == [DeliveryState.FAILED, DeliveryState.SENT]


async def test_old_failure_is_marked_as_failed(make_desk):
    retries = RetryPolicy(keep=timedelta(hours=7), fewest=8)
    desk = make_desk(delivery=DeliveryConfig(retries=retries, tick=timedelta(minutes=1)))
    desk.courier.failures = [DeliveryFailed("down", retry_after=3600.0)] * 9
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(6.5 * 3600)
        before = await desk.states()
        await asyncio.sleep(2 * 3600)

    assert (before, await desk.states()) == ([DeliveryState.LEASED], [DeliveryState.FAILED])
    assert len(desk.courier.reported) == 1


@pytest.mark.parametrize(
    ("failures", "reason"),
    [([RuntimeError("https://platform.example/secret")] * 1000, "RuntimeError"), ([], "the platform took too long")],
    ids=["broken", "hanging"],
)
async def test_owner_is_notified_of_an_old_failure_with_an_unknown_outcome(make_desk, failures, reason):
    retries = RetryPolicy(keep=timedelta(minutes=10), fewest=3)
    desk = make_desk(delivery=DeliveryConfig(retries=retries, send_limit=timedelta(seconds=30)))
    desk.courier.failures = failures
    desk.courier.hold.clear()
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(1200)

    assert [text for _, text in desk.courier.reported] == [reason]
    assert await desk.states() == [DeliveryState.FAILED]


async def test_stopped_process_leaves_its_running_sends_as_possible_repeats(desk):
    desk.courier.hold.clear()
    await desk.set("begun", seconds=1)
    await desk.set("claimed", seconds=4)
    async with desk.running():
        await asyncio.sleep(2)

    desk.courier.hold.set()
    async with desk.running(desk.new_service()):
        await asyncio.sleep(5)

    assert {notice.content: notice.may_be_repeat for notice in desk.courier.said} == {"begun": True, "claimed": False}
