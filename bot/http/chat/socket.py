"""`/api/chat/ws`: serve a room over a WebSocket."""

import asyncio
import json
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Final

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect
from loguru import logger
from pydantic import ValidationError
from starlette.websockets import WebSocketState

from bot.http.chat.socket_actions import Data, FrameHandler, FrameHandlers
from bot.http.core.bodies import MAX_MESSAGE_LENGTH, MAX_SESSION_LENGTH, SESSION_PATTERN
from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import HttpRefused, field_problems, invalid_fields, request_language
from bot.http.core.timeseries import last_second
from bot.http.core.tokens import OPERATOR
from bot.http.rooms.history import RoomHistory
from bot.http.rooms.memberships import can_enter, mark_empty_room_read
from bot.http.rooms.reminders import room_reminders
from bot.http.security.auth import ApiViewer
from bot.platforms.web.frames import Frame, format_instant
from bot.platforms.web.rooms import Room
from function_calls.language.messages import LANGUAGES, say
from services.kernel.errors import StorageBusy, StorageFull, StorageUnavailable
from services.kernel.text import replace_unstorable_in
from services.people.zones import is_zone

QUEUE: Final = 1000
"""Frames that may wait for a socket; a slower client is disconnected, and gets a snapshot when it reconnects."""
SNAPSHOT: Final = 200
_TRY_AGAIN_LATER: Final = 1013
_UNSUPPORTED_DATA: Final = 1003
_POLICY_VIOLATION: Final = 1008
_MESSAGE_TOO_BIG: Final = 1009
_MAX_FRAME_SIZE: Final = 256_000
"""Characters of a frame; only a result of a call that the page runs may be longer."""
_CLOSING_SECONDS: Final = 1.0
_METRICS_SECONDS: Final = 1.0
_RECORDED_QUEUE: Final = 4
_MAX_ZONE_LENGTH: Final = 60
_MAX_LANGUAGE_LENGTH: Final = 10
_TURN_ENDS: Final = frozenset({"done", "message_new"})
"""Events after which the zone of the person may be another, since messages can set it."""

routes = APIRouter(prefix="/api/chat", tags=["chat"])


@routes.websocket("/ws")
async def ws(
    socket: WebSocket,
    context: Context,
    session_id: Annotated[str, Query(pattern=SESSION_PATTERN, max_length=MAX_SESSION_LENGTH)] = "lobby",
    name: Annotated[str | None, Query(max_length=40)] = None,
    epoch: Annotated[str, Query(max_length=40)] = "",
    last_seq: Annotated[int, Query(ge=0)] = 0,
    time_zone: Annotated[str, Query(max_length=_MAX_ZONE_LENGTH)] = "",
    language: Annotated[str, Query(max_length=_MAX_LANGUAGE_LENGTH)] = "",
) -> None:
    """Serve a room over a WebSocket. The protocol is in docs/reference/http.md."""
    viewer = _viewer(socket, name)
    await socket.accept()
    if viewer is None:
        await socket.close(_POLICY_VIOLATION, "unauthorized")
        return
    if not await can_enter(context, viewer, session_id):
        await socket.close(_POLICY_VIOLATION, "room_not_yours")
        return
    if time_zone:
        with suppress(StorageBusy, StorageFull, StorageUnavailable):
            chat = context.room.address(session_id)
            await context.app.turns.zones.suggest_for_person(chat, viewer.person, time_zone)
    language = language if language in LANGUAGES else request_language(socket)
    await RoomSocket(context, socket, session_id, viewer, language).serve(epoch, last_seq)


def _viewer(socket: WebSocket, name: str | None) -> ApiViewer | None:
    viewer = socket.scope.get("viewer")
    if not isinstance(viewer, ApiViewer) or "chat" not in viewer.scopes:
        return None
    try:
        return viewer.with_name(name)
    except HttpRefused:
        return None


