"""The requests of docs/reference/intents.md lead to the functions that the page names."""

import re
from pathlib import Path

import pytest

from bot.app.registry import built_in_registry
from bot.testing.turns import make_turn
from function_calls.understanding import OfflineInterpreter

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "intents.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)
CASES = [
    pytest.param(function, language, text, id=f"{language} {request}")
    for request, function, *texts in ROWS
    for language, text in zip(("en", "zh"), texts, strict=True)
]


def test_table_has_an_example_for_each_kind_of_request():
    assert len(ROWS) > 20


@pytest.mark.parametrize(("function", "language", "text"), CASES)
async def test_example_calls_the_function_of_its_row(function, language, text):
    turn = make_turn(text, tools=built_in_registry().specs, language=language)

    result = await OfflineInterpreter().interpret(turn)

    assert {call.name for call in result.calls} == {function}
