"""The tutorial on platforms, word for word: its file is a plugin, and its test passes."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.__main__ import cli

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial" / "first-platform.md").read_text(encoding="utf-8")
*FILE, TEST = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The reader's folder, with the file of the page in it."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "lines.py").write_text("\n\n".join(FILE), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.integration  # it waits for a reminder by the machine's own clock
@pytest.mark.usefixtures("folder")
async def test_the_test_of_the_page_passes():
    names = {}
    exec(compile(TEST, "test_lines.py", "exec"), names)

    await names["test_everybody_in_the_room_hears_of_the_tea"]()


@pytest.mark.usefixtures("folder")
def test_the_plugin_is_shown_with_what_it_adds():
    shown = CliRunner().invoke(cli, ["plugins"])

    assert shown.exit_code == 0
    assert "lines" in shown.output
