"""The public names of `function_calls` are loaded when they are used, and described on one page."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import function_calls
from function_calls.conversation.agents.options import AgentOptions

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^\| (?:name|argument of `Agent`) \| .*\n\|---\|---\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
ROWS = re.findall(r"^\| `(\w+)` \| (.+) \|$", "".join(SECTIONS), re.MULTILINE)
NAMES = sorted(function_calls.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_public_name_is_described_once(name):
    assert [len(about) >= 10 for row, about in ROWS if row == name] == [True]


@pytest.mark.parametrize("name", NAMES)
def test_public_name_has_its_own_description_in_the_code(name):
    value = getattr(function_calls, name)

    assert value.__name__ == name
    assert inspect.getdoc(value)


def test_arguments_of_an_agent_are_described():
    arguments = set(inspect.signature(function_calls.Agent).parameters)

    assert arguments == {"name", "model", "output", "deps", *AgentOptions.__annotations__}
    assert {row for row, _ in ROWS} == arguments | set(NAMES)


def test_type_checkers_see_the_same_names():
    source = (ROOT / "function_calls" / "__init__.py").read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) and node.col_offset]

    assert {each.asname: node.module for node in imports for each in node.names} == function_calls._MODULES


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(ImportError, match="cannot import name 'Nothing'"):
        from function_calls import Nothing  # noqa: F401


def test_names_are_listed_before_they_are_loaded():
    assert set(NAMES) <= set(dir(function_calls))
