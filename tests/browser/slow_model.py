"""A model server on loopback that streams its answer slowly."""

import asyncio
import json

from tests.support.openai_server import LoopbackServer, read_request


class SlowModel(LoopbackServer):
    """A server of the OpenAI protocol that answers every request with `words`, `pause_seconds` apart."""

    def __init__(self, words: list[str], pause_seconds: float) -> None:
        super().__init__()
        self._words = words
        self._pause_seconds = pause_seconds

    @property
    def base_url(self) -> str:
        """Return the base URL for clients."""
        return f"{self.url}/v1"

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        while True:
            request = await read_request(reader)
            await self._answer(writer, is_question=bool(request.raw))

    async def _answer(self, writer: asyncio.StreamWriter, *, is_question: bool) -> None:
        if not is_question:
            body = b'{"object":"list","data":[]}'
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for word in self._words:
            await _event(writer, {"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]})
            await asyncio.sleep(self._pause_seconds)
        await _event(writer, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        await _chunk(writer, b"data: [DONE]\n\n")
        await _chunk(writer, b"")


async def _event(writer: asyncio.StreamWriter, event: dict[str, object]) -> None:
    body = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "slow", **event}
    await _chunk(writer, b"data: " + json.dumps(body).encode() + b"\n\n")


async def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()
