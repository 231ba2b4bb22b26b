"""HTTP on a free port of this machine, by hand: for servers that must misbehave as no framework lets them."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from msgspec import Struct


class Request(Struct, frozen=True, kw_only=True):
    """A request as it arrived. Header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    raw: bytes


class LoopbackServer(ABC):
    """Converses with whoever connects for as long as the context lasts; connections that are open then are cut."""

    def __init__(self) -> None:
        self._conversations: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Return where clients find it."""
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
        """Deal with one connection, which is closed afterwards."""

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
        IncompleteReadError: the client hung up.
    """
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    method, target, _ = first.split(" ")
    return Request(method=method, target=target, headers=headers, raw=raw)
