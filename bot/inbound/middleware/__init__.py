"""Middlewares for incoming messages; each passes a message on or stops it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from services.kernel.chat import ChatMessage

Next = Callable[[ChatMessage], Awaitable[None]]


class Middleware(Protocol):
    """One question about a message; `call_next(message)` passes it on, returning stops it."""

    async def __call__(self, message: ChatMessage, call_next: Next) -> None:
        """Handle `message`."""
        ...


def chain(middlewares: Sequence[Middleware], last: Next) -> Next:
    """Join `middlewares`, the first one outermost, in front of `last`."""
    step = last
    for middleware in reversed(middlewares):
        step = _bound(middleware, step)
    return step


def _bound(middleware: Middleware, following: Next) -> Next:
    async def handle(message: ChatMessage) -> None:
        await middleware(message, following)

    return handle
