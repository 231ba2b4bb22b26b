"""The openai SDK, the mcp SDK and an OpenAPI client as clients of the bot."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import openai
import pytest
from mcp import Client, StdioServerParameters

from bot.testing.models import ScriptedInterpreter
from bot.tools.servers.connections import ToolServerConnection
from bot.tools.servers.openapi_toolset import OpenApiToolset
from bot.tools.servers.origin_client import OriginClient
from function_calls.tools.calls import ToolCall
from services.kernel.chat import ChatMessage, Person
from tests.support.http_bot import served_bot, with_token

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

TEA = {"type": "once", "time": "in 10 minutes", "content": "tea"}
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


async def openai_client(address, context):
    """Return a client of the openai SDK with a new token."""
    _, key = await context.tokens.issue("client", "client")
    return openai.AsyncOpenAI(base_url=f"{address}/v1", api_key=key)


async def test_openai_sdk_gets_whole_and_streamed_answers():
    question = [{"role": "user", "content": "remind me in 10 minutes to drink tea"}]
    async with served_bot() as (address, context), await openai_client(address, context) as client:
        models = [model.id async for model in client.models.list()]
        answer = await client.chat.completions.create(model="bubbles", messages=question)
        stream = await client.chat.completions.create(model="bubbles", messages=question, stream=True)
        streamed = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    assert models == ["bubbles"]
    assert "tea" in answer.choices[0].message.content
    assert "tea" in streamed


async def test_openai_sdk_runs_its_own_tools_for_the_bot():
    script = [[ToolCall(id="c", name="get_weather", arguments={"city": "Tokyo"})], "It rains in Tokyo."]
    messages = [{"role": "user", "content": "weather in Tokyo?"}]
    async with (
        served_bot(interpreter=ScriptedInterpreter(script)) as (address, context),
        await openai_client(address, context) as client,
    ):
        first = await client.chat.completions.create(model="bubbles", messages=messages, tools=[WEATHER])
        call = first.choices[0].message.tool_calls[0]
        messages += [first.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "rain"}]
        second = await client.chat.completions.create(model="bubbles", messages=messages, tools=[WEATHER])

    assert json.loads(call.function.arguments) == {"city": "Tokyo"}
    assert second.choices[0].message.content == "It rains in Tokyo."


async def test_requests_without_a_token_of_the_scope_are_refused():
    async with served_bot(http=with_token("secret-token-of-the-operator")) as (address, context):
        _, weak = await context.tokens.issue("Ann", "member")
        _, strong = await context.tokens.issue("Open WebUI", "client")
        refusals = []
        for key in ("wrong", weak):
            async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0) as client:
                try:
                    await client.models.list()
                except openai.APIStatusError as error:
                    refusals.append(error.status_code)
        async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key=strong) as client:
            models = await client.models.list()

    assert refusals == [401, 403]
    assert models.data[0].id == "bubbles"


async def test_mcp_sdk_calls_the_bot_over_http():
    async with served_bot() as (address, _), Client(f"{address}/mcp") as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        result = await client.call_tool("reminder_set", TEA)
        reminders = await client.read_resource("bubbles://reminders")

    assert "reminder_set" in tools
    assert not result.is_error
    assert "tea" in reminders.contents[0].text


async def test_mcp_sdk_calls_the_bot_over_stdio(tmp_path):
    (tmp_path / "config.toml").write_text("[http]\nenabled = false\n")
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "bot", "mcp", "--person", "ann"], cwd=tmp_path, env={"PYTHONPATH": _root()}
    )
    async with Client(server) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        result = await client.call_tool("reminder_set", TEA)

    assert "reminder_set" in tools
    assert not result.is_error, result.content


async def test_openapi_client_of_the_bot_calls_its_own_tool_server():
    async with served_bot() as (address, context):
        url = f"{address}/tools"
        async with OriginClient(url, timeout_seconds=10) as client:
            toolset = OpenApiToolset(ToolServerConnection(url=url), client)
            await toolset.refresh()
            turn = await context.app.turns.turn(_make_message(context))
            result = await toolset.call("reminder_set", TEA, context.app.turns.context(turn, 0))

    assert result.ok, result.error


def _make_message(context):
    return ChatMessage(
        id="m1",
        address=context.room.address("lobby"),
        sender=Person(id="ann", name="ann"),
        text="hello",
        sent_at=datetime(2026, 11, 20, tzinfo=UTC),
    )


def _root():
    return str(Path(__file__).parents[3])
