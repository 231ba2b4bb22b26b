"""A loopback server in the recorded forms of Perplexity, SearXNG, Tavily, Brave and Wikipedia.

async with SearchServer() as server:
    engine = TavilyEngine(client, api_key=SecretStr("k"), base_url=server.url)
"""

import asyncio
import json
from collections.abc import Mapping
from enum import Enum
from urllib.parse import parse_qs, urlsplit

from msgspec import Struct

from tests.support.openai_server import LoopbackServer, read_request
from tests.support.search_forms import EMPTY, FOUND, STREAM


class Behaviour(Enum):
    """The answers of the server to all requests."""

    SUCCESS = "answers with results"
    EMPTY = "answers and found nothing"
    SLOW = "never answers"
    RATE_LIMITED = "answers 429 and asks for seven seconds"
    REFUSED = "answers 401 and repeats the key in the body"
    BROKEN = "answers 500"
    MALFORMED = "answers 200 and something else than the form"
    CUT = "breaks off in the middle of the answer"


class SearchRequest(Struct, frozen=True, kw_only=True):
    """A request as it arrived. Header names are in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Mapping[str, object]

    @property
    def route(self) -> str:
        """Return method and path together: Tavily posts to the path where SearXNG answers GET."""
        return f"{self.method} {self.path}"


class SearchServer(LoopbackServer):
    """A server of all engines on one port that records the requests."""

    def __init__(self, behaviour: Behaviour = Behaviour.SUCCESS) -> None:
        super().__init__()
        self.behaviour = behaviour
        self.requests: list[SearchRequest] = []

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        request = await _read_search(reader)
        self.requests.append(request)
        await self._answer(request, writer)

    async def _answer(self, request: SearchRequest, writer: asyncio.StreamWriter) -> None:
        if self.behaviour is Behaviour.SLOW:
            await asyncio.Event().wait()
        status, kind, body = self._reply(request)
        retry = "Retry-After: 7\r\n" if status == 429 else ""
        head = f"HTTP/1.1 {status} -\r\nContent-Type: {kind}\r\n{retry}Content-Length: {len(body)}\r\nConnection: close"
        part = body[: len(body) // 2] if self.behaviour is Behaviour.CUT else body
        writer.write(head.encode() + b"\r\n\r\n" + part)
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


async def _read_search(reader: asyncio.StreamReader) -> SearchRequest:
    request = await read_request(reader)
    parts = urlsplit(request.target)
    return SearchRequest(
        method=request.method,
        path=parts.path,
        query={name: values[0] for name, values in parse_qs(parts.query).items()},
        headers=request.headers,
        body=json.loads(request.raw) if request.raw else {},
    )
