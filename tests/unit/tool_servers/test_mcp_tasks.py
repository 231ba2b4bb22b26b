"""Calls that a server runs as tasks (extension io.modelcontextprotocol/tasks, revision 2026-07-28)."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ListToolsResult,
    Tool,
)
from msgspec.structs import replace
from pydantic import SecretStr

from bot.tools.servers.mcp.servers import McpServer
from bot.tools.servers.mcp.task_messages import (
    ACKNOWLEDGED,
    EXTENSION,
    CreateTaskResult,
    GetTaskResult,
    TaskParams,
    UpdateTaskParams,
)
from bot.tools.servers.mcp.toolset import McpToolset
from bot.tools.servers.responses import ServerUnavailable
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.confirmation.forms import next_question, with_answer
from services.kernel.errors import ToolFailed
from tests.support.tool_servers.mcp_toolsets import in_process, running

WHEN = "2026-11-20T12:00:00Z"
SIZE = {"type": "object", "properties": {"size": {"type": "string"}}, "required": ["size"]}
PIN = {"type": "object", "properties": {"pin": {"type": "string"}}, "required": ["pin"]}
GRAMS = {"type": "object", "properties": {"grams": {"type": "integer"}}, "required": ["grams"]}


def ask_field(key, schema):
    """Return a task that waits for a field of the person."""
    request = ElicitRequest(params=ElicitRequestFormParams(message="Which?", requested_schema=schema))
    return {"status": "input_required", "input_requests": {key: request}}


def complete_with(**content):
    """Return a task with its result."""
    result = {"content": [{"type": "text", "text": "done"}], "structuredContent": content}
    return {"status": "completed", "result": result}


class Bakery:
    """A server whose only tool is a task that passes through `states`, the last of them for ever."""

    def __init__(self, *states):
        self.states = list(states)
        self.polls = 0
        self.answers = []
        self.cancelled = []
        self.capabilities = []
        self.server = Server("bakery", on_list_tools=self._list)
        self.server.extensions[EXTENSION] = {}
        self.server.add_request_handler("tools/call", CallToolRequestParams, self._call)
        self.server.add_request_handler("tasks/get", TaskParams, self._get)
        self.server.add_request_handler("tasks/update", UpdateTaskParams, self._update)
        self.server.add_request_handler("tasks/cancel", TaskParams, self._cancel)

    async def _list(self, ctx, params):
        return ListToolsResult(tools=[Tool(name="get_bread", input_schema={"type": "object"}, output_schema=GRAMS)])

    async def _call(self, ctx, params):
        self.capabilities.append(ctx.session.client_capabilities.extensions)
        return CreateTaskResult(status="working", poll_interval_ms=1, **self._times())

    async def _get(self, ctx, params):
        self.polls += 1
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        if isinstance(state, Exception):
            raise state
        return GetTaskResult(**({"poll_interval_ms": 1} | state | self._times()))

    async def _update(self, ctx, params):
        self.answers.append({key: (each.action, each.content) for key, each in params.input_responses.items()})
        return ACKNOWLEDGED

    async def _cancel(self, ctx, params):
        self.cancelled.append(params.task_id)
        return ACKNOWLEDGED

    def _times(self):
        return {"task_id": "t1", "created_at": WHEN, "last_updated_at": WHEN, "ttl_ms": None}


@pytest.fixture
async def connect_toolset():
    """Yield a function that connects a toolset to a bakery."""
    async with AsyncExitStack() as toolsets:

        async def make(bakery, **settings):
            server = McpServer(name="bakery", command="unused", **settings)
            toolset = McpToolset(server, connect=in_process(bakery.server), first_pause=0.01)
            return await toolsets.enter_async_context(running(toolset))

        yield make


async def test_task_is_polled_until_its_result(connect_toolset, context):
    bakery = Bakery({"status": "working"}, {"status": "working"}, complete_with(grams=500))

    result = await (await connect_toolset(bakery)).call("get_bread", {}, context)

    assert (result.value, bakery.polls) == ({"grams": 500}, 3)
    assert bakery.capabilities == [{EXTENSION: {}}]


async def test_each_new_message_of_a_task_is_shown_once(connect_toolset, context):
    kneading, baking = ({"status": "working", "status_message": text} for text in ("kneading", "baking"))
    messages = []

    async def progress(text):
        messages.append(text)

    toolset = await connect_toolset(Bakery(kneading, kneading, baking, complete_with(grams=500)))
    await toolset.call("get_bread", {}, replace(context, progress=progress))

    assert messages == ["kneading", "baking"]


async def test_result_that_does_not_fit_the_output_schema_is_a_failed_call(connect_toolset, context):
    toolset = await connect_toolset(Bakery(complete_with(grams="many")))

    with pytest.raises(ToolFailed, match="get_bread"):
        await toolset.call("get_bread", {}, context)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ({"status": "failed", "error": {"code": -32603, "message": "the oven is cold"}}, "failed: the oven is cold"),
        ({"status": "cancelled", "status_message": "closing time"}, "was cancelled by its server: closing time"),
        ({"status": "cancelled"}, "no reason given"),
        ({"status": "completed"}, "failed"),
    ],
)
async def test_task_without_a_result_is_a_failed_call_with_its_reason(connect_toolset, context, state, reason):
    toolset = await connect_toolset(Bakery(state))

    with pytest.raises(ToolFailed, match=reason):
        await toolset.call("get_bread", {}, context)


async def test_secret_in_the_message_of_a_task_is_masked(connect_toolset, context):
    state = {"status": "failed", "error": {"code": 1, "message": "the key sk-very-secret is wrong"}}
    toolset = await connect_toolset(Bakery(state), env={"KEY": SecretStr("sk-very-secret")})

    with pytest.raises(ToolFailed) as failed:
        await toolset.call("get_bread", {}, context)
    assert "sk-very-secret" not in str(failed.value)


async def test_unknown_task_is_a_failed_call_at_once(connect_toolset, context):
    bakery = Bakery(MCPError(INVALID_PARAMS, "there is no such task"))

    with pytest.raises(ServerUnavailable, match="no such task"):
        await (await connect_toolset(bakery)).call("get_bread", {}, context)
    assert bakery.polls == 1


async def test_broken_poll_is_tried_again(connect_toolset, context):
    bakery = Bakery(MCPError(-32603, "restarting"), complete_with(grams=500))

    result = await (await connect_toolset(bakery)).call("get_bread", {}, context)

    assert result.value == {"grams": 500}


async def test_timeout_cancels_the_task_on_the_server(connect_toolset, context):
    bakery = Bakery({"status": "working"})
    router = FunctionCallRouter(Registry(), external_tools=await connect_toolset(bakery, timeout_seconds=0.1))

    result = await router.dispatch(ToolCall(id="c1", name="get_bread", arguments={}), context)

    assert result.failure == "timeout"
    assert bakery.cancelled == ["t1"]


async def test_task_may_take_as_long_as_its_server_may(connect_toolset, context):
    bakery = Bakery(*[{"status": "working", "poll_interval_ms": 60}] * 3, complete_with(grams=500))
    toolset = await connect_toolset(bakery, timeout_seconds=5)
    router = FunctionCallRouter(Registry(), external_tools=toolset, default_timeout=0.1)

    result = await router.dispatch(ToolCall(id="c1", name="get_bread", arguments={}), context)

    assert result.ok


async def test_stopped_call_cancels_the_task_on_the_server(connect_toolset, context):
    bakery = Bakery({"status": "working"})
    call = asyncio.create_task((await connect_toolset(bakery)).call("get_bread", {}, context))
    while not bakery.polls:  # noqa: ASYNC110 - the server is polled
        await asyncio.sleep(0.005)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)

    assert bakery.cancelled == ["t1"]


async def test_question_of_a_task_is_asked_and_its_answer_sent(connect_toolset, context):
    bakery = Bakery(
        ask_field("1", SIZE), ask_field("1", SIZE), ask_field("2", SIZE), ask_field("2", SIZE), complete_with(grams=900)
    )
    toolset = await connect_toolset(bakery)

    first = await toolset.call("get_bread", {}, context)
    form = with_answer(first.form, next_question(first.form), "large")
    second = await toolset.call("get_bread", {}, replace(context, form=form))
    form = with_answer(second.form, next_question(second.form), "small")
    done = await toolset.call("get_bread", {}, replace(context, form=form))

    assert (first.form.requests[0].key, second.form.requests[0].key) == ("1", "2")
    assert bakery.answers == [{"1": ("accept", {"size": "large"})}, {"2": ("accept", {"size": "small"})}]
    assert done.value == {"grams": 900}


async def test_task_that_asks_for_a_secret_is_declined_without_asking(connect_toolset, context):
    bakery = Bakery(ask_field("1", PIN), complete_with(grams=1))

    result = await (await connect_toolset(bakery)).call("get_bread", {}, context)

    assert result.ok
    assert bakery.answers == [{"1": ("decline", None)}]


async def test_tool_is_described_with_the_fields_of_its_result(connect_toolset, viewer):
    [spec] = await (await connect_toolset(Bakery(complete_with(grams=1)))).list_specs(viewer)

    assert spec.description == "get_bread\nReturns grams (integer)."
