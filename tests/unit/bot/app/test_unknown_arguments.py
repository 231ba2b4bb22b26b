"""Unknown arguments, which are refused at every entry point with the nearest name."""

import pytest
from mcp import Client

from bot.http.mcp.server import McpTools
from bot.testing.fixtures import call_tool, fake_clock  # noqa: F401 - pytest finds them by name
from bot.testing.in_memory import talk_to_bot
from bot.testing.models import ScriptedInterpreter, ScriptedModel, completion, requested
from bot.testing.turns import make_context
from function_calls.conversation.agents.agent import Agent
from function_calls.conversation.agents.agent_tool import ask
from function_calls.llm import FunctionCallLLM
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolCall
from function_calls.tools.permission import Viewer
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from tests.support.http_bot import http_bot
from tests.unit.bot.http.conftest import asked

WRONG = {"size": 1, "colr": "blue"}
ANN = Viewer(person=Person(id="ann", name="Ann"), chat=ChatAddress(platform="web", chat_id="lobby"))


@pytest.fixture
def colours():
    return []


@pytest.fixture
def paint(colours):
    @tool_function(name="paint", returns="reply")
    async def paint(size: int = 1, color: str = "red") -> str:
        """Paint something."""
        colours.append((size, color))
        return "painted"

    return paint


@pytest.fixture
def ping(colours):
    @tool_function(name="ping", returns="reply")
    async def ping() -> str:
        """Answer."""
        colours.append("ping")
        return "pong"

    return ping


async def test_test_kit_refuses_an_unknown_argument(call_tool, paint, colours):  # noqa: F811 - the fixture
    result = await call_tool(paint, **WRONG)

    assert "/colr: is not an argument of this tool" in result.error
    assert "Did you mean 'color'?" in result.error
    assert colours == []


async def test_function_without_arguments_refuses_all(call_tool, ping, colours):  # noqa: F811 - the fixture
    result = await call_tool(ping, foo=1)

    assert "/foo: is not an argument of this tool" in result.error
    assert colours == []


async def test_error_is_reported_to_a_model(paint, colours):
    model = ScriptedModel([completion("", requested("paint", **WRONG)), completion("", requested("paint", size=1))])
    texts = await talk_to_bot("paint it", functions=[paint], interpreter=FunctionCallLLM(model))

    assert "Did you mean 'color'?" in str(model.shown[1])
    assert texts == ["painted"]
    assert colours == [(1, "red")]


@pytest.mark.parametrize("path", ["/api/tools/paint/invoke", "/tools/paint"])
async def test_http_refuses_an_unknown_argument(path, paint, colours):
    async with asked(functions=[paint]) as api:
        answer = await api.post(path, json={"arguments": WRONG} if path.startswith("/api") else WRONG)

    assert answer.status_code == 422
    assert "color" in answer.text
    assert colours == []


async def test_mcp_refuses_an_unknown_argument(paint, colours):
    async with (
        http_bot(functions=[paint]) as bot,
        Client(McpTools(bot.app, SystemClock(), lambda _: ANN).server()) as to,
    ):
        result = await to.call_tool("paint", WRONG)

    assert result.is_error
    assert "Did you mean 'color'?" in result.content[0].text
    assert colours == []


@pytest.mark.parametrize("text", ["/paint size=1 colr=blue", "/paint colr=blue"])
async def test_slash_command_with_an_unknown_argument_is_refused(text, paint, colours):
    (answer,) = await talk_to_bot(text, functions=[paint])

    assert "color" in answer
    assert colours == []


async def test_a_typed_command_of_a_function_without_arguments_is_refused(ping, colours):
    (answer,) = await talk_to_bot("/ping foo=1", functions=[ping])

    assert "foo" in answer
    assert colours == []


async def test_unknown_argument_of_an_agents_call_is_refused(paint, colours):
    script = [[ToolCall(id="1", name="paint", arguments=WRONG)], "sorry"]
    agent = Agent(name="painter", model=ScriptedInterpreter(script), tools=[paint])
    outcome = await ask(agent, "paint it", make_context())

    assert "Did you mean 'color'?" in outcome.steps[0].results[0].error
    assert colours == []


async def test_every_published_schema_of_ours_names_all_arguments(paint, ping):
    async with asked(functions=[paint, ping]) as api:
        tools = (await api.get("/api/tools")).json()["tools"]

    assert {tool["parameters"].get("additionalProperties") for tool in tools} == {False}
