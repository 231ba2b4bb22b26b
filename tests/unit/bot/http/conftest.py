"""Clients of bots over HTTP, in the process or served on this machine."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
import pytest
import pytest_asyncio

from bot.http.app import build_guarded_app
from bot.http.rooms.events import follow_bot
from tests.support.http_bot import http_bot, served_bot


@asynccontextmanager
async def asked(**circumstances) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of a bot in the process."""
    async with http_bot(**circumstances) as context:
        transport = httpx.ASGITransport(app=build_guarded_app(context), raise_app_exceptions=False)
        with follow_bot(context):
            headers = {"Accept": "application/json"}  # else a message is answered with a stream of events
            async with httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1:8765", headers=headers
            ) as client:
                client.context = context
                yield client


@pytest.fixture
async def served_api_of():
    """Yield a function that serves a bot on a free port and returns its client."""
    async with AsyncExitStack() as stack:

        async def make(**circumstances):
            address, context = await stack.enter_async_context(served_bot(**circumstances))
            headers = {"Accept": "application/json"}
            client = await stack.enter_async_context(httpx.AsyncClient(base_url=address, timeout=30, headers=headers))
            client.context = context
            return client

        yield make


@pytest.fixture
async def api():
    """Return a client of an offline bot."""
    async with asked() as client:
        yield client


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def document():
    """Return the OpenAPI document, which is the same for every bot."""
    async with asked() as client:
        return (await client.get("/api/openapi.json")).json()


@pytest.fixture
async def api_of():
    """Yield a function that returns a client of a bot with the given options."""
    async with AsyncExitStack() as stack:

        async def make(**circumstances):
            return await stack.enter_async_context(asked(**circumstances))

        yield make
