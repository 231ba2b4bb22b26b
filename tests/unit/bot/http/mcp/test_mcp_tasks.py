"""Calls of MCP clients as tasks (extension io.modelcontextprotocol/tasks, revision 2026-07-28)."""

import asyncio
from datetime import timedelta

import pytest
from mcp import Client, MCPError
from mcp.client.extension import advertise
from mcp.types import INVALID_PARAMS, MISSING_REQUIRED_CLIENT_CAPABILITY, ElicitResult, EmptyResult
from msgspec.structs import replace

from bot.http.mcp.server import McpTools
from bot.testing.clocks import FixedClock
from bot.testing.turns import make_context
from bot.tools.servers.mcp.servers import McpServer
from bot.tools.servers.mcp.task_messages import (
    EXTENSION,
    CreateTaskResult,
    GetTaskResult,
    TaskParams,
    TaskRequest,
    UpdateTaskParams,
)
from bot.tools.servers.mcp.tasks import TasksExtension
from bot.tools.servers.mcp.toolset import McpToolset
from function_calls.tools.calls import Form, InputRequest, ToolResult, ToolSpec
from function_calls.tools.confirmation.forms import next_question, with_answer
from function_calls.tools.permission import Viewer
from function_calls.toolsets.combined import combine_external
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.kernel.errors import ToolFailed
from tests.support.http_bot import http_bot
from tests.support.tool_servers.mcp_toolsets import in_process, running, settled
from tests.unit.tool_servers.conftest import NOON

LOBBY = ChatAddress(platform="web", chat_id="lobby")
ANN = Viewer(person=Person(id="ann", name="Ann"), chat=LOBBY)
BEN = Viewer(person=Person(id="ben", name="Ben"), chat=LOBBY)
AFTER = 0.05
"""Seconds after which a call goes on as a task here."""

SEATS = {"type": "object", "properties": {"seats": {"type": "integer"}}, "required": ["seats"]}


class Oven:
    """A toolset whose tools take as long as the test sets; `heat` reports its progress."""

    def __init__(self):
        self.has_begun = asyncio.Event()
        self.is_done = asyncio.Event()
        self.was_stopped = asyncio.Event()

    async def list_specs(self, viewer):
        names = ("bake", "heat", "burn", "ask_late")
        return tuple(ToolSpec(name=name, description=name, parameters={"type": "object"}) for name in names)

    async def call(self, name, arguments, context):
        if name == "ask_late" and context.form is not None:
            return ToolResult(ok=True, value={"answers": context.form.answers})
        if name == "heat":
            await context.progress("heating")
        self.has_begun.set()
        try:
            await self.is_done.wait()
        except asyncio.CancelledError:
            self.was_stopped.set()
            raise
        if name == "burn":
            raise ToolFailed("the oven is too hot")
        if name == "ask_late":
            request = InputRequest(key="seats", message="How many?", schema=SEATS)
            return ToolResult(ok=False, error="asks", form=Form(source="oven", requests=(request,), state="s1"))
        return ToolResult(ok=True, value={"bread": "rye"})


@pytest.fixture
async def bot():
    async with http_bot() as context:
        yield context


@pytest.fixture
def oven(bot):
    tools = Oven()
    combine_external(bot.app.calls, {"oven": tools})
    return tools


@pytest.fixture
def tools(bot):
    return McpTools(bot.app, SystemClock(), lambda _: ANN, task_after=AFTER)


def client_of(tools):
    """Return a client that supports tasks and does not poll them by itself."""
    return settled(Client(tools.server(), extensions=[TasksExtension()]))


async def begin(client, name="bake"):
    """Call a tool that takes long, and return its task."""
    result = await client.session.call_tool(name, {}, allow_input_required=True, allow_claimed=True)
    assert isinstance(result, CreateTaskResult)
    return result


async def state_of(client, task_id):
    return await client.session.send_request(
        TaskRequest(method="tasks/get", params=TaskParams(task_id=task_id)), GetTaskResult
    )


async def wait_for_status(client, task_id, *statuses):
    while (state := await state_of(client, task_id)).status not in statuses:  # noqa: ASYNC110 - tasks are polled
        await asyncio.sleep(0.005)
    return state


async def test_server_announces_the_extension(tools):
    async with client_of(tools) as client:
        assert EXTENSION in client.server_capabilities.extensions


async def test_call_that_takes_long_goes_on_as_a_task_with_its_progress(oven, tools):
    async with client_of(tools) as client:
        task = await begin(client, "heat")
        await oven.has_begun.wait()
        unfinished = await state_of(client, task.task_id)
        oven.is_done.set()
        done = await wait_for_status(client, task.task_id, "completed")

        assert task.status == "working"
        assert (unfinished.status, unfinished.status_message, unfinished.result) == ("working", "heating", None)
        assert done.result["structuredContent"] == {"bread": "rye"}


