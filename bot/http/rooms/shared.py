"""Share the events of a room between several workers."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Final, Protocol
from uuid import uuid4

from loguru import logger
from pydantic_core import to_json

from bot.http.core.context import HttpContext
from bot.http.rooms.history import RoomHistory
from bot.platforms.web.room import HERE
from services.kernel.background_tasks import running_tasks
from services.storage.workers.broadcasts import MOST_BYTES, Broadcasts

SHARED: Final = frozenset({"message_new", "message_updated", "message_deleted", "reaction", "reminder_fired", HERE})
"""What is shared; an answer is when it is whole."""

_CHANNEL: Final = "bubbles_rooms"
_MOST_WAITING: Final = 1000
_TRIES: Final = 10
_BETWEEN_TRIES: Final = 0.3  # seconds; a bot's message is in the history a moment after it was said


class Calls(Protocol):
    """Texts that workers send to each other."""

    async def send(self, text: str) -> None:
        """Send `text` to all listening workers."""
        ...

    def receive(self) -> AsyncGenerator[str | None, None]:
        """Yield every text; None when listening starts, at first and after texts may have been missed."""
        ...


class SharedRooms:
    """Between the rooms of this worker and those of the others."""

    def __init__(self, context: HttpContext, broadcasts: Calls) -> None:
        self._context = context
        self._broadcasts = broadcasts
        self._own = uuid4().hex
        self._waiting: asyncio.Queue[str] = asyncio.Queue(_MOST_WAITING)

    def happened(self, session_id: str, kind: str, data: Mapping[str, object]) -> None:
        """Take note of what happened in a room here."""
        if kind not in SHARED:
            return
        told = to_json({"from": self._own, "room": session_id, "kind": kind, "data": data}).decode()
        if len(told.encode()) > MOST_BYTES:
            told = to_json({"from": self._own, "room": session_id, "message": _message_id(data)}).decode()
        try:
            self._waiting.put_nowait(told)
        except asyncio.QueueFull:
            logger.bind(chat=session_id).warning("could not publish a room event to other workers")

    async def tell(self) -> None:
        """Tell the others what happened, in its order, until cancelled."""
        while True:
            told = await self._waiting.get()
            try:
                await self._broadcasts.send(told)
            except Exception as error:  # noqa: BLE001 - fire: a database that is lost for a while comes back
                logger.warning("could not publish a room event to other workers: {}", error)

    async def listen(self) -> None:
        """Show here what happens in the rooms of others, until cancelled."""
        has_begun = False
        async with aclosing(self._broadcasts.receive()) as heard:
            async for text in heard:
                if text is None:
                    if has_begun:
                        self._context.room.rooms.reload_all()
                    has_begun = True
                    continue
                try:
                    await self._show(json.loads(text))
                except Exception as error:  # noqa: BLE001 - of another version perhaps; the next one may be readable
                    logger.opt(exception=error).warning("could not parse a room event of another worker")

    async def _show(self, told: Mapping[str, object]) -> None:
        session_id, kind, data = str(told.get("room")), told.get("kind"), told.get("data")
        if told.get("from") == self._own:
            return
        if isinstance(kind, str) and isinstance(data, dict):
            self._context.room.rooms.apply_remote_event(session_id, kind, data)
        elif isinstance(told.get("message"), str):
            await self._show_long(session_id, str(told["message"]))

    async def _show_long(self, session_id: str, message_id: str) -> None:
        """Show a message from the history, because it is too long for a notification."""
        chat = self._context.room.address(session_id)
        for _ in range(_TRIES):
            found = await RoomHistory(self._context).one(chat, message_id)
            if found is not None:
                self._context.room.rooms.apply_remote_event(session_id, "message_new", {"message": found})
                return
            await self._context.clock.nap(_BETWEEN_TRIES)


@asynccontextmanager
async def rooms_shared(context: HttpContext) -> AsyncIterator[None]:
    """Share the rooms for as long as the context lasts, where several workers may be on one database."""
    if not context.app.cluster.is_shared:
        yield
        return
    shared = SharedRooms(context, Broadcasts(context.app.database, _CHANNEL))
    context.room.rooms.share(shared.happened)
    try:
        async with running_tasks() as tasks:
            tasks.start(shared.tell(), "rooms: tell the others")
            tasks.start(shared.listen(), "rooms: hear the others")
            yield
    finally:
        context.room.rooms.share(None)


def _message_id(data: Mapping[str, object]) -> str:
    message = data.get("message")
    return str(message.get("id")) if isinstance(message, Mapping) else ""
