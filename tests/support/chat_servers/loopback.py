"""Common parts of the loopback chat servers: a free port, a record of requests, errors on demand."""

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from aiohttp import web
from msgspec import Struct, field
from msgspec.structs import replace

JsonObject = dict[str, object]


class SentMessage(Struct, frozen=True, kw_only=True):
    """A message of the bot. `body` is the whole request, `files` are names."""

    chat: str
    text: str
    body: Mapping[str, object]
    id: str = ""
    files: tuple[str, ...] = ()


class Trouble(Struct, frozen=True, kw_only=True):
    """A failure of one request: an answer with `status` and `body` or the page `html`, or a connection that is cut.

    With `is_taken` the request has its effect all the same, as when only the answer is lost.
    """

    status: int = 500
    body: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    html: str = ""
    is_cut: bool = False
    is_taken: bool = False


class SentMessages:
    """The messages of the bot, in order."""

    def __init__(self) -> None:
        self.entries: list[SentMessage] = []
        self._grew = asyncio.Condition()

    @property
    def texts(self) -> list[str]:
        """Return their texts."""
        return [entry.text for entry in self.entries]

    async def add(self, entry: SentMessage) -> None:
        """Record `entry` and wake those who wait."""
        async with self._grew:
            self.entries.append(entry)
            self._grew.notify_all()

    def change(self, message_id: str, text: str, body: Mapping[str, object] | None = None) -> None:
        """Replace the text of an earlier message, and its `body` if one is given."""
        self.entries = [
            replace(entry, text=text, body=entry.body if body is None else body) if entry.id == message_id else entry
            for entry in self.entries
        ]

    async def wait_for_count(self, count: int) -> None:
        """Wait until there are `count` messages."""
        async with self._grew:
            await self._grew.wait_for(lambda: len(self.entries) >= count)


class LoopbackServer:
    """An aiohttp application on a free port of 127.0.0.1 within the context.

    `troubles` are the failures of the next requests that send a message, in order. `closed_to_bot` are chats without
    the bot.
    """

    def __init__(self) -> None:
        self.sent = SentMessages()
        self.troubles: deque[Trouble] = deque()
        self.closed_to_bot: set[str] = set()
        self.sockets: set[web.WebSocketResponse] = set()
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """Return the address for clients."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def socket_url(self) -> str:
        """Return the address for WebSockets."""
        return f"ws://127.0.0.1:{self._port}"

    def routes(self, router: web.UrlDispatcher) -> None:
        """Add the endpoints of the platform."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        app = web.Application()
        self.routes(app.router)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.disconnect()
        if self._runner is not None:
            await self._runner.cleanup()

    async def open(self) -> None:
        """Accept connections, on the same port as before."""
        if self._runner is not None and not self._runner.sites:
            site = web.TCPSite(self._runner, "127.0.0.1", self._port, reuse_address=True)
            await site.start()
            self._port = int(self._runner.addresses[0][1])

    async def close(self) -> None:
        """Break the connections and refuse new ones until `open`."""
        if self._runner is not None:
            for site in list(self._runner.sites):
                await site.stop()
        await self.disconnect()

    async def disconnect(self) -> None:
        """Break every connection without a close frame."""
        self.sockets.clear()
        if self._runner is not None and self._runner.server is not None:
            for connection in list(self._runner.server.connections):
                connection.force_close()
        await asyncio.sleep(0)

    def mute(self) -> None:
        """Stop reading from the present connections, without closing them."""
        self.sockets.clear()
        if self._runner is not None and self._runner.server is not None:
            for connection in list(self._runner.server.connections):
                if isinstance(connection.transport, asyncio.Transport):
                    connection.transport.pause_reading()

    def clear_records(self) -> None:
        """Clear the recorded messages, in a long run."""
        self.sent.entries.clear()

    async def socket(self, request: web.Request, *, answers_pings: bool = True) -> web.WebSocketResponse:
        """Accept a WebSocket, which stays in `sockets` until `disconnect`."""
        socket = web.WebSocketResponse(autoping=answers_pings)
        await socket.prepare(request)
        self.sockets.add(socket)
        return socket

    def next_trouble(self) -> Trouble | None:
        """Return the failure of the present request, if any."""
        return self.troubles.popleft() if self.troubles else None


def answer(body: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """Return a JSON answer whose content type is exactly `application/json`, as some clients require."""
    sent = {"Content-Type": "application/json", **(headers or {})}
    return web.Response(body=json.dumps(body, ensure_ascii=False).encode(), status=status, headers=sent)


def troubled(request: web.Request, trouble: Trouble) -> web.Response:
    """Return the answer to a request that fails."""
    if trouble.is_cut and request.transport is not None:
        request.transport.abort()
    if trouble.html:
        return web.Response(text=trouble.html, status=trouble.status, content_type="text/html")
    return answer(trouble.body, status=trouble.status, headers=trouble.headers)


def uploaded(body: object) -> tuple[str, ...]:
    """Return the names of the files of a form; JSON has none."""
    if not isinstance(body, Mapping):
        return ()
    return tuple(value.filename for value in body.values() if isinstance(value, web.FileField))


async def body_of(request: web.Request) -> JsonObject:
    """Return the fields of a request in JSON, in a form or in the query."""
    if request.content_type == "application/json":
        read: JsonObject = await request.json()
        return read
    return {**request.query, **(await request.post())}
