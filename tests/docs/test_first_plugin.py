"""Files and commands on the page about plugins."""

import asyncio
import os
import re
import sys
from asyncio import create_subprocess_exec, subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.__main__ import cli
from bot.config.settings import PluginSettings
from bot.testing.in_memory import talk_to_bot

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial" / "first-plugin.md").read_text(encoding="utf-8")
PLUGINS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PROGRAM = """
from pathlib import Path
from bot.app.application import build_app
from bot.config.settings import LogSettings, PluginSettings, Settings

settings = Settings(plugins=PluginSettings(folder=Path("plugins")), log=LogSettings(to_file=False))

async def main() -> None:
    async with build_app(settings) as app:
        await app.connections.wait_finished()
"""
COMMANDS = re.findall(r"^bubbles (.*)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("text", "answer"), list(zip(PLUGINS, ("💧 × 1", "💧 2 l"), strict=True)))
def test_every_file_of_the_page_is_a_plugin_that_answers(tmp_path, text, answer):
    (tmp_path / "water_plants.py").write_text(text, encoding="utf-8")
    settings = PluginSettings(folder=tmp_path, options={"water_plants": {"litres": 2}} if "Options" in text else {})

    (reply,) = asyncio.run(talk_to_bot("water the plants", plugins=settings))

    assert reply.startswith(answer)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_page_is_there(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    words = command.split()
    arguments = words if words[0] == "new" else [*words, "--help"]

    assert CliRunner().invoke(cli, arguments).exit_code == 0


@pytest.mark.integration
@pytest.mark.timeout(120)
async def test_files_of_the_page_and_a_program_with_settings_are_strictly_typed(tmp_path):
    files = [tmp_path / f"file_{place}.py" for place in range(len(PLUGINS) + 1)]
    for file, text in zip(files, (*PLUGINS, PROGRAM), strict=True):
        file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache")]
    installed = {**os.environ, "PYTHONPATH": str(ROOT)}  # mypy does not report errors in installed packages
    process = await create_subprocess_exec(*command, *map(str, files), cwd=ROOT, env=installed, stdout=subprocess.PIPE)
    output, _ = await process.communicate()

    assert output.decode().startswith("Success")
