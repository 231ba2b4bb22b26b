"""Publish events to listeners, which can observe and cannot break a call."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Final

from loguru import logger
from msgspec import Struct, field

from function_calls.tools.dispatch.hooks import maybe_await

TOOL_CALL = "tool.call"
TOOL_RESULT = "tool.result"
TOOL_START = "tool.start"
TOOL_COMPLETE = "tool.complete"
AGENT_START = "agent.start"
AGENT_COMPLETE = "agent.complete"

_LISTENER_SECONDS: Final = 5.0  # seconds that a call waits for one listener

EVENTS: Final[Mapping[str, str]] = {
    TOOL_CALL: "A tool is about to run; `data` is `{tool, args}`.",
    TOOL_START: "The same moment, with the call's `id` beside `tool` and `args`.",
    TOOL_RESULT: "A tool has run, or its call was refused; `data` is `{tool, response}`, the response a dictionary.",
    TOOL_COMPLETE: "The same moment, with `id` and `duration_ms` beside `tool` and the `ToolResult` as `result`.",
    AGENT_START: "An agent begins a run; `data` is `{agent, id, request}`.",
    AGENT_COMPLETE: "It has ended; `data` is `{agent, id, answer, error, duration_ms}`; `error` is empty or a code.",
}
"""Every event of the framework, and when it is told."""


class Event(Struct, frozen=True, kw_only=True):
    """An event. `data` depends on `name`; `chat` and `message_id` name the message it belongs to."""

    name: str
    data: Mapping[str, object]
    chat: str
    message_id: str
    at: datetime


Listener = Callable[[Event], Awaitable[None] | None]


class EventBus(Struct, kw_only=True):
    """Publishes the events of `EVENTS` to their listeners in order of subscription."""

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
        """Return whether an event has listeners, so that one without need not be built."""
        return bool(self._listeners.get(name) or self._listeners.get("*"))

    async def publish(self, event: Event) -> None:
        """Call the listeners; one that raises or takes too long is logged, and the others are called all the same."""
        for listener in (*self._listeners.get(event.name, ()), *self._listeners.get("*", ())):
            try:
                async with asyncio.timeout(_LISTENER_SECONDS):
                    await maybe_await(listener(event))
            except Exception as error:  # noqa: BLE001 - a listener is anybody's code and must not break the call
                logger.opt(exception=error).error("a listener of {} failed", event.name)
