"""The W3C trace context of MCP calls, out to a server and in from a client."""

import pytest
from mcp import Client
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from opentelemetry import trace

from bot.http.mcp.server import McpTools
from bot.testing.turns import make_context
from bot.tools.servers.mcp.servers import McpServer
from bot.tools.servers.mcp.toolset import McpToolset
from function_calls.tools.permission import Viewer
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from tests.support.http_bot import http_bot
from tests.support.tool_servers.mcp_toolsets import in_process, running

sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="needs the extra telemetry")
TRACE, PARENT = "a" * 32, "b" * 16
ANN = Viewer(person=Person(id="ann", name="Ann"), chat=ChatAddress(platform="web", chat_id="lobby"))


async def test_call_of_a_server_carries_the_trace_of_the_message():
    server = MCPServer("demo")

    @server.tool()
    def get_meta(ctx: Context) -> str:
        """Return what came with the call."""
        return ctx.request_context.meta["traceparent"]

    async with running(McpToolset(McpServer(name="demo", command="unused"), connect=in_process(server))) as toolset:
        with sdk.TracerProvider().get_tracer("test").start_as_current_span("message") as span:
            result = await toolset.call("get_meta", {}, make_context())

    assert trace.format_trace_id(span.get_span_context().trace_id) in str(result.value)


async def test_call_of_a_client_makes_spans_of_its_trace():
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from bot.observability.telemetry.instruments import Instruments
    from bot.observability.telemetry.telemetry import Telemetry

    exporter, provider = InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    async with http_bot() as bot:
        Telemetry(Instruments(provider, MeterProvider())).listen(bot.app.calls.events)
        server = McpTools(bot.app, SystemClock(), lambda _: ANN).server()
        async with Client(server) as client:
            await client.call_tool("reminder_list", {}, meta={"traceparent": f"00-{TRACE}-{PARENT}-01"})

    [span] = exporter.get_finished_spans()
    assert span.name == "execute_tool reminder_list"
    assert trace.format_trace_id(span.get_span_context().trace_id) == TRACE
    assert trace.format_span_id(span.parent.span_id) == PARENT
