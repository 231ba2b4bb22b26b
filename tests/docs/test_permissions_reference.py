"""The page about permissions and undo, compared with the code."""

import re
from pathlib import Path

import pytest
from msgspec.structs import fields

from bot.app.registry import built_in_registry
from function_calls.language.messages import knows
from function_calls.registry import Registry, ToolOptions

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "permissions.md").read_text(encoding="utf-8")
OTHERWISE_KNOWN = {"name", "description", "examples", "conversation_examples", "returns", "timeout"}  # not of rights


def test_its_code_runs_and_registers():
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "permissions.md", "exec"), names)
    registry = Registry()
    registry.register([names["ban"], names["unban"]])

    assert [spec.name for spec in registry.specs] == ["ban"]


@pytest.mark.parametrize("option", sorted({each.name for each in fields(ToolOptions)} - OTHERWISE_KNOWN))
def test_every_option_is_on_the_page(option):
    assert f"`{option}`" in PAGE


@pytest.mark.parametrize("code", sorted(set(re.findall(r"`(\w+_only|other_platform)`", PAGE))))
def test_every_refusal_in_it_is_worded(code):
    assert knows(f"refused.{code}")


def test_every_inverse_in_it_is_registered():
    names = {tool.name for tool in built_in_registry()}
    taken_back = PAGE.split("| done | taken back by |")[1].split("\n\n")[0]

    assert set(re.findall(r"`(\w+)`", taken_back)) <= names
