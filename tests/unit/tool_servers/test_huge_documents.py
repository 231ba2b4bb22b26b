"""A document of 50 MB from a tool server, over a real connection."""

import asyncio
from contextlib import asynccontextmanager, suppress

import pytest

from bot.tools.servers.connections import ToolServerConnection
from bot.tools.servers.openapi_toolset import OpenApiToolset, ResponseLimits
from bot.tools.servers.origin_client import OriginClient
from bot.tools.servers.responses import ServerUnavailable

MEGABYTE = 1_000_000
SIZE = 50 * MEGABYTE
BUFFERS = 10 * MEGABYTE  # what the two ends of a connection may hold between them
PIECE = b'{"openapi": "3.1.0", "info": {"description": "' + b"x" * 65_536


class Pouring:
    """Sends pieces of a document until 50 MB have gone out or the other side hangs up. `taken` are bytes."""

    def __init__(self, *, is_announced):
        self.taken = 0
        self._is_announced = is_announced
        self._is_over = asyncio.Event()

    @asynccontextmanager
    async def serve(self):
        server = await asyncio.start_server(self._pour, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/openapi.json"
            await self._is_over.wait()
        finally:
            server.close()

    async def _pour(self, reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        length = f"Content-Length: {SIZE}" if self._is_announced else "Connection: close"
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{length}\r\n\r\n".encode())
        with suppress(ConnectionError):
            while self.taken < SIZE:
                writer.write(PIECE)
                await writer.drain()
                self.taken += len(PIECE)
        writer.close()
        self._is_over.set()


@pytest.mark.parametrize("is_announced", [True, False], ids=["announced", "unannounced"])
async def test_a_document_of_50_megabytes_is_refused_without_being_read_whole(is_announced, viewer):
    pouring = Pouring(is_announced=is_announced)

    async with pouring.serve() as url, OriginClient(url, timeout_seconds=5) as client:
        limits = ResponseLimits(document=MEGABYTE, response=1000)
        toolset = OpenApiToolset(ToolServerConnection(url=url), client, limits=limits)
        with pytest.raises(ServerUnavailable, match="larger than 1 MB"):
            await toolset.refresh()

    assert pouring.taken < MEGABYTE + BUFFERS
    assert await toolset.list_specs(viewer) == ()
