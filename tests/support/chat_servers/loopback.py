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
    """One message of the bot as the server took it. `body` is the whole request, `files` are names."""

    chat: str
    text: str
    body: Mapping[str, object]
    id: str = ""
    files: tuple[str, ...] = ()


class Trouble(Struct, frozen=True, kw_only=True):
    """How one request goes wrong: an answer with `status` and `body` or the page `html`, or a connection that is cut.

    `is_taken` lets the request have its effect all the same, as when only the answer is lost.
    """

    status: int = 500
    body: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    html: str = ""
    is_cut: bool = False
    is_taken: bool = False


class Journal:
    """What the bot said, in order, and a way to wait for it."""

    def __init__(self) -> None:
        self.entries: list[SentMessage] = []
        self._grew = asyncio.Condition()

    @property
    def texts(self) -> list[str]:
        """Only what was said."""
        return [entry.text for entry in self.entries]

    async def add(self, entry: SentMessage) -> None:
        """Record `entry` and wake whoever waits."""
        async with self._grew:
            self.entries.append(entry)
            self._grew.notify_all()

    def change(self, message_id: str, text: str, body: Mapping[str, object] | None = None) -> None:
        """Let an earlier message say `text` instead, with the new `body` where the old one no longer holds."""
        self.entries = [
            replace(entry, text=text, body=entry.body if body is None else body) if entry.id == message_id else entry
            for entry in self.entries
        ]

    async def reaches(self, count: int) -> None:
        """Wait until `count` messages have been said."""
        async with self._grew:
            await self._grew.wait_for(lambda: len(self.entries) >= count)


class LoopbackServer:
    """An aiohttp application on a free port of 127.0.0.1 for as long as the context lasts.

    `troubles` befall the next requests that send a message, one each, in order. `closed_to_bot` are chats that the bot
    is not in.
    """

    def __init__(self) -> None:
        self.said = Journal()
        self.troubles: deque[Trouble] = deque()
        self.closed_to_bot: set[str] = set()
        self.sockets: set[web.WebSocketResponse] = set()
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """Return where clients find it."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def socket_url(self) -> str:
        """The same place for WebSockets."""
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
        """Be away: refuse connections and break those there are, until `open`."""
        if self._runner is not None:
            for site in list(self._runner.sites):
                await site.stop()
        await self.disconnect()

    async def disconnect(self) -> None:
        """Break every connection without a word."""
        self.sockets.clear()
        if self._runner is not None and self._runner.server is not None:
            for connection in list(self._runner.server.connections):
                connection.force_close()
        await asyncio.sleep(0)

    def mute(self) -> None:
        """Read nothing more over the connections that there are: they look well, and nothing is answered."""
        self.sockets.clear()
        if self._runner is not None and self._runner.server is not None:
            for connection in list(self._runner.server.connections):
                if isinstance(connection.transport, asyncio.Transport):
                    connection.transport.pause_reading()

    def forget(self) -> None:
        """Keep nothing of what was said and asked until now, as in a run that is too long to be kept."""
        self.said.entries.clear()

    async def socket(self, request: web.Request, *, answers_pings: bool = True) -> web.WebSocketResponse:
        """Take a WebSocket; it stays among `sockets` until `disconnect`."""
        socket = web.WebSocketResponse(autoping=answers_pings)
        await socket.prepare(request)
        self.sockets.add(socket)
        return socket

    def next_trouble(self) -> Trouble | None:
        """The trouble that befalls the request at hand."""
        return self.troubles.popleft() if self.troubles else None


def answer(body: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """A JSON answer whose content type is exactly `application/json`, as some clients demand."""
    sent = {"Content-Type": "application/json", **(headers or {})}
    return web.Response(body=json.dumps(body, ensure_ascii=False).encode(), status=status, headers=sent)


def troubled(request: web.Request, trouble: Trouble) -> web.Response:
    """The answer of a request that goes wrong."""
    if trouble.is_cut and request.transport is not None:
        request.transport.abort()
    if trouble.html:
        return web.Response(text=trouble.html, status=trouble.status, content_type="text/html")
    return answer(trouble.body, status=trouble.status, headers=trouble.headers)


def uploaded(body: object) -> tuple[str, ...]:
    """The names of the files that came with a form; JSON, which need not be an object, has none."""
    if not isinstance(body, Mapping):
        return ()
    return tuple(value.filename for value in body.values() if isinstance(value, web.FileField))


async def body_of(request: web.Request) -> JsonObject:
    """The fields of a request, sent as JSON, as a form or in the address."""
    if request.content_type == "application/json":
        read: JsonObject = await request.json()
        return read
    return {**request.query, **(await request.post())}
