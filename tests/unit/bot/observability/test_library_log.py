"""Warnings and errors of libraries in the bot's log."""

import logging

import pytest
from loguru import logger

from bot.config.settings import LogSettings
from bot.observability.logs import LibraryLog, configure_logging


@pytest.fixture
def read_log(tmp_path):
    """Yield a function that returns the lines of the log file."""
    configure_logging(LogSettings(), tmp_path, secrets=["sk-planted"], is_quiet=True)
    yield lambda: (tmp_path / "bubbles.log").read_text(encoding="utf-8").splitlines()
    logger.remove()
    root = logging.getLogger()
    root.handlers = [each for each in root.handlers if not isinstance(each, LibraryLog)]


def test_repeated_error_of_a_library_is_logged_once_in_ten_seconds(read_log):
    for number in range(1000):
        try:
            raise OSError(24, "Too many open files")
        except OSError as error:
            message = f"socket.accept() out of system resource\nsocket: fd {number}"
            logging.getLogger("asyncio").error(message, exc_info=error)

    assert len([line for line in read_log() if "out of system resource" in line]) == 1
    assert len(read_log()) < 20


def test_different_errors_of_libraries_are_all_logged_without_secrets(read_log):
    logging.getLogger("one").warning("refused %s", "sk-planted")
    logging.getLogger("two").warning("refused %s", "sk-planted")

    assert [line.count("refused [secret]") for line in read_log()] == [1, 1]


def test_line_of_a_level_that_only_a_library_knows_is_logged(read_log):
    logging.getLogger("library").log(35, "a notice")

    assert any("a notice" in line for line in read_log())


def test_line_that_a_library_cannot_format_does_not_stop_it(read_log):
    record = logging.LogRecord("library", logging.WARNING, "x.py", 1, "%d files", ("no",), None)
    LibraryLog().handle(record)

    assert any("%d files" in line for line in read_log())
