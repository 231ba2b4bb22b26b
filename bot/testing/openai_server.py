"""An OpenAI-compatible server on loopback that plays scripted answers, streamed or whole as it is asked.

async with OpenAIServer([call("reminder_list"), say("You have none.")]) as server:
    model = OpenAIModel("any", base_url=server.base_url)
"""

import asyncio
import json
from collections.abc import Iterable, Mapping

from msgspec import Struct

from bot.testing.loopback import LoopbackServer, read_request
from bot.testing.openai_answers import Answer, status


class RecordedRequest(Struct, frozen=True, kw_only=True):
    """A request as it arrived. Header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, object]:
        """The parsed body."""
        parsed: dict[str, object] = json.loads(self.raw)
        return parsed


class OpenAIServer(LoopbackServer):
    """Plays `script` in order and records every request.

    Asked once too often it answers with status 400, which no client tries again, and `overruns` counts it.
    `connections` counts the connections that clients made.
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
        """Return where clients find it, ending in `/v1`."""
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
        """Answer one request; False when the connection is to be closed."""
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
