"""The MCP server of the bot, with the official client."""

import asyncio
import base64
import json

import pytest
from mcp import Client
from mcp.types import ElicitResult

from bot.http.mcp.answers import CONFIRMED
from bot.http.mcp.server import HISTORY, REMINDERS, McpTools
from function_calls.tools.calls import Form, InputRequest, SentFile, ToolResult, ToolSpec
from function_calls.tools.permission import Viewer
from function_calls.toolsets.combined import combine_external
from services.call_log.service import CallLog
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.reminders.service import ReminderService
from services.storage.records.activity import CallFilter
from tests.support.http_bot import http_bot
from tests.support.tool_servers.mcp_toolsets import settled

ANN = Viewer(person=Person(id="ann", name="Ann"), chat=ChatAddress(platform="web", chat_id="lobby"))
TEA = {"type": "once", "time": "in 10 minutes", "content": "tea 茶"}


@pytest.fixture
async def bot():
    async with http_bot() as context:
        yield context


def client_of(bot):
    """Return the client of the official SDK, for Ann in the lobby."""
    return settled(Client(McpTools(bot.app, SystemClock(), lambda _: ANN).server()))


async def test_our_functions_are_listed_with_schemas_and_hints(bot):
    async with client_of(bot) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

        assert tools["reminder_set"].input_schema["required"] == ["type", "time", "content"]
        assert not tools["reminder_set"].annotations.read_only_hint
        assert tools["reminder_list"].annotations.read_only_hint


async def test_a_call_sets_a_reminder_of_the_person_in_their_chat(bot):
    async with client_of(bot) as client:
        result = await client.call_tool("reminder_set", TEA)

        [reminder] = await bot.app.services.get(ReminderService).list(ANN.chat, ANN.person)
        assert not result.is_error
        assert reminder.content == "tea 茶"


async def test_near_miss_of_the_clients_model_is_called(bot):
    async with client_of(bot) as client:
        result = await client.call_tool("reminder_set", {"arguments": TEA | {"type": "Once", "rrule": None}})

        assert not result.is_error


async def test_wrong_arguments_are_an_error_that_names_them(bot):
    async with client_of(bot) as client:
        result = await client.call_tool("reminder_set", {"type": "hourly", "time": "8:00", "content": "tea"})

        assert result.is_error
        assert "type" in result.content[0].text


async def test_reminders_and_history_are_resources(bot):
    async with client_of(bot) as client:
        await client.call_tool("reminder_set", TEA)

        uris = [str(each.uri) for each in (await client.list_resources()).resources]
        [reminder] = json.loads((await client.read_resource(REMINDERS)).contents[0].text)

        assert uris == [REMINDERS, HISTORY]
        assert reminder["content"] == "tea 茶"


async def test_confirmed_function_does_not_run_before_the_confirmation(bot):
    async with client_of(bot) as client:
        await client.call_tool("reminder_set", TEA)

        question = await client.call_tool("forget_me", {})
        left = await bot.app.services.get(ReminderService).list(ANN.chat, ANN.person)
        done = await client.call_tool("forget_me", {}, meta={CONFIRMED: True})

        assert question.is_error
        assert len(left) == 1
        assert not done.is_error


def open_asking_client(bot, action, questions):
    """Return a client whose person answers every question with `action`; `questions` receives them."""

    async def answer(context, params):
        questions.append(params)
        content = {"seats": 2} if params.requested_schema.get("properties") else {}
        return ElicitResult(action=action, content=content if action == "accept" else None)

    server = McpTools(bot.app, SystemClock(), lambda _: ANN).server()
    return settled(Client(server, elicitation_callback=answer))


async def test_client_that_can_ask_is_given_the_question_of_a_confirmed_function(bot):
    questions = []
    async with open_asking_client(bot, "accept", questions) as client:
        done = await client.call_tool("forget_me", {})

        assert not done.is_error
        assert "forget you" in questions[0].message


async def test_declined_question_does_not_run_the_function(bot):
    async with open_asking_client(bot, "decline", []) as client:
        done = await client.call_tool("forget_me", {})

        assert done.is_error
        assert done.content[0].text == "the person said no; nothing was done"
    await bot.app.services.get(CallLog).drain()
    declined, asked = await bot.activity.calls(CallFilter(), limit=9)
    assert (asked.call.status, declined.call.status) == ("denied", "denied")
    assert declined.call.said == "The answer was no, so nothing was done."


class AskingTools:
    """A toolset with one tool, which asks for a number before it goes on, and returns a picture."""

    spec = ToolSpec(name="book_table", description="Book a table.", parameters={"type": "object", "properties": {}})

    async def list_specs(self, viewer):
        return (self.spec,)

    async def call(self, name, arguments, context):
        if context.form is None:
            schema = {"type": "object", "properties": {"seats": {"type": "integer"}}, "required": ["seats"]}
            request = InputRequest(key="details", message="How many?", schema=schema)
            form = Form(source="Mario", requests=(request,), state="opaque")
            return ToolResult(ok=False, failure="denied", form=form)
        value = {"state": context.form.state, "answers": context.form.answers, "declined": context.form.is_declined}
        picture = SentFile(name="plan.png", media_type="image/png", content=b"png")
        return ToolResult(ok=True, value=value, files=(picture,))


async def test_question_of_another_tool_and_its_answers_are_forwarded(bot):
    combine_external(bot.app.calls, {"mario": AskingTools()})
    questions = []
    async with open_asking_client(bot, "accept", questions) as client:
        done = await client.call_tool("book_table", {})

        assert questions[0].message == "Mario: How many?"
        assert done.structured_content == {
            "state": "opaque",
            "answers": {"details": {"seats": 2}},
            "declined": False,
        }


async def test_files_of_a_result_are_images_of_the_content(bot):
    combine_external(bot.app.calls, {"mario": AskingTools()})
    async with open_asking_client(bot, "accept", []) as client:
        done = await client.call_tool("book_table", {})

        assert [block.type for block in done.content] == ["text", "image"]
        assert base64.b64decode(done.content[1].data) == b"png"


async def test_client_that_cannot_ask_reads_the_question(bot):
    combine_external(bot.app.calls, {"mario": AskingTools()})
    async with client_of(bot) as client:
        done = await client.call_tool("book_table", {})

        assert done.is_error
        assert "How many?" in done.content[0].text
        assert CONFIRMED not in done.content[0].text


class SlowTools:
    """A toolset with one tool, which reports its progress and then waits."""

    spec = ToolSpec(name="get_count", description="Count.", parameters={"type": "object", "properties": {}})

    def __init__(self):
        self.stopped = asyncio.Event()

    async def list_specs(self, viewer):
        return (self.spec,)

    async def call(self, name, arguments, context):
        await context.progress("counted to one")
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped.set()


async def test_progress_is_reported_and_a_cancelled_call_is_stopped(bot):
    slow, messages = SlowTools(), []
    combine_external(bot.app.calls, {"slow": slow})

    async def progress(done, total, text):
        messages.append(text)

    async with client_of(bot) as client:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await client.call_tool("get_count", {}, progress_callback=progress)
        await asyncio.wait_for(slow.stopped.wait(), 2)

    assert messages == ["counted to one"]
