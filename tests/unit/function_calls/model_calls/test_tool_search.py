"""Requests with many tools: the offered ones, the names of the others, and a search."""

import json

import pytest
from msgspec.structs import replace

from bot.testing.models import ScriptedModel, completion, requested
from bot.testing.turns import make_message, make_tool, make_turn
from function_calls.llm import FunctionCallLLM
from function_calls.model_calls.correction_round import MAX_SEARCHES
from function_calls.model_calls.styles.style_detection import make_styles
from function_calls.registry import Registry, tool_function
from function_calls.tools.calls import Step, ToolCall, ToolResult, ToolSpec
from function_calls.tools.catalog.tool_search import TOOL_SEARCH, SearchableTools, offer
from function_calls.tools.permission import Viewer
from services.language_model.openai_model import OpenAIModel
from tests.support.openai_server import OpenAIServer, call, say

TEXT = {"type": "string", "description": "Text of the argument, which has a long description as in real documents."}
OTHERS = tuple(make_tool(f"gadget_{number}", one=TEXT, two=TEXT, three=TEXT) for number in range(200))


def make_described_tool(name: str, description: str, **changes) -> ToolSpec:
    return replace(make_tool(name, required=["city"], city={"type": "string"}), description=description, **changes)


WEATHER = make_described_tool("forecast_get", "Get the weather forecast of a city.")
TRAINS = make_described_tool("departures", "列出车站的火车时刻 / List the trains of a station.")
TOOLS = (*OTHERS, WEATHER, TRAINS)
PARIS = {"city": "Paris"}
STYLES = ("native", "json_router", "prompt")


def model_answer(style: str, name: str, **arguments):
    """Return the answer of a model that calls a tool in a style."""
    if style == "native":
        return completion("", requested(name, **arguments))
    call = {"tool": name, **arguments}
    return json.dumps(call if style == "json_router" else {"tool_calls": [{"name": name, "parameters": arguments}]})


async def interpret(script, text="hello", *, style="native", tools=TOOLS, **options):
    model = ScriptedModel(script)
    llm = FunctionCallLLM(model, styles=make_styles(style, model), **options)
    return await llm.interpret(make_turn(text, tools=tools)), model


def definitions(request, style="native") -> list[str]:
    """Return the names of the tools whose arguments are in a request."""
    if style == "native":
        return [tool["function"]["name"] for tool in json.loads(request.tools)]
    if style == "json_router":
        branches = request.response_format["json_schema"]["schema"]["anyOf"]
        return [branch["properties"]["tool"]["const"] for branch in branches if len(branch["properties"]) > 1]
    names = request.messages[0]["content"].removeprefix("Available Tools: ").split("\n\n")[0]
    return [tool["name"] for tool in json.loads(names)]


def size_of(request) -> int:
    fields = [request.messages, request.response_format]
    return len(json.dumps(fields, ensure_ascii=False, default=dict).encode()) + len(request.tools or b"")


@pytest.mark.parametrize("style", STYLES)
async def test_tools_that_fit_the_message_are_in_the_first_request(style):
    arguments = {"city": "Paris"}

    found, model = await interpret(
        [model_answer(style, "forecast_get", **arguments)], "will it be sunny in Paris?", style=style
    )

    assert {"forecast_get", "tool_search"} <= set(definitions(model.shown[0], style))
    assert [(each.name, each.arguments) for each in found.calls] == [("forecast_get", PARIS)]


@pytest.mark.parametrize("style", STYLES)
async def test_model_searches_a_tool_and_calls_it(style):
    script = [
        model_answer(style, "tool_search", query="weather"),
        model_answer(style, "forecast_get", city="Paris"),
    ]

    found, model = await interpret(script, "do I need an umbrella in Paris", style=style)

    assert "forecast_get" not in definitions(model.shown[0], style)
    assert "forecast_get" in definitions(model.shown[1], style)
    assert [each.name for each in found.calls] == ["forecast_get"]
    assert "Offered now: forecast_get" in json.dumps(model.shown[1].messages)


SMALL = tuple(make_tool(f"gadget_{number}", one={"type": "string"}) for number in range(200))
SMALLEST = tuple(make_tool(f"gadget_{number}") for number in range(200))


@pytest.mark.parametrize("tools", [TOOLS, SMALL, SMALLEST], ids=["large", "small", "smallest"])
@pytest.mark.parametrize("style", STYLES)
async def test_first_request_has_at_most_15_percent_of_the_bytes(style, tools):
    few, every = [
        (await interpret(["no", "no"], style=style, tools=tools, tool_search_above=maximum))[1].shown[0]
        for maximum in (50, 0)
    ]

    assert size_of(few) <= 0.15 * size_of(every)


@pytest.mark.parametrize("style", STYLES)
async def test_every_tool_is_named_in_the_first_request(style):
    _, model = await interpret(["no", "no"], style=style)

    lines = {line.split(":")[0] for line in model.shown[0].messages[0]["content"].splitlines()}
    assert {tool.name for tool in TOOLS} <= lines


async def test_up_to_the_limit_all_tools_are_sent():
    _, model = await interpret(["hi"], tools=TOOLS[:50])

    assert definitions(model.shown[0]) == [tool.name for tool in TOOLS[:50]]
    assert "Further tools" not in model.shown[0].messages[0]["content"]


async def test_limit_of_zero_sends_all_tools():
    _, model = await interpret(["hi"], tool_search_above=0)

    assert len(definitions(model.shown[0])) == len(TOOLS)


async def test_list_is_the_same_for_every_message():
    first, second = [(await interpret(["hi"], text))[1].shown[0] for text in ("weather in Rome", "北京有什么火车")]

    assert first.messages[0] == second.messages[0]
    assert definitions(first) != definitions(second)


