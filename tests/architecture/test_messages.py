"""Message keys in the code, compared with the catalogue."""

import ast
import re
from pathlib import Path

import pytest

from function_calls.language.messages import catalogue

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for package in ("bot", "function_calls", "services") for path in (ROOT / package).rglob("*.py"))


def calls_of(name: str) -> list[ast.Call]:
    found = []
    for text in (path.read_text(encoding="utf-8") for path in SOURCES):
        for node in ast.walk(ast.parse(text)) if f"{name}(" in text else ():  # parsing all of them takes seconds
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                found.append(node)
    return found


REFUSALS = sorted(
    {call.args[0].value for call in calls_of("RequestRefused") if call.args and isinstance(call.args[0], ast.Constant)}
)


@pytest.mark.parametrize("code", REFUSALS)
def test_every_refusal_has_a_message(code):
    assert f"refused.{code}" in catalogue("en")


def test_every_used_key_is_in_the_catalogue():
    keys = {
        call.args[1].value for call in calls_of("say") if len(call.args) > 1 and isinstance(call.args[1], ast.Constant)
    }

    keys |= {call.args[0].value for call in calls_of("Message") if call.args and isinstance(call.args[0], ast.Constant)}

    assert keys - set(catalogue("en")) == set()
    assert keys


def test_extras_are_installed_from_the_folder_of_the_project():
    texts = [*SOURCES, *(ROOT / "function_calls/language/messages").glob("*.toml"), ROOT / "config.toml"]
    commands = [
        found for path in texts for found in re.findall(r".*(?:bubbles|pip install.*\.)\[.*", path.read_text("utf-8"))
    ]

    assert len(commands) > 20
    assert [line for line in commands if "pip install -e '.[" not in line] == []
