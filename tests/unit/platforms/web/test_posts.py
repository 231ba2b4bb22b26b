"""Posts of the page and their results."""

import asyncio

from bot.platforms.web.adapter import IncomingPost, WebPlatform
from bot.platforms.web.shapes import person_called
from bot.testing.clocks import FixedClock
from bot.testing.fixtures import NOW
from services.history.service import HistoryService
from services.kernel.chat import Incoming
from services.kernel.state import MemoryStateStore
from tests.support.stores.messages import MemoryMessageStore


class SlowDisk(MemoryMessageStore):
    """Has what was added on the disk when `reach` is called."""

    def __init__(self) -> None:
        super().__init__()
        self._is_there = asyncio.Event()

    async def flush(self) -> None:
        await self._is_there.wait()

    def reach(self) -> None:
        self._is_there.set()


async def _no(*_: object) -> bool:
    return False


async def _nothing() -> None:
    return None


async def _receive(_: Incoming):
    return _nothing()


async def test_message_is_accepted_once_it_is_on_the_disk():
    clock, disk = FixedClock(NOW), SlowDisk()
    platform = WebPlatform(clock=clock, bot_name="Bubbles")
    platform.attach(MemoryStateStore(clock), HistoryService(disk), _no, lambda *_: None)
    running = asyncio.create_task(platform.run(_receive))

    saying = asyncio.create_task(
        platform.say("home", IncomingPost(person=person_called("ann"), text="hi", client_id="c1"))
    )
    for _ in range(10):
        await asyncio.sleep(0)
    is_taken_before = saying.done()
    disk.reach()

    assert ((await saying).message.text, is_taken_before) == ("hi", False)
    platform.close()
    await running
