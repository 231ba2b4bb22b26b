"""`bubbles --help` in the language of the terminal, from one TOML file per language other than English."""

import tomllib
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files

import click

from bot.cli.commands import CommandGroup


@cache
def _texts(language: str) -> Mapping[str, Mapping[str, str]]:
    text = files(__package__).joinpath(f"help_{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def translated_help(language: str) -> Mapping[str, str]:
    """Return the translation of each English sentence of the help."""
    return _texts(language)["sentences"]


def translate_help(cli: CommandGroup, language: str) -> None:
    """Translate the help of `cli` and, as they are loaded, of its commands; that of plugin commands stays."""
    frame = _texts(language)["frame"]
    cli.words = translated_help(language)
    cli.translate = partial(_translate, cli.words, _context_class(frame))
    cli.translate(cli)
    cli.help = frame["head"]


def _translate(words: Mapping[str, str], context: type[click.Context], command: click.Command) -> None:
    command.help = words.get(command.help or "", command.help)
    command.context_class = context
    for option in command.params:
        if isinstance(option, click.Option):
            option.help = words.get(option.help or "", option.help)
    shown = command.get_help_option(context(command, help_option_names=["-h", "--help"]))
    if shown is not None:
        shown.help = words.get(shown.help or "", shown.help)
    if isinstance(command, click.Group):
        for each in command.commands.values():
            _translate(words, context, each)


def _context_class(frame: Mapping[str, str]) -> type[click.Context]:
    """Return a context whose help has the headings of `frame`."""

    class Formatter(click.HelpFormatter):
        def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
            super().write_usage(prog, args, prefix or frame["usage"])

        def write_heading(self, heading: str) -> None:
            super().write_heading(frame.get(heading, heading))

    class Context(click.Context):
        formatter_class = Formatter

    return Context
