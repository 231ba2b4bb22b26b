"""Lines typed in a terminal before the prompt."""

import os
import pty
import tty

import pytest

from bot.platforms.console import EarlyInput, read_typed_lines


@pytest.fixture
def keyboard():
    """Yield both ends of a terminal: the one that writes and the one that reads."""
    here, there = pty.openpty()
    with os.fdopen(there) as terminal:
        yield here, terminal
    os.close(here)


def test_lines_that_were_typed_early_come_in_their_order(keyboard):
    here, terminal = keyboard
    os.write(here, "first\r提醒我\rbegun".encode())

    assert read_typed_lines(terminal) == EarlyInput(lines=("first\n", "提醒我\n"))


def test_end_of_input_typed_early_is_read(keyboard):
    here, terminal = keyboard
    os.write(here, b"first\r\x04")

    assert read_typed_lines(terminal) == EarlyInput(lines=("first\n",), has_ended=True)


def test_letters_that_are_handed_over_one_by_one_are_left_to_the_prompt(keyboard):
    here, terminal = keyboard
    tty.setraw(terminal)
    os.write(here, b"beg")

    assert read_typed_lines(terminal) == EarlyInput()


def test_without_typed_text_nobody_waits(keyboard):
    _, terminal = keyboard

    assert read_typed_lines(terminal) == EarlyInput()
