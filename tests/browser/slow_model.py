"""A model on loopback that writes its answer slowly, so that one can watch."""

import asyncio
import json
from types import TracebackType
from typing import Self


class SlowModel:
    """Speaks the OpenAI protocol: streams `words` one by one, `pause_seconds` apart, in answer to anything."""

    def __init__(self, words: list[str], pause_seconds: float) -> None:
        self._words = words
        self._pause_seconds = pause_seconds
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def base_url(self) -> str:
        """Where a client finds it."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = next((line for line in head.split("\r\n") if line.startswith("content-length:")), ":0")
                body = await reader.readexactly(int(length.partition(":")[2]))
                await self._answer(writer, is_question=bool(body))
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client hung up, or the test is over
        finally:
            writer.close()

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
