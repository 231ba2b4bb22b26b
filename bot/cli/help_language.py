"""`bubbles --help` in the language of the terminal: English, or Chinese where LC_ALL, LC_MESSAGES or LANG say so."""

import tomllib
from collections.abc import Mapping
from functools import partial
from importlib.resources import files
from typing import Final

import click

from bot.cli.commands import CommandGroup

_HEADINGS: Final = {"Options": "选项", "Commands": "命令"}
_HEAD: Final = """Bubbles：会提醒、会总结的群聊助手，提醒绝不丢失。

\b
从这里开始（不需要密钥，也不需要账号）：
  bubbles chat                        在这个终端里聊天
  bubbles run                         按 config.toml 服务各聊天平台
  echo '小安: 2秒后提醒我伸个懒腰' | bubbles chat --linger 5

\b
连接语言模型（任何兼容 OpenAI 的服务器）：
  export OPENAI_API_KEY=…             或者用本地服务器：
  export BUBBLES_MODEL__BASE_URL=http://127.0.0.1:8092/v1
  bubbles check                       说明设置了什么、还缺什么
"""


def chinese_help() -> Mapping[str, str]:
    """Return the Chinese of each English sentence of the help."""
    text = files(__package__).joinpath("help_zh.toml").read_text(encoding="utf-8")
    return {english: str(chinese) for english, chinese in tomllib.loads(text).items()}


def put_into_chinese(cli: CommandGroup) -> None:
    """Let `cli` and its commands, as they are loaded, explain themselves in Chinese; what a plugin adds stays."""
    cli.words = chinese_help()
    cli.translate = partial(_translate, cli.words)
    _translate(cli.words, cli)
    cli.help = _HEAD


def _translate(words: Mapping[str, str], command: click.Command) -> None:
    command.help = words.get(command.help or "", command.help)
    command.context_class = _Context
    for option in command.params:
        if isinstance(option, click.Option):
            option.help = words.get(option.help or "", option.help)
    shown = command.get_help_option(_Context(command, help_option_names=["-h", "--help"]))
    if shown is not None:
        shown.help = words.get(shown.help or "", shown.help)
    if isinstance(command, click.Group):
        for each in command.commands.values():
            _translate(words, each)


class _Formatter(click.HelpFormatter):
    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or "用法：")

    def write_heading(self, heading: str) -> None:
        super().write_heading(_HEADINGS.get(heading, heading))


class _Context(click.Context):
    formatter_class = _Formatter
