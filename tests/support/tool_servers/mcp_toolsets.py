"""Toolsets and clients of MCP servers that are connected for the time of a test."""

import asyncio
from contextlib import asynccontextmanager

from mcp.client._memory import InMemoryTransport

_SETTLING = 0.01
"""Seconds in which messages that were sent are taken: Python warns of a handler that the SDK drops before it begins."""


def in_process(server):
    """Return a `connect` of toolsets that leads to a server in this process, whatever their settings name."""

    @asynccontextmanager
    async def connect(settings, ended):
        async with InMemoryTransport(server) as streams:
            yield streams

    return connect


@asynccontextmanager
async def running(toolset):
    """Run a toolset, once it has tried to connect, for as long as the context lasts."""
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
    """Connect a client of the SDK, and disconnect it once messages that were sent have been taken."""
    async with client as connected:
        yield connected
        await asyncio.sleep(_SETTLING)
