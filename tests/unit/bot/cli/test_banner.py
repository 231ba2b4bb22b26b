"""Text printed at the start of `bubbles run`."""

import pytest
from click.testing import CliRunner
from pydantic import SecretStr

from bot.__main__ import cli
from bot.cli.serve import banner
from bot.config.settings import ModelSettings, PlatformSettings, SearchSettings, Settings


@pytest.mark.parametrize(("language", "word"), [("en", "set OPENAI_API_KEY"), ("zh", "请设置 OPENAI_API_KEY")])
def test_missing_parts_are_shown_with_the_next_step_in_the_terminals_language(language, word):
    text = "\n".join(banner(Settings(), language))

    assert word in text
    assert "PERPLEXITY_API_KEY" in text
    assert "console" in text


def test_configured_parts_are_shown_without_keys():
    settings = Settings(
        model=ModelSettings(name="small", api_key=SecretStr("hunter2hunter2")),
        search=SearchSettings(tavily_api_key=SecretStr("hunter3hunter3")),
        platforms=PlatformSettings(enabled=("telegram", "irc")),
    )
    text = "\n".join(banner(settings, "en"))

    assert "telegram, irc" in text
    assert "Model: small." in text
    assert "hunter" not in text
    assert "PERPLEXITY" not in text


@pytest.mark.parametrize(
    ("variable", "value", "key"),
    [("PLATFORMS__ENABLED", "irc", "platforms.irc.host"), ("HTTP__HOST", "192.0.2.1", "http.host")],
)
def test_start_that_fails_is_not_announced(tmp_path, monkeypatch, variable, value, key):
    monkeypatch.chdir(tmp_path)
    result = CliRunner(env={f"BUBBLES_{variable}": value}).invoke(cli, ["run"])

    assert result.exit_code == 2
    assert result.output.startswith("bubbles: ")
    assert key in result.output
