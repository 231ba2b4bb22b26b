"""Sources of Python tools, which are read without being run."""

import pytest

from function_calls.toolsets.stored.source import SourceInvalid, read_source

WEATHER = '''
"""
title: Weather
author: ann
version: 1.2
requirements: requests
"""
from typing import Literal, Optional
from pydantic import BaseModel, Field

raise SystemExit("this must never run here")

class Tools:
    class Valves(BaseModel):
        api_key: str = Field(default="", description="Key of the service")
        days: int = 3

    def __init__(self):
        self.valves = self.Valves()

    def get_weather(
        self, city: str, unit: Literal["c", "f"] = "c", days: Optional[int] = None, tags: list[str] = [], __user__={}
    ) -> str:
        """
        Tell the weather of a city.

        :param city: Name of the city
        :param unit: Celsius or Fahrenheit
        """
        return city

    async def get_wind(self, city: str) -> str:
        """Tell the wind."""

    def _hidden(self): ...
'''

MARKED = '''
from pydantic import BaseModel, Field
from function_calls.registry import tool_function

class DiceArgs(BaseModel):
    """Arguments of dice."""
    sides: int = Field(ge=2, le=100, description="How many sides")
    count: int = 1

@tool_function(name="dice", changes_state=True)
def roll(args: DiceArgs, ctx: "CallContext") -> int:
    """Roll dice."""

def helper(): ...
'''


def test_a_class_of_tools_is_read_without_being_run():
    source = read_source(WEATHER)

    assert [each.name for each in source.functions] == ["get_weather", "get_wind"]
    assert source.meta == {"title": "Weather", "author": "ann", "version": "1.2", "requirements": "requests"}


def test_arguments_have_types_texts_and_defaults_without_injected_ones():
    schema = read_source(WEATHER).functions[0].parameters

    assert schema["required"] == ["city"]
    assert schema["properties"] == {
        "city": {"description": "Name of the city", "type": "string"},
        "unit": {"description": "Celsius or Fahrenheit", "enum": ["c", "f"], "default": "c"},
        "days": {"type": ["integer", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
    }


def test_valves_are_a_schema_of_settings():
    assert read_source(WEATHER).valves["properties"]["api_key"] == {
        "description": "Key of the service",
        "type": "string",
        "default": "",
    }


def test_marked_function_with_a_model_has_the_models_fields():
    (dice,) = read_source(MARKED).functions

    assert (dice.name, dice.attribute, dice.model, dice.changes_state) == ("dice", "roll", "DiceArgs", True)
    assert dice.parameters["required"] == ["sides"]
    assert dice.parameters["properties"]["sides"]["minimum"] == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\ndef broken(:\n    pass\n", 2),
        ("class Tools:\n    def f(self, *args):\n        'Text.'\n", 2),
        ("class Tools:\n    def undocumented(self): ...\n", 2),
        ("print('no tool here')\n", 0),
        ("class Tools:\n    def f(self): 'A.'\n    def f(self): 'B.'\n", 0),
        ("\0", 0),
        ("(" * 5000, 1),
    ],
)
def test_error_in_the_source_is_reported_with_its_line(text, line):
    with pytest.raises(SourceInvalid) as refusal:
        read_source(text)

    assert refusal.value.line == line


@pytest.mark.parametrize(
    ("head", "title", "description"),
    [
        ('name = "Weather"\ndescription: str = "Tells it."\n', "Weather", "Tells it."),
        ('__tool_code__ = {"name": "Weather", "description": "Tells it."}\n', "Weather", "Tells it."),
        ('name = "A"\n__tool_code__ = {"name": "B"}\n', "B", None),
        ('"""\ntitle: Old\ndescription: Before.\n"""\nname = "New"\n', "New", "Before."),
        ("name = compute()\n__tool_code__ = other\n", None, None),
    ],
)
def test_attributes_and_metadata_of_the_source_name_and_describe_it(head, title, description):
    source = read_source(f'{head}class Tools:\n    def go(self) -> str:\n        """Go."""\n')

    assert (source.meta.get("title"), source.meta.get("description")) == (title, description)


def test_parameter_named_tool_context_is_no_argument():
    source = read_source('class Tools:\n    def go(self, city: str, tool_context) -> str:\n        """Go."""\n')

    assert list(source.functions[0].parameters["properties"]) == ["city"]


def test_empty_annotated_is_any_value():
    [function] = read_source('class Tools:\n    def go(self, place: Annotated[()]):\n        """Go."""\n').functions

    assert function.parameters["properties"] == {"place": {}}


def test_docstring_of_thousands_of_entries_is_parsed_in_bounded_time():
    entries = "        a\n" * 15_000
    source = f'class Tools:\n    def go(self, a):\n        """Go.\n\n        Args:\n{entries}        """\n'

    assert read_source(source).functions[0].description == "Go."


def read_parameters(annotation, before=""):
    source = f'{before}class Tools:\n    def go(self, place: {annotation}):\n        """Go."""\n'
    return read_source(source).functions[0].parameters["properties"]


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ('Literal["a", Literal["b", "c"]]', {"enum": ["a", "b", "c"]}),
        (" | ".join(["int", "str"] * 10), {"type": ["integer", "string"]}),
        ('"\\ud800"', {}),
        (f'"{"a" + ".b" * 5000}"', {}),
        (f'"{"-" * 5000}1"', {}),
    ],
)
def test_argument_has_the_schema_of_its_annotation(annotation, expected):
    assert read_parameters(annotation) == {"place": expected}


def test_classes_that_have_each_other_as_fields_are_read_in_bounded_size():
    fields = "".join(f"    f{number}: Node\n" for number in range(12))

    schema = read_parameters("Node", f"class Node(BaseModel):\n{fields}\n")

    assert len(str(schema)) < 1_000_000
