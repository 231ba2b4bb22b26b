"""`bubbles doctor`: what it prints, and its exit code."""

import pytest
from click.testing import CliRunner

from bot.__main__ import cli


@pytest.fixture
def examined(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(config):
        (tmp_path / "config.toml").write_text(config, encoding="utf-8")
        return CliRunner(env={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}).invoke(cli, ["doctor"])

    return run


def test_a_bot_that_is_well_has_exit_code_zero(examined):
    result = examined('[platforms]\nenabled = ["console"]\n')

    assert result.exit_code == 0
    assert "database" in result.output
    assert result.output.endswith("all is well\n")


def test_a_problem_names_the_next_step_and_has_exit_code_one(examined):
    result = examined('[platforms]\nenabled = ["telegram"]\n')

    assert result.exit_code == 1
    assert "problem  telegram token: there is none\n         next: talk to @BotFather" in result.output


def test_settings_that_are_wrong_have_exit_code_two(examined):
    result = examined("[bot]\nnam = 'x'\n")

    assert result.exit_code == 2
    assert "bot.name" in result.output


def test_place_of_a_secret_is_shown_without_the_secret(examined, tmp_path):
    (tmp_path / "key").write_text("planted-secret", encoding="utf-8")
    result = examined(f'[search]\nbrave_api_key = "file:{tmp_path / "key"}"\n')

    assert f"ok       secrets: search.brave_api_key from file {tmp_path / 'key'}\n" in result.output
    assert "planted-secret" not in result.output


def test_missing_secret_is_a_problem_with_a_next_step(examined):
    result = examined('[search]\nbrave_api_key = "file:/no/such/file"\n')

    assert result.exit_code == 2
    assert "search.brave_api_key: the file /no/such/file cannot be read" in result.output
