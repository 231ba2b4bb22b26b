"""Queue received messages so that a slow handler does not block the connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.platforms.base import Receive
from services.kernel.chat import Incoming


class Backlog:
    """Messages in order of arrival that wait to be recorded, over reconnections, while the database is away."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Incoming] = asyncio.Queue()
        self._next: Incoming | None = None

    def put(self, incoming: Incoming) -> None:
        """Hand `incoming` on after those before it."""
        self._waiting.put_nowait(incoming)

    @asynccontextmanager
    async def handing_on(self, receive: Receive) -> AsyncIterator[None]:
        """Pass messages to `receive`, one at a time, for as long as the context lasts."""
        task = asyncio.create_task(self._hand_on(receive), name="backlog")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _hand_on(self, receive: Receive) -> None:
        while True:
            self._next = self._next or await self._waiting.get()
            await receive(self._next)
            self._next = None  # not before: a connection that ends meanwhile must not lose it
