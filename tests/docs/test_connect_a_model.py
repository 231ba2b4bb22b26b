"""Run the examples of docs/how-to/connect-a-model.md."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.evaluation.prompts import load_own_prompts
from bot.__main__ import cli
from bot.config.sources import load_settings
from function_calls.conversation.assistant import LoopLimits
from services.kernel.network import CircuitBreaker
from services.language_model.openai_model import OpenAIModel, RequestRetries

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "connect-a-model.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
SHELL = [text for language, text in BLOCKS if language == "sh"]
TOML = [text for language, text in BLOCKS if language == "toml"]
PYTHON = [text for language, text in BLOCKS if language == "python"]
COMMANDS = [line for text in SHELL for line in text.splitlines() if line.startswith("bubbles ")]


@pytest.mark.parametrize("block", [text for text in SHELL if "BUBBLES_MODEL__" in text])
def test_the_variables_are_settings_that_connect_a_model(block, tmp_path):
    (tmp_path / "config.toml").touch()
    exported = dict(shlex.split(line)[1].split("=", 1) for line in block.splitlines() if line.startswith("export "))

    settings = load_settings(tmp_path / "config.toml", exported)

    assert settings.model.is_configured
    assert settings.model.name == exported["BUBBLES_MODEL__NAME"]


@pytest.mark.parametrize("block", TOML)
def test_the_lines_of_config_toml_are_settings(block, tmp_path):
    (tmp_path / "config.toml").write_text(block, encoding="utf-8")

    load_settings(tmp_path / "config.toml", {})


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_its_options_exist(command):
    words = shlex.split(command)[1:]
    path = [word for word in words if word in {"check", "chat", "eval", "tools", "explain", "replay"}]

    result = CliRunner().invoke(cli, [*path, "--help"])

    assert result.exit_code == 0
    assert all(word in result.output for word in words if word.startswith("--"))


def test_the_chain_of_models_can_be_made():
    names: dict[str, object] = {}
    exec(PYTHON[0], names)

    assert names["model"].name


def test_the_numbers_in_the_text_are_those_of_the_code():
    breaker = CircuitBreaker.__init__.__kwdefaults__

    assert (breaker["failures"], breaker["cooldown"]) == (3, 30.0)
    assert RequestRetries().max_wait == 20
    assert LoopLimits().seconds == 120
    assert f"{len(load_own_prompts())} in both languages" in PAGE


def test_a_server_may_need_no_key():
    assert "qwen2.5" in repr(OpenAIModel("qwen2.5", base_url="http://127.0.0.1:11434/v1"))
