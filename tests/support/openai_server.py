"""An OpenAI-compatible server on loopback with scripted answers, streamed or whole as requested.

async with OpenAIServer([call("reminder_list"), say("You have none.")]) as server:
    model = OpenAIModel("any", base_url=server.base_url)
"""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from itertools import count
from types import TracebackType
from typing import Protocol, Self

from msgspec import Struct, field

_USAGE = {
    "prompt_tokens": 120,
    "completion_tokens": 7,
    "total_tokens": 127,
    "prompt_tokens_details": {"cached_tokens": 64},
}
_PIECE = 5  # characters of text or arguments in one streamed delta, more where a text is very long
_MAX_PIECES = 1000


class Request(Struct, frozen=True, kw_only=True):
    """A request as it arrived. Header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    raw: bytes


class LoopbackServer(ABC):
    """A server that accepts connections within the context, and cuts open ones at its end."""

    def __init__(self) -> None:
        self._conversations: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Return the address for clients."""
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
        for each in self._conversations:
            each.cancel()
        await asyncio.gather(*self._conversations, return_exceptions=True)

    @abstractmethod
    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection, which is closed afterwards."""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversation = asyncio.current_task()
        if conversation is not None:
            self._conversations.add(conversation)
            conversation.add_done_callback(self._conversations.discard)
        try:
            await self.converse(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client hung up, or the test is over
        finally:
            writer.close()


async def read_request(reader: asyncio.StreamReader) -> Request:
    """Return the next request of a connection.

    Raises:
        IncompleteReadError: the client closed the connection.
    """
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    method, target, _ = first.split(" ")
    return Request(method=method, target=target, headers=headers, raw=raw)


class Answer(Protocol):
    """One entry of the script."""

    async def play(self, writer: asyncio.StreamWriter, *, is_streamed: bool) -> bool:
        """Write the answer; return False to close the connection."""
        ...


class Chat(Struct, frozen=True, kw_only=True):
    """A valid answer. `calls` are (name, arguments as the model writes them)."""

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    finish_reason: str = ""
    is_cut: bool = False

    async def play(self, writer: asyncio.StreamWriter, *, is_streamed: bool) -> bool:
        """Write the answer whole or as events; a cut one ends in the middle."""
        if is_streamed:
            return await self._stream(writer)
        body = json.dumps(self._body()).encode()
        writer.write(_head(200, "application/json", f"Content-Length: {len(body)}"))
        writer.write(body[: len(body) // 2] if self.is_cut else body)
        await writer.drain()
        return not self.is_cut

    @property
    def reason(self) -> str:
        """Return the given finish reason, or that of the answer."""
        return self.finish_reason or ("tool_calls" if self.calls else "stop")

    def _body(self) -> dict[str, object]:
        message: dict[str, object] = {"role": "assistant", "content": self.text or None}
        if self.calls:
            message["tool_calls"] = [_call(name, text) for name, text in self.calls]
        choice = {"index": 0, "message": message, "finish_reason": self.reason}
        return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, **_MODEL} | {
            "choices": [choice],
            "usage": _USAGE,
        }

    async def _stream(self, writer: asyncio.StreamWriter) -> bool:
        deltas = self._deltas()
        writer.write(_head(200, "text/event-stream", "Transfer-Encoding: chunked"))
        for delta in deltas[: len(deltas) // 2 + 1] if self.is_cut else deltas:
            _write_event(writer, {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        if not self.is_cut:
            _write_event(writer, {"choices": [{"index": 0, "delta": {}, "finish_reason": self.reason}]})
            _write_event(writer, {"choices": [], "usage": _USAGE})
            _write_chunk(writer, b"data: [DONE]\n\n")
        _write_chunk(writer, b"")  # a polite end of the body: only the missing finish_reason tells a cut answer
        await writer.drain()
        return True

    def _deltas(self) -> list[dict[str, object]]:
        deltas: list[dict[str, object]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for piece in _pieces(self.text)]
        for place, (name, text) in enumerate(self.calls):
            opening = _call(name, "")
            deltas.append({"tool_calls": [{"index": place, **opening}]})
            deltas += [{"tool_calls": [{"index": place, "function": {"arguments": piece}}]} for piece in _pieces(text)]
        return deltas


class Raw(Struct, frozen=True, kw_only=True):
    """Any status and body, such as an error."""

    code: int
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    async def play(self, writer: asyncio.StreamWriter, *, is_streamed: bool) -> bool:
        """Write it unchanged."""
        more = [f"{name}: {value}" for name, value in self.headers.items()]
        writer.write(_head(self.code, self.content_type, f"Content-Length: {len(self.body)}", *more))
        writer.write(self.body)
        await writer.drain()
        return True


class Hang(Struct, frozen=True, kw_only=True):
    """An answer that never comes."""

    async def play(self, writer: asyncio.StreamWriter, *, is_streamed: bool) -> bool:
        """Wait until the client closes the connection or the server ends."""
        await asyncio.Event().wait()
        return False


class HangUp(Struct, frozen=True, kw_only=True):
    """A closed connection instead of an answer."""

    async def play(self, writer: asyncio.StreamWriter, *, is_streamed: bool) -> bool:
        """Close at once."""
        writer.close()
        return False


def say(text: str, *, finish_reason: str = "stop") -> Chat:
    """Return an answer with a text."""
    return Chat(text=text, finish_reason=finish_reason)


def call(name: str, arguments: Mapping[str, object] | str | None = None, *, text: str = "") -> Chat:
    """Return an answer that calls one tool; arguments given as text are sent unchanged."""
    return calls((name, arguments), text=text)


def calls(*wanted: tuple[str, Mapping[str, object] | str | None], text: str = "") -> Chat:
    """Return an answer that calls several tools at once."""
    return Chat(text=text, calls=tuple((name, _as_text(arguments)) for name, arguments in wanted))


def status(code: int, message: str = "scripted failure", *, retry_after: float | None = None) -> Raw:
    """Return an HTTP error in the API's form."""
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    return Raw(
        code=code, body=json.dumps({"error": {"message": message, "type": "scripted"}}).encode(), headers=headers
    )


