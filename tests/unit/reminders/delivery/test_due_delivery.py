"""Sends of due reminders at their instant, in simulated time."""

import asyncio
from datetime import timedelta

import pytest

from services.reminders.records import DeliveryState
from tests.support.stores.reminders import MemoryReminderStore

pytestmark = pytest.mark.looptime


async def test_reminder_is_sent_at_its_instant(desk):
    reminder = await desk.set(seconds=10)
    async with desk.running():
        await asyncio.sleep(9.9)
        early = list(desk.courier.said)
        await asyncio.sleep(0.2)

    (notice,) = desk.courier.said
    assert early == []
    assert notice.due_at == reminder.next_fires[0]
    assert timedelta(0) <= desk.courier.message_time[0] - notice.due_at < timedelta(milliseconds=10)


async def test_earlier_reminder_does_not_wait_for_a_later_one(desk):
    await desk.set("far", seconds=3600)
    async with desk.running():
        await asyncio.sleep(100.5)
        await desk.set("near", seconds=2)
        await asyncio.sleep(2.1)

    assert desk.courier.texts == ["near"]


async def test_recurring_reminder_fires_repeatedly(desk):
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


async def test_occurrence_due_during_downtime_is_sent_with_its_time(desk):
    reminder = await desk.set(seconds=10)
    await asyncio.sleep(3600)

    async with desk.running():
        await asyncio.sleep(1)

    (notice,) = desk.courier.said
    assert notice.due_at == reminder.next_fires[0]
    assert desk.courier.message_time[0] - notice.due_at > timedelta(minutes=59)


async def test_missed_fires_of_a_recurring_reminder_are_one_notice(desk):
    await desk.set(seconds=60, rule="FREQ=DAILY")
    await asyncio.sleep(3 * 86400)

    async with desk.running():
        await asyncio.sleep(1)

    (notice,) = desk.courier.said
    assert notice.missed == 2


async def test_deleted_reminder_is_not_sent_even_if_claimed_early(desk):
    reminder = await desk.set(seconds=3)
    async with desk.running():
        await asyncio.sleep(2.9)
        await desk.service.delete(reminder.address, reminder.creator, reminder.id)
        await asyncio.sleep(5)

    assert desk.courier.said == []
    assert await desk.states() == [DeliveryState.CANCELLED]


async def test_new_text_is_sent_even_if_claimed_early(desk, edit_of):
    reminder = await desk.set("tea", seconds=3)
    async with desk.running():
        await asyncio.sleep(2.9)
        await desk.service.edit(reminder.address, reminder.creator, reminder.id, edit_of(content="milk"))
        await asyncio.sleep(5)

    assert desk.courier.texts == ["milk"]


@pytest.mark.parametrize("call", ["free", "claim", "begin", "settle"])
async def test_temporary_failure_of_the_database_loses_no_reminder(desk, call: str):
    desk.store.failures = {call: 8}
    await desk.set("first", seconds=1)
    async with desk.running():
        await asyncio.sleep(20)
        await desk.set("second", seconds=1)
        await asyncio.sleep(5)

    assert desk.courier.texts == ["first", "second"]
    assert await desk.states() == [DeliveryState.SENT, DeliveryState.SENT]


async def test_unreadable_text_is_sent_unchanged(desk, edit_of):
    reminder = await desk.set("tea", seconds=3)
    desk.store.failures = {"renew": 1}
    async with desk.running():
        await asyncio.sleep(2.9)
        await desk.service.edit(reminder.address, reminder.creator, reminder.id, edit_of(content="milk"))
        await asyncio.sleep(20)

    assert desk.courier.texts == ["milk"]


class ForgetfulStore(MemoryReminderStore):
    """A store whose first answer with something due is lost after the commit."""

    def __init__(self) -> None:
        super().__init__()
        self.is_lost = False

    async def claim(self, *args):
        claim = await super().claim(*args)
        if claim.leases and not self.is_lost:
            self.is_lost = True
            raise OSError("the connection was closed")
        return claim


async def test_claim_with_a_lost_answer_loses_no_reminder(make_desk):
    desk = make_desk(store=ForgetfulStore())
    await desk.set(seconds=60)
    async with desk.running():
        await asyncio.sleep(120)

    assert (desk.store.is_lost, desk.courier.texts) == (True, ["tea"])


async def test_occurrence_claimed_again_is_sent_once(desk):
    await desk.set(seconds=60)
    async with desk.running():
        await asyncio.sleep(57)
        await desk.store.free(None)
        desk.service.worker.claim_soon()
        await asyncio.sleep(60)

    assert desk.courier.texts == ["tea"]
