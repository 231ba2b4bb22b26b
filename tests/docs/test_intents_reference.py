"""Requests in docs/reference/intents.md, which call the named functions."""

import re
from pathlib import Path

import pytest

from bot.app.registry import built_in_registry
from bot.testing.turns import make_turn
from function_calls.understanding import OfflineInterpreter
from function_calls.understanding.dialogue.message_reader import MAX_TEXT_LENGTH
from function_calls.understanding.reading.message import load_models

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reference" / "intents.md").read_text(encoding="utf-8")
LIMITS = {
    "reference/intents.md": r"read as a request \| (\d+) characters",
    "reference/performance.md": r"more than (\d+) characters is not read",
    "explanation/threat-model.md": r"read as a request \| (\d+) characters",
}
ROWS = re.findall(r"^\| `(\w+)` \| ([^|]+) \| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)
CASES = [
    pytest.param(function, language, text, id=f"{language} {intent}: {meaning}")
    for intent, meaning, function, *texts in ROWS
    for language, text in zip(("en", "zh"), texts, strict=True)
]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_page_names_every_intent(language):
    assert [each for each in load_models(language).network.intents if f"`{each}`" not in PAGE] == []


@pytest.mark.parametrize(("page", "words"), LIMITS.items())
def test_longest_request_is_that_of_the_code(page, words):
    [limit] = re.findall(words, (DOCS / page).read_text(encoding="utf-8"))

    assert int(limit) == MAX_TEXT_LENGTH


@pytest.mark.parametrize(("function", "language", "text"), CASES)
async def test_example_calls_the_function_of_its_row(function, language, text):
    turn = make_turn(text, tools=built_in_registry().specs, language=language)

    result = await OfflineInterpreter().interpret(turn)

    assert {call.name for call in result.calls} == {function}
