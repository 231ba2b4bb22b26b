"""Publish events of tools and agents to listeners, whose failures do not affect a call."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Final

from loguru import logger
from msgspec import Struct, field

from function_calls.tools.dispatch.hooks import PLUGIN_ERRORS, maybe_await, raise_if_cancelled

TOOL_CALL = "tool.call"
TOOL_RESULT = "tool.result"
TOOL_START = "tool.start"
TOOL_COMPLETE = "tool.complete"
AGENT_START = "agent.start"
AGENT_COMPLETE = "agent.complete"

_LISTENER_SECONDS: Final = 5.0  # the timeout of a listener

EVENTS: Final[Mapping[str, str]] = {
    TOOL_CALL: "Before a tool runs; `data` is `{tool, args}`.",
    TOOL_START: "Before a tool runs; `data` is `{tool, args, id}`.",
    TOOL_RESULT: "After a tool ran or its call was refused; `data` is `{tool, response}`, the response a dictionary.",
    TOOL_COMPLETE: "After a tool ran or its call was refused; `data` is `{tool, id, result, duration_ms}`.",
    AGENT_START: "Before an agent runs; `data` is `{agent, id, request}`.",
    AGENT_COMPLETE: "After an agent ran; `data` is `{agent, id, answer, error, duration_ms}`; `error` may be empty.",
}
"""The events, with their time and data."""


class Event(Struct, frozen=True, kw_only=True):
    """An event. `data` depends on `name`; `chat` and `message_id` name the message it belongs to."""

    name: str
    data: Mapping[str, object]
    chat: str
    message_id: str
    at: datetime


Listener = Callable[[Event], Awaitable[None] | None]


class EventBus(Struct, kw_only=True):
    """Publishes events to their listeners in the order of subscription."""

    _listeners: dict[str, list[Listener]] = field(default_factory=dict)

    def subscribe(self, name: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` for every event called `name` (`*` for all) and return a function that unsubscribes it."""
        self._listeners.setdefault(name, []).append(listener)

        def unsubscribe() -> None:
            listeners = self._listeners.get(name, [])
            if listener in listeners:
                listeners.remove(listener)

        return unsubscribe

    def is_heard(self, name: str) -> bool:
        """Return whether an event has listeners and must be built."""
        return bool(self._listeners.get(name) or self._listeners.get("*"))

    async def publish(self, event: Event) -> None:
        """Call the listeners; an exception or a timeout of one is logged."""
        for listener in (*self._listeners.get(event.name, ()), *self._listeners.get("*", ())):
            try:
                async with asyncio.timeout(_LISTENER_SECONDS):
                    await maybe_await(listener(event))
            except PLUGIN_ERRORS as error:
                raise_if_cancelled(error)
                logger.opt(exception=error).error("a listener of {} failed", event.name)
