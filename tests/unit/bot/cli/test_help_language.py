"""The help of the command in the language of the terminal."""

import os
import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from bot.__main__ import cli
from bot.cli.help_language import translated_help
from bot.config.terminal import display_language, terminal_language
from docs.generator.commands import commands

HAN = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "es_MX.UTF-8"}, "es"),
        ({"LANG": "en_US.UTF-8"}, None),
        ({"LANG": "zh_TW.UTF-8", "LC_ALL": "C.UTF-8"}, None),
        ({"LANG": "C", "LC_MESSAGES": "zh_CN"}, "zh"),
        ({}, None),
    ],
)
def test_the_first_variable_that_is_set_decides(environment, language):
    assert terminal_language(environment) == language


@pytest.mark.parametrize(
    ("terminal", "bots", "expected"),
    [("zh_CN.UTF-8", "en", "zh"), ("C.UTF-8", "zh", "zh"), ("de_DE.UTF-8", "en", "en")],
)
def test_bots_language_is_used_unless_the_terminal_has_another(monkeypatch, terminal, bots, expected):
    monkeypatch.setenv("LC_ALL", terminal)

    assert display_language(bots) == expected


@pytest.mark.parametrize(("path", "command"), list(commands()), ids=[path for path, _ in commands()])
@pytest.mark.parametrize("language", ["zh", "es"])
def test_every_command_and_option_is_translated(language, path, command):
    options = [each.help for each in command.params if isinstance(each, click.Option) and each.help]

    assert [text for text in [command.help, *options] if text not in translated_help(language)] == []


GROUPS = [(path, command) for path, command in commands() if isinstance(command, click.Group)]


@pytest.mark.parametrize(("path", "group"), GROUPS, ids=[path for path, _ in GROUPS])
def test_the_list_of_commands_cuts_no_sentence_short(path, group):
    words = path.split()[1:]
    output = CliRunner().invoke(cli, [*words, "--help"], terminal_width=80).output.partition("Commands:")[2]

    assert output
    assert [line for line in output.splitlines() if line.endswith("...")] == []


@pytest.mark.parametrize("language", ["zh", "es"])
def test_translations_of_removed_commands_are_removed(language):
    texts = {command.help for _, command in commands()} | {"Show this message and exit.", "Show the version and exit."}
    texts |= {each.help for _, command in commands() for each in command.params if isinstance(each, click.Option)}

    assert set(translated_help(language)) - texts == set()


def print_help(*words, language):
    environment = {"PATH": os.environ["PATH"], "LANG": language, "PYTHONUTF8": "1"}
    return subprocess.check_output([sys.executable, "-m", "bot", *words, "--help"], env=environment, text=True)


def test_a_chinese_terminal_is_helped_in_chinese():
    whole, one = print_help(language="zh_CN.UTF-8"), print_help("reminders", "verify", language="zh_CN.UTF-8")

    assert "从这里开始" in whole
    assert "用法：" in whole
    assert "选项" in whole
    assert "显示版本并退出" in whole
    assert "说明一段时间里每一次提醒的下落" in one
    assert "结束的日期或时间" in one


def test_a_spanish_terminal_is_helped_in_spanish():
    whole, one = print_help(language="es_ES.UTF-8"), print_help("reminders", "verify", language="es_ES.UTF-8")

    assert "Empieza aquí" in whole
    assert "Uso: " in whole
    assert "Opciones" in whole
    assert "Último día u hora" in one


def test_any_other_terminal_is_helped_in_english():
    assert not HAN.search(print_help(language="C.UTF-8"))
    assert cli.help.startswith("Bubbles: a group-chat")
