"""The history service: messages recorded once, in batches."""

import asyncio
from datetime import UTC, datetime

import pytest

from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage, Person
from tests.support.stores.messages import MemoryMessageStore

HOME = ChatAddress(platform="console", chat_id="home")
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
ANN = Person(id="ann", name="Ann")


def message(number: int) -> ChatMessage:
    return ChatMessage(id=str(number), address=HOME, sender=ANN, text=f"text {number}", sent_at=NOW)


class SlowStore(MemoryMessageStore):
    """Takes a moment for each transaction and counts them; `failures` are raised first."""

    def __init__(self) -> None:
        super().__init__()
        self.transactions = 0
        self.failures: list[Exception] = []

    async def add(self, messages):
        self.transactions += 1
        await asyncio.sleep(0.01)
        if self.failures:
            raise self.failures.pop()
        return await super().add(messages)


async def test_a_message_is_new_once():
    history = HistoryService(MemoryMessageStore())

    answers = [await history.record(message(1)), await history.record(message(1))]

    assert answers == [True, False]


async def test_simultaneous_messages_share_a_transaction():
    store = SlowStore()
    history = HistoryService(store)

    answers = await asyncio.gather(*(history.record(message(number % 50)) for number in range(100)))

    assert answers.count(True) == 50
    assert store.transactions <= 2


async def test_failure_reaches_the_waiting_writers_and_the_next_attempt_succeeds():
    store = SlowStore()
    store.failures = [OSError("disk full")]
    history = HistoryService(store)

    with pytest.raises(OSError, match="disk full"):
        await history.record(message(1))

    assert await history.record(message(1))


async def test_cancelled_waiter_does_not_disturb_the_others():
    history = HistoryService(SlowStore())
    first = asyncio.create_task(history.record(message(1)))
    second = asyncio.create_task(history.record(message(2)))
    await asyncio.sleep(0.001)

    first.cancel()

    assert await second


async def test_a_writer_that_is_cancelled_does_not_keep_the_next_message_waiting():
    history = HistoryService(SlowStore())
    first, second = (asyncio.create_task(history.record(message(number))) for number in (1, 2))
    await first
    await asyncio.sleep(0)
    history._writing.cancel()
    await asyncio.sleep(0)

    async with asyncio.timeout(2):
        assert await history.record(message(3))

    second.cancel()


async def test_message_of_the_bot_is_stored_under_its_name():
    history = HistoryService(MemoryMessageStore(), bot_name="Bubbles")
    await history.record_own(HOME, "hello", message_id=None, sent_at=NOW, reply_to="1")
    await history.record_own(HOME, "hello", message_id=None, sent_at=NOW)

    first, second = await history.recent(HOME)

    assert (first.sender.name, first.sender.is_bot, first.text, first.reply_to) == ("Bubbles", True, "hello", "1")
    assert first.id != second.id


async def test_edits_and_deletes_reach_the_history():
    history = HistoryService(MemoryMessageStore())
    await history.record(message(1))
    await history.record(message(2))

    await history.edit(HOME, "1", "new", at=NOW)
    await history.delete(HOME, "2", at=NOW)

    assert [each.text for each in await history.since(HOME, datetime(2026, 1, 1, tzinfo=UTC))] == ["new"]
    assert await history.last_message_of(HOME, ANN) is not None
