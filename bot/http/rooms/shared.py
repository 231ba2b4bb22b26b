"""Share the events of rooms between workers."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Final
from uuid import uuid4

from loguru import logger
from pydantic_core import to_json

from bot.http.core.context import HttpContext
from bot.http.rooms.history import RoomHistory
from bot.platforms.web.rooms import HERE
from services.kernel.background_tasks import running_tasks
from services.storage.workers.broadcasts import MAX_BYTES, Broadcasts

SHARED: Final = frozenset({"message_new", "message_updated", "message_deleted", "reaction", "reminder_fired", HERE})
"""The events that are shared; an answer is shared when it is complete."""

_CHANNEL: Final = "bubbles_rooms"
_MAX_WAITING: Final = 1000
_TRIES: Final = 10
_BETWEEN_TRIES: Final = 0.3  # seconds; a message of the bot is in the history shortly after it was sent


class SharedRooms:
    """Exchanges the events of rooms with other workers."""

    def __init__(self, context: HttpContext, broadcasts: Broadcasts) -> None:
        self._context = context
        self._broadcasts = broadcasts
        self._own = uuid4().hex
        self._queue: asyncio.Queue[str] = asyncio.Queue(_MAX_WAITING)

    def publish(self, session_id: str, kind: str, data: Mapping[str, object]) -> None:
        """Queue an event of a room for the other workers."""
        if kind not in SHARED:
            return
        text = to_json({"from": self._own, "room": session_id, "kind": kind, "data": data}).decode()
        if len(text.encode()) > MAX_BYTES:
            named = {"from": self._own, "room": session_id, "kind": kind, "message": _message_id(data)}
            text = to_json(named).decode()
        try:
            self._queue.put_nowait(text)
        except asyncio.QueueFull:
            logger.bind(chat=session_id).warning("could not publish a room event to other workers")

    async def send_events(self) -> None:
        """Send the queued events to the other workers until cancelled."""
        while True:
            text = await self._queue.get()
            try:
                await self._broadcasts.send(text)
            except Exception as error:  # noqa: BLE001 - the database may be away for a while
                logger.warning("could not publish a room event to other workers: {}", error)

    async def receive_events(self) -> None:
        """Publish the events of other workers here until cancelled."""
        has_started = False
        async with aclosing(self._broadcasts.receive()) as received:
            async for text in received:
                if text is None:
                    if has_started:
                        self._context.room.rooms.reload_all()
                    has_started = True
                    continue
                try:
                    await self._publish_here(json.loads(text))
                except Exception as error:  # noqa: BLE001 - it may be of another version
                    logger.opt(exception=error).warning("could not parse a room event of another worker")

    async def _publish_here(self, event: Mapping[str, object]) -> None:
        session_id, kind, data = str(event.get("room")), event.get("kind"), event.get("data")
        if event.get("from") == self._own:
            return
        if isinstance(kind, str) and isinstance(data, dict):
            self._context.room.rooms.apply_remote_event(session_id, kind, data)
        elif isinstance(event.get("message"), str):
            await self._publish_stored(session_id, str(kind or "message_new"), str(event["message"]))

    async def _publish_stored(self, session_id: str, kind: str, message_id: str) -> None:
        """Publish an event with a message from the history, which is too long for the channel."""
        chat = self._context.room.address(session_id)
        for _ in range(_TRIES):
            found = await RoomHistory(self._context).one(chat, message_id)
            if found is not None:
                self._context.room.rooms.apply_remote_event(session_id, kind, {"message": found})
                return
            await self._context.clock.nap(_BETWEEN_TRIES)


@asynccontextmanager
async def share_rooms(context: HttpContext) -> AsyncIterator[None]:
    """Share the events of rooms while the context is open, if several workers may use the database."""
    if not context.app.cluster.is_shared:
        yield
        return
    shared = SharedRooms(context, Broadcasts(context.database, _CHANNEL))
    context.room.rooms.share(shared.publish)
    try:
        async with running_tasks() as tasks:
            tasks.start(shared.send_events(), "rooms: send events")
            tasks.start(shared.receive_events(), "rooms: receive events")
            yield
    finally:
        context.room.rooms.share(None)


def _message_id(data: Mapping[str, object]) -> str:
    message = data.get("message")
    return str(message.get("id")) if isinstance(message, Mapping) else ""
