"""A loopback server in the recorded forms of Perplexity, SearXNG, Tavily, Brave and Wikipedia.

async with SearchServer() as server:
    engine = TavilyEngine(client, api_key=SecretStr("k"), base_url=server.url)
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from bot.testing.search_forms import EMPTY, FOUND, STREAM


class Behaviour(Enum):
    """What the server does with every request until it is told otherwise."""

    SUCCESS = "answers with results"
    EMPTY = "answers and found nothing"
    SLOW = "never answers"
    RATE_LIMITED = "answers 429 and asks for seven seconds"
    REFUSED = "answers 401 and repeats the key in the body"
    BROKEN = "answers 500"
    MALFORMED = "answers 200 and something else than the form"
    CUT = "breaks off in the middle of the answer"


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchRequest:
    """A request as it arrived. Header names are in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Mapping[str, object]

    @property
    def route(self) -> str:
        """Method and path together: Tavily posts to the path where SearXNG answers GET."""
        return f"{self.method} {self.path}"


class SearchServer:
    """Answers all engines on one port and records what it was asked."""

    def __init__(self, behaviour: Behaviour = Behaviour.SUCCESS) -> None:
        self.behaviour = behaviour
        self.requests: list[SearchRequest] = []
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The base address for every engine."""
        if self._server is None:
            raise RuntimeError("the server runs only inside `async with`")
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.current_task()
        if connection is not None:
            self._connections.add(connection)
            connection.add_done_callback(self._connections.discard)
        try:
            request = await _read_request(reader)
            self.requests.append(request)
            await self._answer(request, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client hung up
        finally:
            writer.close()

    async def _answer(self, request: SearchRequest, writer: asyncio.StreamWriter) -> None:
        if self.behaviour is Behaviour.SLOW:
            await asyncio.Event().wait()
        status, kind, body = self._reply(request)
        retry = "Retry-After: 7\r\n" if status == 429 else ""
        head = f"HTTP/1.1 {status} -\r\nContent-Type: {kind}\r\n{retry}Content-Length: {len(body)}\r\nConnection: close"
        kept = body[: len(body) // 2] if self.behaviour is Behaviour.CUT else body
        writer.write(head.encode() + b"\r\n\r\n" + kept)
        await writer.drain()

    def _reply(self, request: SearchRequest) -> tuple[int, str, bytes]:
        if self.behaviour is Behaviour.RATE_LIMITED:
            return 429, "application/json", b'{"error": "slow down"}'
        if self.behaviour is Behaviour.REFUSED:
            return 401, "application/json", json.dumps({"headers": dict(request.headers)}).encode()
        if self.behaviour is Behaviour.BROKEN:
            return 500, "text/html", b"<h1>Internal Server Error</h1>"
        if request.route not in FOUND:
            return 404, "text/plain", b"no such engine"
        if self.behaviour is Behaviour.MALFORMED:
            return 200, "text/event-stream", b'data: {"choices": "none"}\n\n' if _is_streamed(request) else b"<html>"
        return self._results(request)

    def _results(self, request: SearchRequest) -> tuple[int, str, bytes]:
        is_empty = self.behaviour is Behaviour.EMPTY
        if not _is_streamed(request):
            return 200, "application/json", json.dumps((EMPTY if is_empty else FOUND)[request.route]).encode()
        events = STREAM[-1:] if is_empty else STREAM
        lines = [f"data: {json.dumps(event)}\r\n\r\n" for event in events]
        return 200, "text/event-stream", "".join([*lines, "data: [DONE]\r\n\r\n"]).encode()


def _is_streamed(request: SearchRequest) -> bool:
    return request.body.get("stream") is True


async def _read_request(reader: asyncio.StreamReader) -> SearchRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    method, target, _ = first.split(" ")
    parts = urlsplit(target)
    return SearchRequest(
        method=method,
        path=parts.path,
        query={name: values[0] for name, values in parse_qs(parts.query).items()},
        headers=headers,
        body=json.loads(raw) if raw else {},
    )
