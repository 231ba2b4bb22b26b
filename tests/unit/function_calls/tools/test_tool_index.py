"""The ranking of tools by words of a text, in English and Chinese."""

import pytest
from msgspec.structs import replace

from bot.testing.turns import make_tool
from function_calls.tools.catalog.tool_index import ToolIndex

OTHERS = tuple(make_tool(f"gadget_{number}") for number in range(50))
WEATHER = replace(make_tool("forecast_get"), description="Get the weather forecast of a city.")
TRAINS = replace(make_tool("departures"), description="列出车站的火车时刻 / List the trains of a station.")
TOOLS = (*OTHERS, WEATHER, TRAINS)


@pytest.mark.parametrize("text", ["明天巴黎天气怎么样", "What is the temperature in Paris?", "forecasts"])
def test_either_language_finds_a_tool_described_in_english(text):
    assert ToolIndex(TOOLS).rank(text)[0] is WEATHER


@pytest.mark.parametrize("text", ["去上海的高铁几点开", "which trains go to Shanghai"])
def test_either_language_finds_a_tool_described_in_both(text):
    assert ToolIndex(TOOLS).rank(text)[0] is TRAINS


def test_tool_described_in_chinese_is_found_in_english():
    tool = replace(make_tool("chaxun"), description="查询电影和影院")

    assert ToolIndex((*OTHERS, tool)).rank("any good movies tonight?")[0] is tool


def test_examples_of_a_tool_count():
    tool = replace(make_tool("xyz"), examples=("water the {plant}",))

    assert ToolIndex((*OTHERS, tool)).rank("please water the fern")[0] is tool


def test_texts_without_known_words_find_nothing():
    assert ToolIndex(TOOLS).rank("스테이크 !!!") == []
    assert ToolIndex(()).rank("weather") == []


def test_names_of_arguments_count():
    tool = make_tool("xyz", latitude={"type": "number"}, mode={"enum": ["walking", "cycling"]})

    assert ToolIndex((*OTHERS, tool)).rank("cycling at this latitude")[0] is tool


def test_word_endings_are_ignored():
    tool = replace(make_tool("xyz"), description="Book a reservation of categories.")

    assert ToolIndex((*OTHERS, tool)).rank("reserve") == [tool]
    assert ToolIndex((*OTHERS, tool)).rank("one category") == [tool]


def test_context_counts_less_than_the_text():
    ranked = ToolIndex(TOOLS).rank("weather", "trains")

    assert ranked == [WEATHER, TRAINS]
