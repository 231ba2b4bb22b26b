"""Contexts and toolsets for tests of tool servers."""

from datetime import UTC, datetime

import httpx
import pytest
from msgspec.structs import replace

from bot.testing.clocks import FixedClock
from bot.testing.turns import make_context
from bot.tools.servers.connections import ToolServerConnection
from bot.tools.servers.openapi_toolset import OpenApiToolset
from bot.tools.servers.origin_client import OriginClient
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.permission import Viewer
from function_calls.tools.policy import CallPolicy
from services.kernel.state import MemoryStateStore

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
URL = "http://tools.test"


@pytest.fixture
def clock():
    return FixedClock(NOON)


@pytest.fixture
def context(clock):
    return make_context(clock=clock, policy=CallPolicy.create(MemoryStateStore(clock), clock))


@pytest.fixture
def approve(context):
    """Return a function that makes the context of a call approved by the person."""

    def approve(name, arguments):
        return replace(context, approved=ToolCall(id="yes", name=name, arguments=arguments))

    return approve


@pytest.fixture
def dispatch():
    """Return a function that runs a call of an external tool through a router."""

    async def run(toolset, name, arguments, context):
        router = FunctionCallRouter(Registry(), external_tools=toolset)
        return await router.dispatch(ToolCall(id="1", name=name, arguments=arguments), context)

    return run


@pytest.fixture
def viewer(context):
    return Viewer.of(context.message)


@pytest.fixture
async def toolset_of():
    """Yield a function that makes a toolset for an application or a request handler, with options of a connection."""
    exchanges = []

    async def make(served, *, limits=None, url=URL, **connection):
        transport = httpx.MockTransport(served) if not hasattr(served, "router") else httpx.ASGITransport(served)
        client = OriginClient(url, timeout_seconds=5, transport=transport)
        exchanges.append(client)
        return OpenApiToolset(ToolServerConnection(url=url, **connection), client, limits=limits, first_pause=0.001)

    yield make
    for client in exchanges:
        async with client:
            pass
