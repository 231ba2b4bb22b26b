"""Example sentences of the built-in functions, without a model."""

import re
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from bot.app.registry import built_in_registry
from bot.testing.turns import make_message
from function_calls.tools.calls import ToolSpec, Turn
from function_calls.understanding import OfflineInterpreter
from services.kernel.languages import language_of

SPECS: tuple[ToolSpec, ...] = tuple(tool.spec for tool in built_in_registry())
CHOICE = re.compile(r"[\[(]([^\[\]()|]*)(?:\|[^\[\]()]*)?[\])]")
WORDS = {"url": "https://example.org/page", "days": "30"}
NAMED = {"en": ("Bubbles, ", "the budget"), "zh": ("Bubbles，", "年会预算"), "es": ("Bubbles, ", "el presupuesto")}


def fill_choices(example):
    """Return an example with the first of its alternatives, and its language."""
    while CHOICE.search(example):
        example = CHOICE.sub(r"\1", example)
    language = language_of(example, "en")
    name, words = NAMED[language]
    return name + re.sub(r"\{(\w+)\}", lambda slot: WORDS.get(slot[1], words), example), language


@pytest.mark.parametrize("spec", [pytest.param(each, id=each.name) for each in SPECS if each.examples])
def test_each_example_reaches_its_function(spec):
    interpreter = OfflineInterpreter()

    for example in spec.examples:
        text, language = fill_choices(example)
        message = replace(make_message(text), is_addressed=True, is_private=False)
        now = datetime(2026, 11, 20, 10, tzinfo=UTC)
        turn = Turn(message=message, now=now, zone=UTC, language=language, bot_name="Bubbles", tools=SPECS)

        assert [call.name for call in interpreter.read(turn).calls] == [spec.name], text