async def test_call_that_ends_soon_is_answered_at_once(bot, oven):
    oven.is_done.set()
    patient = McpTools(bot.app, SystemClock(), lambda _: ANN, task_after=60)
    async with client_of(patient) as client:
        result = await client.call_tool("bake", {})

        assert result.structured_content == {"bread": "rye"}


async def test_client_without_the_extension_waits_for_the_result(oven, tools):
    async with settled(Client(tools.server())) as client:
        call = asyncio.create_task(client.call_tool("bake", {}))
        await asyncio.sleep(AFTER * 3)
        oven.is_done.set()

        assert (await call).structured_content == {"bread": "rye"}


async def test_failed_tool_completes_its_task_with_an_error(oven, tools):
    async with client_of(tools) as client:
        task = await begin(client, "burn")
        oven.is_done.set()
        done = await wait_for_status(client, task.task_id, "completed", "failed")

        assert done.status == "completed"
        assert done.result["isError"]
        assert "too hot" in done.result["content"][0]["text"]


async def test_cancelled_task_stops_its_tool(oven, tools):
    async with client_of(tools) as client:
        task = await begin(client)
        params = TaskParams(task_id=task.task_id)
        await client.session.send_request(TaskRequest(method="tasks/cancel", params=params), EmptyResult)
        await asyncio.wait_for(oven.was_stopped.wait(), 2)

        assert (await wait_for_status(client, task.task_id, "cancelled")).result is None


async def test_question_of_a_task_is_answered_through_its_client(oven, tools):
    async def never(context, params):
        raise AssertionError("tasks are asked for in tests")

    async with settled(Client(tools.server(), extensions=[TasksExtension()], elicitation_callback=never)) as client:
        task = await begin(client, "ask_late")
        oven.is_done.set()
        asking = await wait_for_status(client, task.task_id, "input_required")
        [(key, request)] = asking.input_requests.items()
        answers = {key: ElicitResult(action="accept", content={"seats": 4}), "9.other": ElicitResult(action="decline")}
        params = UpdateTaskParams(task_id=task.task_id, input_responses=answers)
        await client.session.send_request(TaskRequest(method="tasks/update", params=params), EmptyResult)
        done = await wait_for_status(client, task.task_id, "completed")

        assert request.params.message == "oven: How many?"
        assert done.result["structuredContent"] == {"answers": {"seats": {"seats": 4}}}


async def test_task_of_another_person_is_unknown(bot, oven):
    asker = [ANN]
    tools = McpTools(bot.app, SystemClock(), lambda _: asker[0], task_after=AFTER)
    async with client_of(tools) as client:
        task = await begin(client)
        asker[0] = BEN

        with pytest.raises(MCPError) as error:
            await state_of(client, task.task_id)
        assert error.value.code == INVALID_PARAMS


async def test_task_is_not_shown_to_a_client_that_does_not_declare_the_extension(oven, tools):
    async with client_of(tools) as client:
        task = await begin(client)
    async with settled(Client(tools.server(), extensions=[advertise("com.example/other")])) as other:
        with pytest.raises(MCPError) as error:
            await state_of(other, task.task_id)
        assert error.value.code == MISSING_REQUIRED_CLIENT_CAPABILITY


async def test_expired_task_is_stopped_and_forgotten(bot, oven):
    clock = FixedClock(NOON)
    tools = McpTools(bot.app, clock, lambda _: ANN, task_after=AFTER)
    async with client_of(tools) as client:
        task = await begin(client)
        clock.set(NOON + timedelta(hours=2))

        with pytest.raises(MCPError):
            await state_of(client, task.task_id)
        await asyncio.wait_for(oven.was_stopped.wait(), 2)


async def test_call_over_the_task_limit_waits_for_its_result(oven, tools):
    async with client_of(tools) as client:
        for _ in range(20):
            await begin(client)
        call = asyncio.create_task(client.call_tool("bake", {}))
        await asyncio.sleep(AFTER * 3)
        oven.is_done.set()

        assert (await call).structured_content == {"bread": "rye"}


async def test_our_client_follows_a_task_of_our_server(oven, tools):
    context = make_context()
    server = McpServer(name="oven", command="unused")
    async with running(McpToolset(server, connect=in_process(tools.server()), first_pause=0.01)) as oven_of_others:
        call = asyncio.create_task(oven_of_others.call("ask_late", {}, context))
        await oven.has_begun.wait()
        await asyncio.sleep(AFTER * 3)
        oven.is_done.set()
        question = await call
        form = with_answer(question.form, next_question(question.form), 4)
        done = await oven_of_others.call("ask_late", {}, replace(context, form=form))

    assert question.form.task_id
    assert done.value == {"answers": {"seats": {"seats": 4}}}
