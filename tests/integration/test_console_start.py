"""Input at the console before the bot is ready."""

import os
import subprocess
import sys

import pytest

from benchmarks.terminal import Terminal

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]
CHAT = (sys.executable, "-m", "bot", "chat", "--person", "ann")
SECONDS = 30


@pytest.fixture
def environment(tmp_path):
    return os.environ | {"BUBBLES_BOT__DATA_DIR": str(tmp_path), "BUBBLES_LOG__LEVEL": "WARNING"}


def test_text_typed_at_the_first_prompt_is_answered(environment):
    with Terminal(CHAT, environment) as terminal:
        terminal.wait_for("ann> ", SECONDS)
        terminal.type("list my reminders")
        terminal.wait_for("Bubbles: No reminders here", SECONDS)
        terminal.type("/quit")

        assert terminal.process.wait(SECONDS) == 0


def test_line_and_end_of_input_typed_early_are_read_and_shown_once(environment):
    with Terminal(CHAT, environment) as terminal:
        terminal.wait_for("ann> ", SECONDS)
        terminal.type("list my reminders")
        terminal.send_eof()
        terminal.wait_for("Bubbles: No reminders here", SECONDS)

        assert terminal.process.wait(SECONDS) == 0
        assert terminal.output.count("list my reminders") == 1


def test_failed_start_after_the_prompt_prints_its_reason(environment):
    broken = environment | {"TOOL_SERVER_CONNECTIONS": "no JSON"}
    with Terminal(CHAT, broken) as terminal:
        terminal.wait_for("ann> ", SECONDS)
        terminal.wait_for("bubbles: ", SECONDS)

        assert terminal.process.wait(SECONDS) == 2
        assert "Traceback" not in terminal.output


def test_process_without_input_and_output_ends_quietly(environment):
    command = ["sh", "-c", 'exec "$0" -m bot chat <&- >&-', sys.executable]
    result = subprocess.run(command, env=environment, stderr=subprocess.PIPE, timeout=SECONDS, check=False)

    assert (result.returncode, result.stderr) == (0, b"")
