"""Open the transport of an MCP server: a process over stdio, or streamable HTTP."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

import httpx2
from mcp import StdioServerParameters, stdio_client
from mcp.client._transport import ReadStream, TransportStreams
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from bot.tools.servers.mcp.oauth import TokenFile, oauth_provider
from bot.tools.servers.mcp.servers import McpServer


class MonitoredStream:
    """A stream of incoming messages that sets `ended` at its end, such as the end of the process of a stdio server."""

    def __init__(self, inner: ReadStream[SessionMessage | Exception], ended: asyncio.Event) -> None:
        self._inner = inner
        self._ended = ended

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        return await self._watch(self._inner.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return await self._watch(self._inner.__anext__())

    async def _watch(self, message: Awaitable[SessionMessage | Exception]) -> SessionMessage | Exception:
        try:
            return await message
        except BaseException:
            self._ended.set()
            raise

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, trace)


def _null_device() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


@asynccontextmanager
async def open_transport(server: McpServer, ended: asyncio.Event) -> AsyncIterator[TransportStreams]:
    """Open a connection to `server`; `ended` is set at the end of its messages.

    A process inherits neither the environment nor the standard error of the bot; its environment has the variables of
    its entry, and PATH.
    """
    async with AsyncExitStack() as resources:
        if server.command:
            errors = resources.enter_context(_null_device())
            parameters = StdioServerParameters(
                command=server.command,
                args=list(server.args),
                env={name: value.get_secret_value() for name, value in server.env.items()},
                cwd=server.cwd,
            )
            streams = await resources.enter_async_context(stdio_client(parameters, errlog=errors))
        else:
            auth = None
            if server.oauth is not None:
                auth = oauth_provider(server, server.oauth, TokenFile(server.token_file))
            client = await resources.enter_async_context(
                httpx2.AsyncClient(
                    headers=server.sent_headers, auth=auth, trust_env=False, timeout=server.request_seconds
                )
            )
            streams = await resources.enter_async_context(streamable_http_client(server.url, http_client=client))
        read, write = streams
        yield MonitoredStream(read, ended), write
