"""The help, whose examples work in the chat, and the query of a search."""

import pytest
from msgspec.structs import replace

from bot.app.registry import built_in_registry
from bot.testing.turns import make_message, make_turn
from function_calls.language.messages import LANGUAGES
from function_calls.understanding.dialogue.fallback import render_help
from function_calls.understanding.interpreter import OfflineInterpreter

QUESTIONS = {"en": "Bubbles, what can you do?", "zh": "Bubbles，你能做什么？", "es": "Bubbles, ¿qué puedes hacer?"}
TOOLS = built_in_registry().specs
ALWAYS = ["reminder_set", "reminder_list"]


def turn_of(text, language, tools=TOOLS):
    return make_turn(replace(make_message(text), is_addressed=True), tools=tools, language=language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("searches_web", "expected"),
    [(True, [*ALWAYS, "perplexity_search", "summary"]), (False, [*ALWAYS, "history_search", "summary"])],
)
async def test_each_example_of_the_help_makes_a_valid_call(language, searches_web, expected):
    interpreter = OfflineInterpreter(searches_web=searches_web)
    answer = (await interpreter.interpret(turn_of(QUESTIONS[language], language))).answer
    examples = [line.removeprefix("• ") for line in answer.splitlines()[1:]]
    found = [await OfflineInterpreter().interpret(turn_of(example, language)) for example in examples]

    assert [call.name for each in found for call in each.calls] == expected


def test_disabled_tool_is_not_in_the_help():
    tools = [spec for spec in TOOLS if spec.name != "summary"]

    assert "what did I miss" not in render_help(turn_of("help", "en", tools), searches_web=True)


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("en", "can you search the web for cheap flights?", "cheap flights"),
        ("es", "busca el tiempo en Madrid", "el tiempo en Madrid"),
        ("es", "¿Puedes buscar recetas de paella?", "recetas de paella"),
        ("es", "búscame en internet el precio del oro", "el precio del oro"),
        ("zh", "帮我查查周末天气", "周末天气"),
        ("en", "google cheap flights on the web", "cheap flights"),
        ("en", "search for cheap flights on the internet", "cheap flights"),
        ("en", "look up the tallest mountain online", "the tallest mountain"),
        ("es", "busca gatos en internet", "gatos"),
        ("es", "búscame recetas de paella en la web", "recetas de paella"),
        ("zh", "上网查一下最高的山", "最高的山"),
        ("zh", "在网上搜一下猫", "猫"),
    ],
)
async def test_words_that_request_a_search_are_not_in_its_query(language, text, query):
    [call] = (await OfflineInterpreter().interpret(turn_of(text, language))).calls

    assert (call.name, call.arguments) == ("perplexity_search", {"query": query})
