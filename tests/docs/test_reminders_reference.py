"""Code blocks of the reference of reminders, run unchanged."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.__main__ import cli

for library in ("holidays", "icalendar"):
    pytest.importorskip(library)

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "reminders.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [line for language, text in BLOCKS if language == "sh" for line in text.splitlines()]


def test_the_program_of_the_page_runs():
    program = "\n".join(text for language, text in BLOCKS if language == "python")

    exec(compile(program, "reminders.md", "exec"), {"__name__": "reference"})  # the page is ours

    assert program.count("assert") >= 9


def test_the_commands_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BUBBLES_BOT__DATA_DIR", str(tmp_path))
    event = "BEGIN:VEVENT\nUID:1\nSUMMARY:tea\nDTSTART:20261120T090000Z\nRRULE:FREQ=DAILY\nEND:VEVENT\n"
    (tmp_path / "tea.ics").write_text(f"BEGIN:VCALENDAR\n{event}END:VCALENDAR\n", encoding="utf-8")
    CliRunner().invoke(cli, ["reminders", "import", "tea.ics", "--chat", "console:home"])

    codes = [CliRunner().invoke(cli, shlex.split(line, comments=True)[1:]).exit_code for line in COMMANDS]

    assert codes == [0] * 5


def test_only_languages_that_are_run_are_shown():
    assert {language for language, _ in BLOCKS} == {"python", "sh"}
