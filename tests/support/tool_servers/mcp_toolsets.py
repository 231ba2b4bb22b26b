"""Connections of toolsets and clients to MCP servers, for the time of a test."""

import asyncio
from contextlib import asynccontextmanager

from mcp.client._memory import InMemoryTransport

_SETTLING = 0.01
"""Seconds for reading sent messages: Python warns of a handler that the SDK drops before it begins."""


def in_process(server):
    """Return a `connect` function of toolsets that connects to a server in this process."""

    @asynccontextmanager
    async def connect(settings, ended):
        async with InMemoryTransport(server) as streams:
            yield streams

    return connect


@asynccontextmanager
async def running(toolset):
    """Run a toolset within the context, and wait for its first attempt to connect."""
    task = asyncio.create_task(toolset.run())
    await toolset.first_try.wait()
    try:
        yield toolset
        await asyncio.sleep(_SETTLING)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def settled(client):
    """Connect a client of the SDK within the context, and disconnect it once its messages are read."""
    async with client as connected:
        yield connected
        await asyncio.sleep(_SETTLING)
