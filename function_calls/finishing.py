"""Lets a change that has begun come to its end, though the message that asked for it is given up."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct

Value = TypeVar("Value")


class Beginning(Struct, kw_only=True):
    """Whether a change has begun: from here on it is finished, whatever happens to whoever asked for it."""

    is_made: bool = False


async def finished_once_begun(work: Callable[[Beginning], Awaitable[Value]]) -> Value:
    """Do `work`; a cancellation stops it before it says that it has begun, and waits for its end afterwards.

    Raises:
        asyncio.CancelledError: the caller was cancelled; `work` has ended when this is raised.
    """
    beginning = Beginning()
    task = asyncio.ensure_future(work(beginning))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not beginning.is_made:
            task.cancel()
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        raise