def cut(text: str) -> Chat:
    """Return an answer with a text that ends in the middle."""
    return Chat(text=text, is_cut=True)


def garbage() -> Raw:
    """Return status 200 and an HTML page instead of an answer."""
    return Raw(code=200, body=b"<html>captive portal</html>", content_type="text/html")


_MODEL: Mapping[str, object] = {"model": "scripted"}
_NUMBERS = count()


def _as_text(arguments: Mapping[str, object] | str | None) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments or {}, ensure_ascii=False)


def _call(name: str, arguments: str) -> dict[str, object]:
    """Return a call with an id, in the form of servers."""
    return {"id": f"call_{next(_NUMBERS)}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _pieces(text: str) -> list[str]:
    size = max(_PIECE, len(text) // _MAX_PIECES)
    return [text[start : start + size] for start in range(0, len(text), size)]


def _head(code: int, content_type: str, *more: str) -> bytes:
    lines = [f"HTTP/1.1 {code} Scripted", f"Content-Type: {content_type}", *more]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _write_event(writer: asyncio.StreamWriter, content: Mapping[str, object]) -> None:
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, **_MODEL, **content}
    _write_chunk(writer, b"data: " + json.dumps(chunk).encode() + b"\n\n")


def _write_chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(data), data))


class RecordedRequest(Struct, frozen=True, kw_only=True):
    """A request as it arrived. Header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, object]:
        """Return the parsed body."""
        parsed: dict[str, object] = json.loads(self.raw)
        return parsed


class OpenAIServer(LoopbackServer):
    """A server that answers with `script` in order and records every request.

    Requests after the script are answered with status 400, which clients do not retry, and counted in `overruns`.
    `connections` counts the connections of clients.
    """

    def __init__(self, script: Iterable[Answer] = ()) -> None:
        super().__init__()
        self.script = list(script)
        self.requests: list[RecordedRequest] = []
        self.overruns = 0
        self.connections = 0
        self._arrived = asyncio.Condition()

    @property
    def base_url(self) -> str:
        """Return the address for clients, which ends in `/v1`."""
        return f"{self.url}/v1"

    async def received(self, count: int) -> None:
        """Wait until `count` requests have arrived."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        self.connections += 1
        while await self._exchange(reader, writer):
            pass

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return False if the connection is to be closed."""
        found = await read_request(reader)
        request = RecordedRequest(path=found.target, headers=found.headers, raw=found.raw)
        async with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
        answer = self._next()
        is_streamed = bool(request.body.get("stream")) if request.raw else False
        return await answer.play(writer, is_streamed=is_streamed)

    def _next(self) -> Answer:
        if self.script:
            return self.script.pop(0)
        self.overruns += 1
        return status(400, "the script has no more answers")
