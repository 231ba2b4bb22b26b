"""Concurrent sends of many reminders, in simulated time."""

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from services.kernel.chat import ChatAddress
from services.reminders.delivery.config import DeliveryConfig
from services.reminders.model import ReminderLimits
from tests.support.stores.reminders import MemoryReminderStore

pytestmark = pytest.mark.looptime


async def test_sends_in_flight_are_limited_by_the_senders(make_desk):
    desk = make_desk(delivery=DeliveryConfig(senders=4))
    desk.courier.hold.clear()
    for number in range(20):
        await desk.set(str(number), seconds=5)
    async with desk.running():
        await asyncio.sleep(10)
        held = desk.courier.max_in_flight
        desk.courier.hold.set()
        await asyncio.sleep(1)

    assert (held, desk.courier.max_in_flight) == (4, 4)
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
        ours = [each for each in delivery_ids if each not in self.taken]
        return await super().begin(owner, ours, message_keys)

    async def list_sending(self, owner, delivery_ids):
        self.asked.append(len(delivery_ids))
        return await super().list_sending(owner, delivery_ids) - self.taken


async def begin_ahead(desk):
    """Send twenty to measure the duration, then let sixty fall due while the platform accepts none."""
    for number in range(20):
        await desk.set(f"early {number}", seconds=5)
    for number in range(60):
        await desk.set(f"late {number}", seconds=10)
    await asyncio.sleep(9)
    desk.courier.hold.clear()


async def test_sends_begun_earlier_are_checked_together(make_desk):
    store = SlowStore()
    desk = make_desk(store=store)
    async with desk.running():
        await begin_ahead(desk)
        await asyncio.sleep(10)
        store.taken = {80}
        desk.courier.hold.set()
        await asyncio.sleep(3)

    assert len(desk.courier.said) == 79
    assert store.asked == [60 - desk.delivery.senders]


class AwayStore(SlowStore):
    """A store that fails the next two questions about what is held, as a lost connection does."""

    failures = 2

    async def list_sending(self, owner, delivery_ids):
        if self.failures:
            self.failures -= 1
            await asyncio.sleep(1)
            raise OSError("connection lost")
        return await super().list_sending(owner, delivery_ids)


async def test_sends_begun_long_ago_survive_a_failed_check(make_desk):
    desk = make_desk(store=AwayStore())
    async with desk.running():
        await begin_ahead(desk)
        await asyncio.sleep(10)
        desk.courier.hold.set()
        await asyncio.sleep(30)

    assert len(desk.courier.said) == 80


class ForgetfulStore(SlowStore):
    """A server that crashes and has forgotten what it was told last to be sent, once it `is_forgetful`."""

    is_forgetful = False

    async def begin(self, owner, delivery_ids, message_keys=None):
        if not self.is_forgetful:
            return await super().begin(owner, delivery_ids, message_keys)
        await asyncio.sleep(1)
        return dict.fromkeys(delivery_ids, 1)


async def test_forgotten_send_of_a_server_is_begun_again_and_sent_once(make_desk):
    store = ForgetfulStore()
    desk = make_desk(store=store)
    async with desk.running():
        await begin_ahead(desk)
        store.is_forgetful = True
        await asyncio.sleep(10)
        store.is_forgetful = False
        desk.courier.hold.set()
        await asyncio.sleep(10)

    assert store.asked
    assert len(desk.courier.said) == len(set(desk.courier.texts)) == 80


async def test_more_than_a_batch_due_at_once_is_sent_once_each(make_desk):
    desk = make_desk(delivery=DeliveryConfig(batch=10), limits=ReminderLimits(per_person=99))
    for number in range(35):
        await desk.set(str(number), seconds=5)
    async with desk.running():
        await asyncio.sleep(6)

    assert sorted(desk.courier.texts, key=int) == [str(number) for number in range(35)]


async def test_full_memory_delays_the_rest_and_loses_none(make_desk):
    desk = make_desk(delivery=DeliveryConfig(batch=5, max_held=5, senders=2))
    for number in range(20):
        await desk.set(str(number), seconds=5)
    async with desk.running():
        await asyncio.sleep(20)

    assert len(desk.courier.said) == 20


async def test_interrupted_send_does_not_stop_its_sender(make_desk):
    desk = make_desk(delivery=DeliveryConfig(send_limit=timedelta(seconds=30), senders=1))
    desk.courier.hold.clear()
    await desk.set("hangs", seconds=1)
    async with desk.running():
        await asyncio.sleep(32)
        desk.courier.hold.set()
        await desk.set("next", seconds=5)
        await asyncio.sleep(40)

    assert set(desk.courier.texts) == {"hangs", "next"}


async def test_chat_with_many_due_reminders_does_not_delay_another(make_desk):
    desk = make_desk(delivery=DeliveryConfig(senders=1))
    work = ChatAddress(platform="console", chat_id="work")
    for number in range(10):
        await desk.set(str(number), seconds=5)
    await desk.service.create(replace(desk.new_reminder("other", seconds=5), address=work))
    async with desk.running():
        await asyncio.sleep(6)

    assert desk.courier.texts.index("other") == 1
