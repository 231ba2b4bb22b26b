"""Log lines as text or JSON, without secrets."""

import json

import pytest
from loguru import logger

from bot.config.settings import LogSettings
from bot.observability.logs import configure_logging
from services.kernel.errors import ConfigError

SECRET = "sk-planted-secret"


@pytest.fixture
def log_error(tmp_path, capsys):
    """Return a function that logs a message with a chat and an error and returns the content of the file."""

    def log(**settings):
        configure_logging(LogSettings(**settings), tmp_path, secrets=[SECRET], is_quiet=True)
        try:
            raise ValueError(f"refused {SECRET}")
        except ValueError as error:
            logger.bind(chat="fake:home").opt(exception=error).error("the key {} was refused", SECRET)
        logger.bind(chat="fake:home").info("{curly} <red>braces</red>")
        logger.remove()
        assert SECRET not in capsys.readouterr().err
        return (tmp_path / "bubbles.log").read_text(encoding="utf-8")

    return log


def test_no_secret_is_written_not_even_in_a_trace(log_error):
    text = log_error()

    assert SECRET not in text
    assert "ValueError: refused [secret]" in text


def test_text_line_has_time_level_message_and_context(log_error):
    last = log_error().splitlines()[-1]

    assert last[24:].startswith("INFO    {curly} <red>braces</red> {'chat': 'fake:home'}")


def test_logged_text_of_others_is_one_line_without_control_characters(tmp_path, capsys):
    configure_logging(LogSettings(to_file=False), tmp_path, is_quiet=False)
    forged = "\n2026-11-21 10:00:00.000 INFO    all is well\x1b]52;c;eA==\x07"
    try:
        raise ValueError(forged)
    except ValueError as error:
        logger.opt(exception=error).error("GET {} failed", forged)
    logger.remove()
    written = capsys.readouterr().err

    assert sum(line.startswith("20") for line in written.splitlines()) == 1
    assert written.count("all is well") == 2
    assert "\x1b" not in written


def test_secret_that_json_escapes_is_masked_in_json_lines(tmp_path):
    secret = 'sk-"planted"\\secret'
    configure_logging(LogSettings(format="json"), tmp_path, secrets=[secret], is_quiet=True)
    logger.warning("the key {} was refused", secret)
    logger.remove()

    assert json.loads((tmp_path / "bubbles.log").read_text())["message"] == "the key [secret] was refused"


def test_line_with_half_a_character_is_written(tmp_path, capsys):
    configure_logging(LogSettings(), tmp_path, is_quiet=True)
    logger.warning("tea \ud83d")
    logger.remove()

    assert "tea ?" in (tmp_path / "bubbles.log").read_text()
    assert capsys.readouterr().err == ""


def test_json_lines_are_one_object_each(log_error):
    first, second = map(json.loads, log_error(format="json").splitlines())

    assert (first["level"], first["chat"], first["message"]) == ("ERROR", "fake:home", "the key [secret] was refused")
    assert first["error"].endswith("ValueError: refused [secret]")
    assert second["message"] == "{curly} <red>braces</red>"


def test_unusable_data_folder_is_reported_as_a_setting(tmp_path):
    (tmp_path / "data").write_text("a file where the folder should be")

    with pytest.raises(ConfigError, match=r"bot\.data_dir"):
        configure_logging(LogSettings(), tmp_path / "data", is_quiet=True)
