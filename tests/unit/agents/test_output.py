"""Agents with an answer in the form of a Pydantic model."""

import json

import pytest
from msgspec.structs import replace
from pydantic import BaseModel, Field, field_validator

from bot.testing.models import ScriptedInterpreter, ScriptedModel, completion, requested
from function_calls.conversation.agents.agent import Agent
from function_calls.conversation.agents.agent_tool import AgentTool, ask
from function_calls.registry import Registry, tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import CallContext
from services.kernel.errors import ToolFailed
from tests.unit.agents.conftest import make_call

ROME = {"city": "Rome", "celsius": 21}
AS_JSON = json.dumps(ROME)


class Weather(BaseModel):
    """The weather of a place."""

    city: str
    celsius: int = Field(ge=-90, le=60)

    @field_validator("city")
    @classmethod
    def is_named_properly(cls, city):
        if city.islower():
            raise ValueError("names of cities begin with a capital")
        return city


@tool_function(returns="reply")
async def look(city: str) -> str:
    """Look out of the window."""
    return f"{city}: sunny"


@tool_function(returns="reply")
async def ask_person() -> ToolResult:
    """Ask."""
    return ToolResult(ok=True, text="Which city?", ending="question")


def forecaster(model, **options):
    return Agent(name="forecaster", model=model, tools=[look, ask_person], output=Weather, **options)


def scripted(*script, **options):
    return forecaster(ScriptedInterpreter(script), **options)


def answer_with(**arguments):
    return completion("", requested("give_answer", **arguments))


async def test_the_answer_is_an_instance_of_the_model(turn, context):
    outcome = await scripted(make_call("give_answer", **ROME)).run(turn, context)

    assert outcome.given(Weather) == Weather(**ROME)
    assert not outcome.is_malformed


async def test_a_tool_that_replies_does_not_end_the_run(turn, context):
    outcome = await scripted(make_call("look", city="Rome"), make_call("give_answer", **ROME)).run(turn, context)

    assert outcome.output == Weather(**ROME)
    assert outcome.rounds_used == 2


async def test_an_answer_beside_other_calls_ends_the_run(turn, context):
    both = [
        ToolCall(id="1", name="look", arguments={"city": "Rome"}),
        ToolCall(id="2", name="give_answer", arguments=ROME),
    ]
    outcome = await scripted(both).run(turn, context)

    assert outcome.output == Weather(**ROME)


async def test_error_of_the_class_alone_is_reported_and_corrected(turn, context):
    model = ScriptedModel([answer_with(city="rome", celsius=21), answer_with(**ROME)])
    outcome = await forecaster(model).run(turn, context)

    assert outcome.output == Weather(**ROME)
    assert "/city: names of cities begin with a capital" in model.shown[1].messages[-1]["content"]


@pytest.mark.parametrize(
    "words", [AS_JSON, f"Here it is:\n```json\n{AS_JSON}\n```", "{'city': 'Rome', 'celsius': 21,}"]
)
async def test_text_in_the_form_is_the_answer(turn, context, words):
    outcome = await scripted(words).run(turn, context)

    assert outcome.output == Weather(**ROME)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("It is sunny.", "there is no JSON object in the answer"),
        ('{"city": "Rome", "celsius": 210}', "/celsius: "),
        ('{"city": "rome", "celsius": 21}', "/city: names of cities begin with a capital"),
    ],
)
async def test_invalid_answer_is_returned_once_with_its_errors(turn, context, words, problem):
    model = ScriptedModel([words, answer_with(**ROME)])
    outcome = await forecaster(model).run(turn, context)

    assert outcome.output == Weather(**ROME)
    assert problem in model.shown[1].messages[-1]["content"]


async def test_second_invalid_answer_is_no_answer(turn, context):
    outcome = await scripted("It is sunny.", "Very sunny!").run(turn, context)

    assert outcome.is_malformed
    assert outcome.text == "Very sunny!"
    with pytest.raises(ToolFailed, match="agent 'forecaster' gave no Weather"):
        outcome.given(Weather)


