"""Publish the bot's events to the rooms: running tool calls, changed and delivered reminders."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from bot.http.core.context import HttpContext
from bot.http.rooms.reminders import ReminderWatch
from function_calls.tools.calls import ToolResult
from function_calls.tools.confirmation.change_log import change_undone
from function_calls.tools.dispatch.events import TOOL_COMPLETE, TOOL_START, Event
from services.call_log.service import CallLog
from services.history.service import HistoryService
from services.kernel.chat import ChatAddress, ChatMessage
from services.kernel.clock import Clock


@contextmanager
def follow_bot(context: HttpContext) -> Iterator[ReminderWatch]:
    """Publish the bot's events to the rooms while the context is open."""
    room, app = context.room, context.app
    watch = ReminderWatch(context)
    refresher = _Refresher(watch, context.clock)
    history, usage = app.services.get(HistoryService), partial(read_usage, context)
    room.attach(app.infrastructure.state_store, history, app.pipeline.router.stop, refresher.start, usage)

    async def on_complete(event: Event) -> None:
        room.answers.show_call(event)
        result = event.data.get("result")
        platform, _, chat_id = event.chat.partition(":")
        if platform == room.name and isinstance(result, ToolResult) and result.receipts:
            refresher.start(room.address(chat_id))
            if change_id := change_undone(result):
                await room.answers.mark_undone(room.address(chat_id), change_id)

    async def on_close(chat: ChatAddress, asked_in: str) -> None:
        if chat.platform == room.name:
            await room.answers.mark_closed(chat, asked_in)

    policy = app.calls.policy
    unsubscribe = [
        *([] if policy is None else [policy.confirmations.subscribe(on_close)]),
        app.calls.events.subscribe(TOOL_START, room.answers.show_call),
        app.calls.events.subscribe(TOOL_COMPLETE, on_complete),
    ]
    try:
        yield watch
    finally:
        for each in unsubscribe:
            each()
        refresher.cancel()


async def read_usage(context: HttpContext, message: ChatMessage) -> dict[str, int] | None:
    """Return the model usage of a message from the call log; None if no model was asked."""
    turn = await context.app.services.get(CallLog).turn(message.id, message.address)
    if turn is None or not turn.completions:
        return None
    return {
        "prompt_tokens": turn.charge.prompt_tokens,
        "completion_tokens": turn.charge.completion_tokens,
        "total_tokens": turn.charge.tokens,
    }


class _Refresher:
    """Publishes changes of reminders in background tasks, one at a time for each room."""

    def __init__(self, watch: ReminderWatch, clock: Clock) -> None:
        self._watch = watch
        self._clock = clock
        self._locks: dict[str, asyncio.Lock] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, chat: ChatAddress, after_seconds: float = 0.0) -> None:
        task = asyncio.create_task(self._refresh(chat, after_seconds), name=f"reminders of {chat}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _refresh(self, chat: ChatAddress, after_seconds: float) -> None:
        await self._clock.nap(after_seconds)
        async with self._locks.setdefault(chat.key, asyncio.Lock()):
            await self._watch.publish_changes(chat)
