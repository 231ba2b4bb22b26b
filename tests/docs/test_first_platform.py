"""The plugin file of the tutorial on platforms; `test_tutorials.py` follows the whole page."""

import re
from pathlib import Path

from click.testing import CliRunner

from bot.__main__ import cli

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial" / "first-platform.md").read_text(encoding="utf-8")
*FILE, _TEST = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_plugin_is_shown_with_its_contributions(tmp_path, monkeypatch):
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "lines.py").write_text("\n\n".join(FILE), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["plugins"])

    assert result.exit_code == 0
    assert "lines" in result.output
