"""What the tests of platforms share: an ear that remembers, and a platform that runs beside the test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from bot.platform import Platform
from services.chat import ChatMessage, Incoming


class Ear:
    """Hears what a platform hands in."""

    def __init__(self) -> None:
        self.heard: list[Incoming] = []
        self._grew = asyncio.Condition()

    async def receive(self, incoming: Incoming) -> Awaitable[object]:
        async with self._grew:
            self.heard.append(incoming)
            self._grew.notify_all()
        done = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.heard if isinstance(each, ChatMessage)]

    async def hears(self, count: int, seconds: float = 20) -> None:
        async with asyncio.timeout(seconds), self._grew:
            await self._grew.wait_for(lambda: len(self.heard) >= count)


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
def running(ear) -> Callable[[Platform], object]:
    @asynccontextmanager
    async def run(platform: Platform) -> AsyncIterator[Platform]:
        task = asyncio.create_task(platform.run(ear.receive))
        try:
            yield platform
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    return run


async def until(is_so: Callable[[], object], seconds: float = 20) -> None:
    """Wait for what says itself whether it is so."""
    async with asyncio.timeout(seconds):
        while not is_so():  # noqa: ASYNC110 - a port, a state: they set no event
            await asyncio.sleep(0.01)


@pytest.fixture(name="until")
def _until() -> Callable[..., object]:
    return until
