"""The output and the exit codes of `bubbles doctor`."""

import pytest
from click.testing import CliRunner

from bot.__main__ import cli


@pytest.fixture
def examined(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(config, *words, locale="C.UTF-8"):
        (tmp_path / "config.toml").write_text(config, encoding="utf-8")
        environment = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "LC_ALL": locale}
        return CliRunner(env=environment).invoke(cli, words or ["doctor"])

    return run


def test_a_bot_that_is_well_has_exit_code_zero(examined):
    result = examined('[platforms]\nenabled = ["console"]\n')

    assert result.exit_code == 0
    assert "database" in result.output
    assert result.output.endswith("all is well\n")


def test_a_problem_names_the_next_step_and_has_exit_code_one(examined):
    result = examined('[platforms]\nenabled = ["telegram"]\n')

    assert result.exit_code == 1
    assert "problem  Telegram token: there is none\n         next: talk to @BotFather" in result.output


def test_settings_that_are_wrong_have_exit_code_two(examined):
    result = examined("[bot]\nnam = 'x'\n")

    assert result.exit_code == 2
    assert "bot.name" in result.output


@pytest.mark.parametrize("command", ["doctor", "check", "tools"])
def test_all_errors_of_the_settings_are_reported_at_once(examined, monkeypatch, command):
    monkeypatch.setenv("BUBBLES_BOT__NAM", "Pearl")
    result = examined('[bot]\nlanguage = 3\n[http]\nport = "abc"\n[bots]\n[platforms.irc]\nport = "x"\n', command)

    assert result.exit_code == 2
    assert [line[9:] for line in result.output.replace("problem  settings:", "problem ").splitlines()[:5]] == [
        "environment: BUBBLES_BOT__NAM: unknown setting; did you mean bot.name?",
        "config.toml: bots: unknown setting; did you mean bot?",
        "config.toml: platforms.irc.port: Must be a number.",
        "config.toml: bot.language: Must be one of: 'en', 'zh', 'es'.",
        "config.toml: http.port: Must be a number.",
    ]


def test_place_of_a_secret_is_shown_without_the_secret(examined, tmp_path):
    (tmp_path / "key").write_text("planted-secret", encoding="utf-8")
    result = examined(f'[search]\nbrave_api_key = "file:{tmp_path / "key"}"\n')

    assert f"ok       secrets: search.brave_api_key from file {tmp_path / 'key'}\n" in result.output
    assert "planted-secret" not in result.output


def test_missing_secret_is_a_problem_with_a_next_step(examined):
    result = examined('[search]\nbrave_api_key = "file:/no/such/file"\n')

    assert result.exit_code == 2
    assert "search.brave_api_key: the file /no/such/file cannot be read" in result.output


@pytest.mark.parametrize(
    ("settings", "locale", "lines"),
    [
        (
            'language = "zh"',
            "C.UTF-8",
            ["正常       密钥: 一个也没有设置", "问题       Telegram 令牌: 没有设置", "有 1 处需要解决"],
        ),
        ('language = "zh"', "es_ES.UTF-8", ["bien     secretos: no hay ninguno", "problema token de Telegram: no hay"]),
    ],
    ids=["of the bot", "of the terminal"],
)
def test_findings_are_in_the_language_of_the_terminal_or_else_of_the_bot(examined, settings, locale, lines):
    result = examined(f'[bot]\n{settings}\n[platforms]\nenabled = ["telegram"]\n', locale=locale)

    assert result.exit_code == 1
    assert [line for line in lines if line not in result.output.splitlines()] == []


@pytest.mark.parametrize("command", ["doctor", "check", "tools"])
@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ('[bot]\nlanguage = "zh"\nnam = "x"\n', "config.toml: bot.nam: 没有这项设置；你是想写 bot.name 吗？"),
        ('[bot]\nlanguage = "es"\n[http]\nport = 99999\n', "config.toml: http.port: Debe ser como máximo 65535."),
        ('[bot]\nlanguage = "ez"\n', "config.toml: bot.language: Must be one of: 'en', 'zh', 'es'"),
    ],
)
def test_error_of_the_settings_is_in_the_language_that_they_name(examined, command, settings, problem):
    result = examined(settings, command)

    assert result.exit_code == 2
    assert problem in result.output


def test_missing_setting_of_a_platform_is_told_in_spanish(examined):
    result = examined('[bot]\nlanguage = "es"\n[platforms]\nenabled = ["irc"]\n', "check")

    assert result.output == "problema settings: platforms.irc.host: escribe el servidor, por ejemplo irc.libera.chat\n"
