"""The page on plugins says what is so: its files are plugins, its commands exist."""

import asyncio
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.__main__ import cli
from bot.config.settings import PluginSettings
from bot.testing.talking import said

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial" / "first-plugin.md").read_text(encoding="utf-8")
PLUGINS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^bubbles (.*)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("text", "answer"), list(zip(PLUGINS, ("💧 × 1", "💧 2 l"), strict=True)))
def test_every_file_of_the_page_is_a_plugin_that_answers(tmp_path, text, answer):
    (tmp_path / "water_plants.py").write_text(text, encoding="utf-8")
    settings = PluginSettings(folder=tmp_path, options={"water_plants": {"litres": 2}} if "Options" in text else {})

    (told,) = asyncio.run(said("water the plants", plugins=settings))

    assert told.startswith(answer)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_page_is_there(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    words = command.split()
    arguments = words if words[0] == "new" else [*words, "--help"]

    assert CliRunner().invoke(cli, arguments).exit_code == 0
