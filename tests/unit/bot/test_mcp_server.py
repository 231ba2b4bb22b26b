import json

import pytest
from mcp import Client

from bot.http.mcp.server import CONFIRMED, HISTORY, REMINDERS, Asker, McpTools
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.reminders.service import ReminderService
from tests.support.http_bot import http_bot

ANN = Asker(person=Person(id="ann", name="Ann"), chat=ChatAddress(platform="web", chat_id="lobby"))
TEA = {"type": "once", "time": "in 10 minutes", "content": "tea 茶"}


@pytest.fixture
async def bot():
    async with http_bot() as context:
        yield context


def client_of(bot):
    """The official SDK's client, for Ann in the lobby."""
    return Client(McpTools(bot.app, SystemClock(), lambda _: ANN).server())


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

        asked = await client.call_tool("forget_me", {})
        left = await bot.app.services.get(ReminderService).list(ANN.chat, ANN.person)
        done = await client.call_tool("forget_me", {}, meta={CONFIRMED: True})

        assert asked.is_error
        assert len(left) == 1
        assert not done.is_error
