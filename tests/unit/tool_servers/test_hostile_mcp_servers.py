"""Hostile MCP servers: endless lists, odd names, recursive schemas, orders, access to secrets."""

import json
import sys
from contextlib import AsyncExitStack

import pytest
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.types import HEADER_MISMATCH, CallToolResult, ListToolsResult, TextContent, Tool

from bot.tools.servers.mcp.servers import McpServer
from bot.tools.servers.mcp.toolset import McpToolset
from services.kernel.errors import ToolFailed
from tests.support.tool_servers.mcp_toolsets import in_process, running

EMPTY = {"type": "object", "properties": {}}
PRINTS_ITS_ENVIRONMENT = (
    "import json, os, sys\n"
    "for line in sys.stdin:\n"
    "    asked = json.loads(line)\n"
    "    if asked.get('method') == 'initialize':\n"
    "        version = asked['params']['protocolVersion']\n"
    "        about = {'name': 's', 'version': '1'}\n"
    "        told = {'protocolVersion': version, 'capabilities': {'tools': {}}, 'serverInfo': about}\n"
    "    elif asked.get('method') == 'tools/list':\n"
    "        told = {'tools': [{'name': 'get_all', 'inputSchema': {'type': 'object'}}]}\n"
    "    elif asked.get('method') == 'tools/call':\n"
    "        told = {'content': [{'type': 'text', 'text': json.dumps(dict(os.environ))}]}\n"
    "    elif 'id' in asked:\n"
    "        answer = {'jsonrpc': '2.0', 'id': asked['id'], 'error': {'code': -32601, 'message': 'unknown'}}\n"
    "        print(json.dumps(answer), flush=True)\n"
    "        continue\n"
    "    else:\n"
    "        continue\n"
    "    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': told}), flush=True)\n"
)


def server_of(*tools, answer="", structured=None, pages=None):
    """Return a server that lists these tools on every page and answers every call with a text."""

    async def list_tools(ctx, params):
        return ListToolsResult(tools=list(tools), next_cursor=pages and str(next(pages)))

    async def call_tool(ctx, params):
        return CallToolResult(content=[TextContent(text=answer)], structured_content=structured)

    return Server("hostile", on_list_tools=list_tools, on_call_tool=call_tool)


@pytest.fixture
async def connect_toolset():
    """Yield a function that connects a toolset to a server in this process or by its settings."""
    async with AsyncExitStack() as toolsets:

        async def make(server=None, **settings):
            if server is not None:
                toolset = McpToolset(McpServer(name="hostile", command="unused"), connect=in_process(server))
            else:
                toolset = McpToolset(McpServer(name="hostile", **settings))
            await toolsets.enter_async_context(running(toolset))
            assert toolset.health.is_ok, toolset.health.detail
            return toolset

        yield make


async def test_endless_list_of_tools_is_truncated(connect_toolset, viewer):
    many = [Tool(name=f"get_{place}", input_schema=EMPTY) for place in range(100)]
    endless = iter(range(1_000_000))

    toolset = await connect_toolset(server_of(*many, pages=endless))

    assert len(await toolset.list_specs(viewer)) == 500


async def test_names_with_control_characters_become_plain_ones(connect_toolset, viewer):
    toolset = await connect_toolset(server_of(Tool(name="get\x00all\u202e\n; rm", input_schema=EMPTY)))

    assert [spec.name for spec in await toolset.list_specs(viewer)] == ["get_all_rm"]


async def test_a_schema_that_repeats_itself_exponentially_is_cut_to_size(connect_toolset, viewer):
    schema = {"type": "object", "$defs": {"n0": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/n25"}}}
    for level in range(1, 26):
        part = {"$ref": f"#/$defs/n{level - 1}"}
        schema["$defs"][f"n{level}"] = {"type": "object", "properties": dict.fromkeys("abcd", part)}

    toolset = await connect_toolset(server_of(Tool(name="get_all", input_schema=schema)))

    assert all(len(json.dumps(spec.parameters)) <= 20_000 for spec in await toolset.list_specs(viewer))


async def test_tool_with_an_invalid_schema_does_not_drop_the_others(connect_toolset, viewer):
    broken = Tool(name="get_broken", input_schema={"type": "object", "properties": {"a": {"pattern": "([", "type": 7}}})

    toolset = await connect_toolset(server_of(broken, Tool(name="get_all", input_schema=EMPTY)))

    assert "get_all" in [spec.name for spec in await toolset.list_specs(viewer)]


async def test_an_answer_of_megabytes_is_cut(connect_toolset, context):
    toolset = await connect_toolset(server_of(Tool(name="get_all", input_schema=EMPTY), answer="x" * 3_000_000))

    result = await toolset.call("get_all", {}, context)

    assert len(result.value["text"]) == 16_000
    assert "cut off" in result.value["note"]


async def test_structured_content_that_does_not_fit_the_output_schema_is_a_failed_call(connect_toolset, context):
    declared = {"type": "object", "properties": {"degrees": {"type": "integer"}}}
    tool = Tool(name="get_weather", input_schema=EMPTY, output_schema=declared)
    toolset = await connect_toolset(server_of(tool, structured={"degrees": "warm"}))

    with pytest.raises(ToolFailed, match="get_weather"):
        await toolset.call("get_weather", {}, context)


@pytest.mark.parametrize("content", ["[{'type': 'moon'}]", "None"])
async def test_result_that_is_not_valid_mcp_is_a_failed_call(connect_toolset, context, content):
    script = PRINTS_ITS_ENVIRONMENT.replace("[{'type': 'text', 'text': json.dumps(dict(os.environ))}]", content)
    toolset = await connect_toolset(command=sys.executable, args=("-c", script))

    with pytest.raises(ToolFailed, match=r"hostile: an answer is not valid MCP: content"):
        await toolset.call("get_all", {}, context)


async def test_a_list_that_is_not_valid_mcp_is_reported_in_one_line():
    script = PRINTS_ITS_ENVIRONMENT.replace("[{'name': 'get_all', 'inputSchema': {'type': 'object'}}]", "[None, 5]")
    toolset = McpToolset(McpServer(name="hostile", command=sys.executable, args=("-c", script)))
    async with running(toolset):
        assert toolset.health.detail.startswith("an answer is not valid MCP: tools.0: ")
        assert "\n" not in toolset.health.detail


async def test_call_is_sent_again_once_when_the_headers_of_a_schema_have_changed(connect_toolset, context):
    calls = []

    async def list_tools(ctx, params):
        return ListToolsResult(tools=[Tool(name="get_all", input_schema=EMPTY)])

    async def call_tool(ctx, params):
        calls.append(params.name)
        if len(calls) == 1:
            raise MCPError(HEADER_MISMATCH, "the headers do not fit")
        return CallToolResult(content=[TextContent(text="all")])

    toolset = await connect_toolset(Server("moving", on_list_tools=list_tools, on_call_tool=call_tool))

    assert (await toolset.call("get_all", {}, context)).value == "all"
    assert len(calls) == 2


async def test_a_server_over_stdio_sees_no_secrets_of_our_environment(connect_toolset, context, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    env = {"OWN": "its own"}

    toolset = await connect_toolset(command=sys.executable, args=("-c", PRINTS_ITS_ENVIRONMENT), env=env)
    result = await toolset.call("get_all", {}, context)

    assert "its own" in str(result.value)
    assert "sk-very-secret" not in str(result.value)
