"""Messages with several reminders that are due at once, in simulated time."""

import asyncio

import pytest
from msgspec.structs import replace

from services.kernel.chat import ChatAddress
from services.kernel.errors import DeliveryFailed
from services.reminders.records import DeliveryState

pytestmark = pytest.mark.looptime

THREAD = ChatAddress(platform="console", chat_id="home", thread_id="t")


async def set_many(desk, *contents: str, seconds: float = 5) -> None:
    for content in contents:
        await desk.set(content, seconds=seconds)


async def test_reminders_due_together_in_a_chat_are_one_message_with_a_row_each(gathering_desk):
    desk = gathering_desk
    await set_many(desk, "tea", "milk", "beer")
    async with desk.running():
        await asyncio.sleep(6)

    records = await desk.store.deliveries(desk.courier.said[0].due_at, desk.clock.now())
    assert [contents for _, contents in desk.courier.messages] == [["tea", "milk", "beer"]]
    assert [each.state for each in records] == [DeliveryState.SENT] * 3


async def test_threads_of_a_chat_are_not_mixed(gathering_desk):
    desk = gathering_desk
    await set_many(desk, "tea", "milk")
    await desk.service.create(replace(desk.new_reminder("other", seconds=5), address=THREAD))
    async with desk.running():
        await asyncio.sleep(6)

    assert [contents for _, contents in desk.courier.messages] == [["tea", "milk"]]
    assert desk.courier.texts[-1] == "other"


async def test_a_chat_with_very_many_gets_messages_of_ten_in_their_order(gathering_desk):
    desk = gathering_desk
    await set_many(desk, *(str(number) for number in range(25)))
    async with desk.running():
        await asyncio.sleep(6)

    assert [len(contents) for _, contents in desk.courier.messages] == [10, 10, 5]
    assert desk.courier.texts == [str(number) for number in range(25)]


async def test_long_texts_are_separate_messages(gathering_desk):
    desk = gathering_desk
    await set_many(desk, "a" * 1000, "b" * 1000)
    async with desk.running():
        await asyncio.sleep(6)

    assert desk.courier.messages == []
    assert len(desk.courier.said) == 2


async def test_message_with_unknown_outcome_is_repeated_with_the_same_people_and_key(gathering_desk):
    desk = gathering_desk
    desk.courier.failures = [DeliveryFailed("connection lost", is_unknown=True, retry_after=50)]
    await set_many(desk, "tea", "milk")
    async with desk.running():
        await asyncio.sleep(20)
        await set_many(desk, "late", seconds=38)
        await asyncio.sleep(60)

    (first, nothing), (again, contents) = desk.courier.messages
    assert (nothing, sorted(contents)) == ([], ["milk", "tea"])
    assert first == again
    assert sorted(desk.courier.texts) == ["late", "milk", "tea"]


async def test_message_of_a_killed_process_is_sent_whole_by_the_next(gathering_desk):
    desk = gathering_desk
    desk.courier.hold.clear()
    await set_many(desk, "tea", "milk")
    async with desk.running():
        await asyncio.sleep(6)

    desk.courier.hold.set()
    await set_many(desk, "new", seconds=1)
    async with desk.running(desk.new_service()):
        await asyncio.sleep(5)

    ((_, contents),) = desk.courier.messages
    assert sorted(contents) == ["milk", "tea"]
    assert {notice.content: notice.may_be_repeat for notice in desk.courier.said} == {
        "tea": True,
        "milk": True,
        "new": False,
    }


async def test_refused_message_may_be_composed_again(gathering_desk):
    desk = gathering_desk
    desk.courier.failures = [DeliveryFailed("slow down", retry_after=20)]
    await set_many(desk, "tea", "milk")
    async with desk.running():
        await asyncio.sleep(10)
        await set_many(desk, "beer", seconds=15)
        await asyncio.sleep(60)

    keys = {key for key, _ in desk.courier.messages}
    assert sorted(desk.courier.texts) == ["beer", "milk", "tea"]
    assert len(keys) == len(desk.courier.messages)
    assert not any(notice.may_be_repeat for notice in desk.courier.said)


async def test_reminder_deleted_right_before_the_send_is_excluded(gathering_desk):
    desk = gathering_desk
    await set_many(desk, "tea", "milk")
    async with desk.running():
        await asyncio.sleep(4.9)
        (reminder,) = await desk.service.list(desk.new_reminder().address, desk.new_reminder().creator, "milk")
        await desk.service.delete(reminder.address, reminder.creator, reminder.id)
        await asyncio.sleep(2)

    assert desk.courier.texts == ["tea"]


async def test_refused_repeat_after_an_unknown_outcome_is_a_possible_repeat(desk):
    desk.courier.failures = [DeliveryFailed("lost", is_unknown=True), DeliveryFailed("slow down")]
    await desk.set(seconds=1)
    async with desk.running():
        await asyncio.sleep(30)

    (notice,) = desk.courier.said
    assert (notice.attempt, notice.may_be_repeat) == (3, True)