async def test_listed_tool_is_called_without_a_search():
    found, _ = await interpret([completion("", requested("forecast_get", **PARIS))], "umbrella?")

    assert [each.name for each in found.calls] == ["forecast_get"]


async def test_wrong_call_of_a_listed_tool_is_answered_with_its_definition():
    script = [
        completion("", requested("forecast_get", town="Paris")),
        completion("", requested("forecast_get", **PARIS)),
    ]

    found, model = await interpret(script, "umbrella?")

    assert "forecast_get" in definitions(model.shown[1])
    assert [each.arguments for each in found.calls] == [PARIS]


async def test_other_calls_wait_for_a_search():
    both = completion("", requested("departures", city="Bonn"), requested("tool_search", id="call_2", query="weather"))
    script = [both, completion("", requested("forecast_get", **PARIS))]

    found, _ = await interpret(script, "trains and umbrella")

    assert [each.name for each in found.calls] == ["departures", "forecast_get"]


async def test_endless_searches_end_with_an_answer():
    script = [completion("", requested("tool_search", query=f"gadget {number}")) for number in range(MAX_SEARCHES + 1)]

    found, model = await interpret([*script, "I found nothing."])

    assert found.answer == "I found nothing."
    assert model.remaining == 0
    assert model.shown[-1].tools is None


async def test_search_takes_no_repair_round():
    script = [
        completion("", requested("tool_search", query="weather")),
        completion("", requested("forecast_get", town="Paris")),
        completion("", requested("forecast_get", **PARIS)),
    ]

    found, _ = await interpret(script, "umbrella?", repair_rounds=1)

    assert [each.arguments for each in found.calls] == [PARIS]


async def test_search_without_a_result_tells_the_model():
    _, model = await interpret([completion("", requested("tool_search", query="submarine")), "No."])

    assert "No further tool fits" in model.shown[1].messages[-1]["content"]


async def test_tool_of_an_earlier_round_stays_offered():
    made = ToolCall(id="c1", name="departures", arguments={"city": "Bonn"})
    step = Step(text="", calls=(made,), results=(ToolResult(ok=True, value="none"),))
    model = ScriptedModel(["There is none."])

    await FunctionCallLLM(model).interpret(make_turn("umbrella?", tools=TOOLS, steps=[step]))

    assert "departures" in definitions(model.shown[0])


async def test_earlier_messages_select_tools_too():
    model = ScriptedModel(["Sunny."])
    turn = make_turn("and in Rome?", tools=TOOLS, recent=[make_message("what is the weather in Paris", number=0)])

    await FunctionCallLLM(model).interpret(turn)

    assert "forecast_get" in definitions(model.shown[0])


async def test_tool_that_is_not_deferrable_is_always_offered():
    tools = (*OTHERS, make_described_tool("help_desk", "Call a person.", is_deferrable=False))

    _, model = await interpret(["hi"], tools=tools)

    assert "help_desk" in definitions(model.shown[0])


def test_option_of_a_function_reaches_its_definition():
    @tool_function(is_deferrable=False)
    def open_gate() -> str:
        """Open the gate."""
        return "open"

    registry = Registry()
    registry.collect(open_gate)

    assert [spec.is_deferrable for spec in registry.specs] == [False]


async def test_forbidden_tool_is_neither_listed_nor_found():
    @tool_function(permission="owner")
    def weather_control(city: str) -> str:
        """Control the weather forecast of a city."""
        return city

    registry = Registry()
    registry.collect(weather_control)
    allowed = registry.specs_for(Viewer.of(make_message("hi")))
    script = [completion("", requested("tool_search", query="weather_control weather")), "No."]

    _, model = await interpret(script, "control the weather of Paris", tools=(*TOOLS, *allowed))

    requests_text = json.dumps([[request.messages, request.tools.decode()] for request in model.shown])
    assert requests_text.count("weather_control") == 1  # the model's own words
    assert "forecast_get" in definitions(model.shown[1])


async def test_external_tool_named_like_the_search_keeps_its_name():
    _, model = await interpret(["hi"], tools=(*TOOLS, make_tool(TOOL_SEARCH.name)))

    assert len(definitions(model.shown[0])) == len(TOOLS) + 1


async def test_search_goes_over_http():
    script = [call("tool_search", {"query": "weather"}), call("forecast_get", PARIS), say("done")]
    async with OpenAIServer(script) as server:
        model = OpenAIModel("scripted", base_url=server.base_url)
        await model.warm_up()
        try:
            found = await FunctionCallLLM(model).interpret(make_turn("umbrella?", tools=TOOLS))
        finally:
            await model.close()

    sent = [{tool["function"]["name"] for tool in request.body["tools"]} for request in server.requests]
    assert "forecast_get" in sent[1] - sent[0]
    assert [each.name for each in found.calls] == ["forecast_get"]


def test_tools_that_are_all_needed_come_without_a_search():
    specs = tuple(replace(tool, is_deferrable=False) for tool in TOOLS)

    offered = offer(specs, 50)

    assert [spec.name for spec in offered.specs] == [spec.name for spec in specs]


def test_names_in_a_query_come_first():
    tools = offer(TOOLS, 50)

    found, known = tools.find("gadget_7, departures", {"departures"})

    assert found[0].name == "gadget_7"
    assert "departures" in known


def test_list_of_too_many_names_says_how_many_are_missing():
    tools = SearchableTools(tuple(make_tool(f"a_very_long_name_of_a_tool_{number}") for number in range(400)))

    *lines, last = tools.names.splitlines()[1:]
    assert last == f"and {400 - len(lines)} more, which `tool_search` finds by words"
