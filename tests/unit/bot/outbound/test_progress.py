"""Progress of a long answer is one line that is edited in place."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.outbound.outbox import Outbox, ProgressMessage
from bot.testing.clocks import FixedClock
from bot.testing.platform import FakePlatform
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress
from services.kernel.errors import DeliveryFailed
from tests.support.stores.messages import MemoryMessageStore

HOME = ChatAddress(platform="fake", chat_id="home")


class EditingPlatform(FakePlatform):
    """Keeps what was changed."""

    def __init__(self, clock):
        super().__init__(clock)
        self.edits = []

    async def edit(self, address, message_id, message):
        self.edits.append((message_id, message.text))


@pytest.fixture
def clock():
    return FixedClock(datetime(2026, 11, 20, 12, 0, tzinfo=UTC))


@pytest.fixture
def line_on(clock):
    def line(platform):
        outbox = Outbox({"fake": platform}, HistoryService(MemoryMessageStore()), clock)
        return ProgressMessage(outbox, HOME, clock)

    return line


async def test_progress_is_one_message_changed_in_place(line_on, clock):
    platform = EditingPlatform(clock)
    line = line_on(platform)

    await line("1 of 9")
    clock.set(clock.now() + timedelta(seconds=4))
    await line("5 of 9")

    assert platform.texts == ["1 of 9"]
    assert [text for _, text in platform.edits] == ["5 of 9"]


async def test_progress_is_changed_at_most_every_three_seconds(line_on, clock):
    platform = EditingPlatform(clock)
    line = line_on(platform)

    for number in range(9):
        await line(f"{number} of 9")

    assert platform.texts == ["0 of 9"]
    assert platform.edits == []


async def test_failed_progress_message_raises_no_error(line_on, clock):
    platform = FakePlatform(clock)

    def refuse(address, message):
        raise DeliveryFailed("full")

    platform.refuse = refuse
    line = line_on(platform)

    await line("1 of 9")
    clock.set(clock.now() + timedelta(seconds=9))
    await line("2 of 9")

    assert platform.texts == []
