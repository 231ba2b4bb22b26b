"""The example of a router agent with specialists."""

import runpy
from pathlib import Path

import pytest

from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall

EXAMPLE = Path(__file__).parents[3] / "examples" / "agents" / "agents.py"


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(EXAMPLE))


async def test_each_question_is_transferred_to_its_specialist(example):
    answers = await example["converse"](["How is the weather in Berlin?", "20 usd in eur"])

    assert answers == ["Berlin: 4 °C, rain / 小雨", "20 USD = 18.00 EUR"]


async def test_a_specialist_remembers_the_city_of_the_session(example):
    answers = await example["converse"](["北京天气怎么样?", "那里呢?"])

    assert answers[0] == answers[1] == "Beijing: 9 °C, clear / 晴"


async def test_question_without_a_specialist_is_answered_by_the_router(example):
    answers = await example["converse"](["Good morning!"])

    assert answers == ["I know about weather and money. / 我懂天气和货币。"]


async def test_the_desk_is_a_function_of_the_bot_too(example, context):
    registry = Registry()
    registry.collect(example["TravelPlugin"]())
    call = ToolCall(id="1", name="travel_desk", arguments={"request": "20 usd in eur"})
    result = await FunctionCallRouter(registry).dispatch(call, context)

    assert result.text == "20 USD = 18.00 EUR"
    assert result.ending == "reply"
    assert [step.calls[0].name for step in result.spawned.steps] == ["transfer_to_agent", "convert"]


def test_the_example_prints_a_conversation(example, capsys):
    example["main"]()
    printed = capsys.readouterr().out

    assert printed.count("Ann: ") == printed.count("Desk: ") == len(example["SAID"])
