"""Generate the page of the commands of `bubbles` from their help."""

from collections.abc import Iterator
from functools import cache

import click

from bot.__main__ import cli
from bot.cli.help_language import translated_help
from docs.generator.markdown import cell, table

_HEAD = """# The `bubbles` command

`bubbles COMMAND --help` shows the same in the terminal, in Chinese or Spanish if `LANG` (or `LC_ALL`,
`LC_MESSAGES`) begins with `zh` or `es`.
"""


@cache
def commands_page() -> str:
    """Return the Markdown of all commands."""
    return "\n".join([_HEAD, *(_section(path, command) for path, command in commands())])


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its path, such as `bubbles reminders list`."""
    return _below("bubbles", cli)


def _below(path: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from _below(f"{path} {name}", command)


def _section(path: str, command: click.Command) -> str:
    words = [each.make_metavar(click.Context(command)) for each in command.params if isinstance(each, click.Argument)]
    rows = [
        (", ".join(f"`{name}`" for name in each.opts), cell(each.help or ""))
        for each in command.params
        if isinstance(each, click.Option)
    ]
    text = (command.help or "").replace("\b", "").strip()
    chinese = translated_help("zh").get(command.help or "", "")
    lines = [f"## `{' '.join([path, *words])}`", "", text, "", *([chinese, ""] if chinese else [])]
    return "\n".join([*lines, *(table(("option", "meaning"), rows) if rows else []), ""])