async def test_a_question_to_the_person_is_no_malformed_answer(turn, context):
    outcome = await scripted(make_call("ask_person")).run(turn, context)

    assert outcome.ending == "question"
    assert not outcome.is_malformed


CHOSEN = {
    "native": answer_with(**ROME),
    "json_router": json.dumps({"tool": "give_answer", **ROME}),
    "prompt": json.dumps({"tool_calls": [{"name": "give_answer", "parameters": ROME}]}),
}
LOOKED = {
    "native": completion("", requested("look", city="Rome")),
    "json_router": json.dumps({"tool": "look", "city": "Rome"}),
    "prompt": json.dumps({"tool_calls": [{"name": "look", "parameters": {"city": "Rome"}}]}),
}


@pytest.mark.parametrize("style", CHOSEN)
async def test_output_works_in_every_call_style(turn, context, style):
    at_once = await forecaster(ScriptedModel([CHOSEN[style]]), call_style=style).run(turn, context)
    model = ScriptedModel([LOOKED[style], "Sunny!", AS_JSON])
    after_a_look = await forecaster(model, call_style=style).run(turn, context)

    assert at_once.output == after_a_look.output == Weather(**ROME)
    assert "no JSON object" in json.dumps(model.shown[2].messages)
    assert "celsius" in f"{model.shown[1].messages[0]['content']}{model.shown[1].tools}"


async def test_form_is_part_of_the_text_only_where_no_tools_are_offered(turn, context):
    model = ScriptedModel([*[LOOKED["native"]] * 4, AS_JSON])  # a repeated call is followed by a request for text
    outcome = await forecaster(model).run(turn, context)

    assert outcome.output == Weather(**ROME)
    assert [bool(request.tools) for request in model.shown] == [True, True, True, True, False]
    assert ["celsius" in request.messages[0]["content"] for request in model.shown] == [False] * 4 + [True]


async def test_partial_answer_is_never_streamed(turn, context):
    texts = []

    async def hear(text):
        texts.append(text)

    await forecaster(ScriptedModel([AS_JSON])).run(replace(turn, on_text=hear), context)

    assert texts == []


async def test_agent_with_output_transfers_nothing():
    other = Agent(name="other", model=ScriptedInterpreter())
    with pytest.raises(ValueError, match="'forecaster' has an output"):
        scripted(sub_agents=[other])


def dispatched(tool, name, context, **arguments):
    registry = Registry()
    registry.register(tool)
    return FunctionCallRouter(registry).dispatch(ToolCall(id="1", name=name, arguments=arguments), context)


async def test_a_model_that_asks_it_is_given_the_fields(context):
    tool = AgentTool(scripted(make_call("give_answer", **ROME)))
    result = await dispatched(tool, "forecaster", context, request="Rome?")

    assert result.for_model() == ROME
    assert json.loads(result.text) == ROME


async def test_class_with_its_own_text_words_the_answer_for_people(context):
    class Told(Weather):
        def __str__(self):
            return f"{self.city}: {self.celsius} °C"

    agent = Agent(name="teller", model=ScriptedInterpreter([make_call("give_answer", **ROME)]), output=Told)
    result = await dispatched(AgentTool(agent, returns="reply"), "teller", context, request="Rome?")

    assert result.text == "Rome: 21 °C"


async def test_a_malformed_answer_is_a_failed_call(context):
    result = await dispatched(AgentTool(scripted("Sunny.", "Sunny!")), "forecaster", context, request="Rome?")

    assert result.error == "agent 'forecaster' did not answer in its form"
    assert not result.spawned.ok


async def test_function_continues_with_the_typed_answer(context):
    agent = scripted(make_call("give_answer", **ROME))

    async def warmer(ctx: CallContext) -> int:
        """Say what it would be, ten degrees warmer."""
        return (await ask(agent, "Rome?", ctx)).given(Weather).celsius + 10

    result = await dispatched(warmer, "warmer", context)

    assert result.for_model() == {"result": 31}
