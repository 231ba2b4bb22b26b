"""An OpenAI-compatible server on loopback that plays scripted answers, streamed or whole as it is asked.

async with OpenAIServer([call("reminder_list"), say("You have none.")]) as server:
    model = OpenAIModel("any", base_url=server.base_url)
"""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from bot.testing.openai_answers import Answer, status


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedRequest:
    """A request as it arrived. Header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, object]:
        """The parsed body."""
        parsed: dict[str, object] = json.loads(self.raw)
        return parsed


class OpenAIServer:
    """Plays `script` in order and records every request.

    Asked once too often it answers with status 400, which no client tries again, and `overruns` counts it.
    `connections` counts the connections that clients made.
    """

    def __init__(self, script: Iterable[Answer] = ()) -> None:
        self.script = list(script)
        self.requests: list[RecordedRequest] = []
        self.overruns = 0
        self.connections = 0
        self._arrived = asyncio.Condition()
        self._serving: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def base_url(self) -> str:
        """Where clients find it, ending in `/v1`."""
        if self._server is None:
            raise RuntimeError("the server runs only inside `async with`")
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        for connection in self._serving:
            connection.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def received(self, count: int) -> None:
        """Wait until `count` requests have arrived."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        connection = asyncio.current_task()
        if connection is not None:
            self._serving.add(connection)
            connection.add_done_callback(self._serving.discard)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client hung up, or the test is over
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False when the connection is to be closed."""
        request = await _read_request(reader)
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


async def _read_request(reader: asyncio.StreamReader) -> RecordedRequest:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return RecordedRequest(path=first.split(" ")[1], headers=headers, raw=raw)