class RoomSocket:
    """The connection of a tab of a person in a room."""

    def __init__(
        self, context: HttpContext, socket: WebSocket, session_id: str, viewer: ApiViewer, language: str
    ) -> None:
        self._context = context
        self._socket = socket
        self._viewer = viewer
        self._session_id = session_id
        self._room: Room = context.room.room(session_id)
        self._chat = context.room.address(session_id)
        self._queue: asyncio.Queue[Frame] = asyncio.Queue(QUEUE)
        self._is_behind = asyncio.Event()
        self._sends_metrics = asyncio.Event()
        self._language = language
        self._zone = ""
        self._handlers: Mapping[str, FrameHandler] = {
            **FrameHandlers(context, session_id, viewer, self._enqueue).by_kind,
            "ping": self._ping,
            "metrics": self._switch_metrics,
            "time_zone": self._set_zone,
        }

    async def serve(self, epoch: str, last_seq: int) -> None:
        """Send a snapshot or the missed frames, then exchange frames until the connection ends."""
        person = self._viewer.person
        unlisten = self._room.listen(self._enqueue, person.id, self._is_behind.set)
        self._room.enter(person)
        self._context.gauges.add_socket(self._context.clock.now())
        try:
            await self._send_snapshot(epoch, last_seq)
            await self._run_tasks()
        except (WebSocketDisconnect, OSError):
            pass
        finally:
            unlisten()
            self._room.leave(person)
            self._context.gauges.remove_socket(self._context.clock.now())

    def _enqueue(self, frame: Frame) -> None:
        try:
            self._queue.put_nowait(frame)
        except asyncio.QueueFull:
            self._is_behind.set()
        if (waiting := self._queue.qsize()) >= _RECORDED_QUEUE:
            self._context.gauges.record_queue(self._context.clock.now(), waiting)

    async def _run_tasks(self) -> None:
        tasks = [
            asyncio.create_task(work, name=f"socket of {self._session_id}")
            for work in (
                self._send_frames(),
                self._receive_frames(),
                self._close_when_behind(),
                self._close_when_revoked(),
                self._send_metrics(),
            )
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            await task

    async def _send_frames(self) -> None:
        while True:
            frame = await self._queue.get()
            if self._is_closed:
                return
            await self._socket.send_text(frame.text)
            if frame.type in _TURN_ENDS:
                with suppress(StorageBusy, StorageUnavailable):
                    await self._send_zone_change()

    async def _close_when_behind(self) -> None:
        """Disconnect a client that is too slow, or whose room has missed events."""
        await self._is_behind.wait()
        logger.info("closing a slow socket of room {}", self._session_id)
        await self._close(_TRY_AGAIN_LATER, "too slow")

    async def _close_when_revoked(self) -> None:
        """Disconnect a client whose token is revoked; the operator's token, and none, cannot be."""
        if self._viewer.token_id in {"", OPERATOR.id}:
            await asyncio.Event().wait()
        await self._context.tokens.wait_revoked(self._viewer.token_id)
        await self._close(_POLICY_VIOLATION, "unauthorized")

    async def _close(self, code: int, reason: str) -> None:
        with suppress(TimeoutError, OSError, RuntimeError):
            async with asyncio.timeout(_CLOSING_SECONDS):
                await self._socket.close(code, reason)

    @property
    def _is_closed(self) -> bool:
        return self._socket.application_state is WebSocketState.DISCONNECTED

    async def _send_metrics(self) -> None:
        """Send metrics once a second while the client has them switched on."""
        while True:
            await self._sends_metrics.wait()
            with suppress(StorageBusy, StorageUnavailable):
                sample = await last_second(self._context)
                self._enqueue(self._room.frame("metrics", sample.model_dump()))
            await self._context.clock.nap(_METRICS_SECONDS)

    async def _receive_frames(self) -> None:
        while not self._is_closed:
            try:
                text = await self._socket.receive_text()
            except KeyError:
                await self._close(_UNSUPPORTED_DATA, "text frames only")
                return
            wait = self._count_frame(text)
            if len(text) > _MAX_FRAME_SIZE and not self._context.room.client_calls.is_waiting_for(
                self._viewer.person.id
            ):
                await self._close(_MESSAGE_TOO_BIG, "message too big")
                return
            kind, data = _parse_frame(text)
            try:
                await self._handle(kind, data, wait)
            except HttpRefused as refusal:
                self._report(refusal, data)
            except StorageFull as error:
                logger.bind(chat=self._session_id).error("frame rejected: {}", error)
                self._report(HttpRefused(503, "disk_full"), data)
            except (StorageBusy, StorageUnavailable) as error:
                logger.bind(chat=self._session_id).warning("frame rejected: {}", error)
                self._report(HttpRefused(503, "unavailable"), data)
            except ValidationError as error:
                problems = [{**each, "loc": ("frame", *each["loc"])} for each in error.errors()]
                self._report(invalid_fields(self._language, field_problems(self._language, problems)), data)

    async def _handle(self, kind: str, data: Data, wait: float) -> None:
        """Handle a frame, unless the person has to `wait` because of the rate limit."""
        if wait:
            raise HttpRefused(429, "too_fast", retry_after=wait)
        handle = self._handlers.get(kind)
        if handle is None:
            raise HttpRefused(422, "frame_unknown")
        await handle(data)

    def _count_frame(self, text: str) -> float:
        """Count a frame for the rate limit of the person, a long one as several; return the seconds to wait, or 0."""
        person_id, frame_rate = self._viewer.person.id, self._context.frame_rate
        wait = frame_rate.take(person_id)
        for _ in range(len(text) // _MAX_FRAME_SIZE):
            frame_rate.take(person_id)
        return wait

    async def _send_snapshot(self, epoch: str, last_seq: int) -> None:
        missed = self._room.since(epoch, last_seq) if epoch else None
        seq, entered_at = self._room.seq, self._context.clock.now()
        history = RoomHistory(self._context)
        messages = await history.list_messages(self._chat, limit=SNAPSHOT) if missed is None else []
        reminders = await room_reminders(self._context, self._chat)
        model = self._context.settings.model.name if self._context.app.interpreters.has_model else None
        person, self._zone = self._viewer.person, await self._person_zone()
        if missed is None and not messages:
            with suppress(StorageBusy, StorageFull, StorageUnavailable):
                await mark_empty_room_read(self._context, person.id, self._session_id, entered_at)
        hello = {
            "epoch": self._room.epoch,
            "seq": seq,
            "server_time": format_instant(self._context.clock.now()),
            "me": {"id": person.id, "name": person.name, "role": self._viewer.role, "time_zone": self._zone},
            "members": self._room.members,
            "messages": messages,
            "reminders": reminders,
            "bot": {"name": self._context.settings.bot.name, "model": model},
            "limits": self._limits,
            "page_tool_servers": list(self._context.settings.http.page_tool_servers),
            "is_replay": missed is not None,
        }
        await self._socket.send_text(self._room.frame("hello", hello).text)
        for frame in missed or ():
            await self._socket.send_text(frame.text)
        self._drop_sent_frames(seq)

    @property
    def _limits(self) -> dict[str, object]:
        settings = self._context.settings.http
        kilobytes = 0 if self._context.room.files is None else settings.max_upload_kilobytes
        types = list(settings.upload_types)
        return {"message_length": MAX_MESSAGE_LENGTH, "upload_kilobytes": kilobytes, "upload_types": types}

    def _drop_sent_frames(self, seq: int) -> None:
        """Remove frames from the queue that the snapshot or the replay contains."""
        frames = [self._queue.get_nowait() for _ in range(self._queue.qsize())]
        for frame in frames:
            if not frame.is_kept or frame.seq > seq:
                self._queue.put_nowait(frame)

    def _report(self, refusal: HttpRefused, data: Data) -> None:
        error: dict[str, object] = {
            "code": refusal.code,
            "detail": say(self._language, f"http.{refusal.code}", **refusal.fields),
            "retryable": refusal.is_temporary,
            "retry_after": math.ceil(refusal.retry_after),
        }
        error |= {key: data[key] for key in ("client_id", "message_id") if isinstance(data.get(key), str)}
        self._enqueue(self._room.frame("error", error))

    async def _switch_metrics(self, data: Data) -> None:
        if data.get("on") is not True:
            self._sends_metrics.clear()
        elif "admin" in self._viewer.scopes:
            self._sends_metrics.set()
        else:
            raise HttpRefused(403, "scope_missing", scope="admin")

    async def _person_zone(self) -> str:
        return (await self._context.app.turns.zones.zone_of(self._chat, self._viewer.person)).key

    async def _send_zone_change(self) -> None:
        """Send the zone of the person if it is another than was sent last."""
        zone = await self._person_zone()
        if zone != self._zone:
            self._zone = zone
            self._enqueue(self._room.frame("time_zone", {"time_zone": zone}))

    async def _set_zone(self, data: Data) -> None:
        """Set the zone of the person, an IANA name."""
        name = data.get("time_zone")
        if not isinstance(name, str) or not is_zone(name):
            raise HttpRefused(422, "frame_unknown")
        await self._context.app.turns.zones.set_for_person(self._chat, self._viewer.person, name)
        await self._send_zone_change()

    async def _ping(self, data: Data) -> None:
        del data
        self._enqueue(self._room.frame("pong", {"server_time": format_instant(self._context.clock.now())}))


def _parse_frame(text: str) -> tuple[str, Data]:
    """Return the type and data of a frame; the type is empty if `text` is not a frame."""
    try:
        frame = replace_unstorable_in(json.loads(text))
    except (ValueError, RecursionError):
        return "", {}
    if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
        return "", {}
    data = frame.get("data")
    return frame["type"], data if isinstance(data, dict) else {}
