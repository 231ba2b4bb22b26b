"""Handle the messages of one chat in order, and different chats in parallel."""

import asyncio
from weakref import WeakValueDictionary

from bot.inbound.middleware import Next
from services.kernel.chat import ChatMessage


class InOrder:
    """Holds a message back until the one before it in the same chat is done."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Pass `message` on when it is its turn; asyncio's lock wakes the waiting in the order they came."""
        lock = self._locks.get(message.address.key)
        if lock is None:
            lock = self._locks[message.address.key] = asyncio.Lock()
        async with lock:
            await call_next(message)
