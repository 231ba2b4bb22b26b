"""The `bubbles` command."""

import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from bot import __version__
from bot.cli.commands import CommandGroup

_HELP = """Bubbles: a group-chat assistant whose reminders are never lost.

\b
Start here (no key, no account needed):
  bubbles chat                        talk to it in this terminal
  bubbles run                         serve the platforms of config.toml
  echo 'ann: remind me in 2 seconds to stretch' | bubbles chat --linger 5

\b
Connect a language model (any OpenAI-compatible server):
  export OPENAI_API_KEY=…             or, for a local server:
  export BUBBLES_MODEL__BASE_URL=http://127.0.0.1:8092/v1
  bubbles check                       shows what is set and what is missing
"""
_COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "run": ("bot.cli.serve:run", "Serve the chat platforms of the settings until Ctrl+C."),
    "dev": ("bot.cli.serve:dev", "Serve like `run`, and reload plugins as they change."),
    "chat": ("bot.cli.serve:chat", "Talk to the bot in this terminal. Be one person, or several (`ann: hello`)."),
    "mcp": ("bot.cli.serve:mcp", "Serve the functions over MCP on standard input and output."),
    "mcp-sign-in": (
        "bot.cli.serve:mcp_sign_in",
        "Sign in at a remote MCP server. It opens in a browser of this machine.",
    ),
    "plugins": ("bot.cli.plugins:plugins", "Show the plugins, what each adds, and what does not work."),
    "tools": (
        "bot.cli.inspect:tools",
        "Show the functions that the bot offers. With their schemas, those of plugins and tool servers too.",
    ),
    "check": ("bot.cli.inspect:check", "Validate the settings. List connections, plugins and tool servers."),
    "slack-manifest": (
        "bot.cli.inspect:slack_manifest",
        "Print the manifest of a Slack app. Its permissions, its events, a command for each function.",
    ),
    "doctor": (
        "bot.cli.doctor.examination:doctor",
        "Ask servers, model and database whether all is well. Name the next step where it is not.",
    ),
    "explain": (
        "bot.cli.records:explain",
        "Show what happened to MESSAGE (an id, or `last`). Its route, calls, checks, results, cost.",
    ),
    "replay": (
        "bot.cli.replay:replay_message",
        "Run the turn of MESSAGE (an id, or `last`) again. Compare; tools answer from the record.",
    ),
    "usage": (
        "bot.cli.records:usage",
        "Show what models and functions were used. Messages, failures, tokens, cost.",
    ),
    "backup": ("bot.cli.transfer:backup", "Copy the whole database into FILE; the bot may be running."),
    "restore": ("bot.cli.transfer:restore", "Put back the database of FILE; stop the bot first."),
    "export": (
        "bot.cli.transfer:export_all",
        "Export chats or people to a file. Reminders, history, files, settings; the bot may be running.",
    ),
    "import": ("bot.cli.transfer:import_all", "Import a FILE of `bubbles export`. Completely, or not at all."),
    "reminders": (
        "bot.cli.transfer:reminders",
        "Take reminders out, and bring them in. Prove that none was lost. To see them, say “list my reminders”.",
    ),
    "eval": (
        "benchmarks.evaluation.command:evaluation",
        "Evaluate the understanding. Times, intents and summaries, without and with a model.",
    ),
    "new": ("bot.cli.new:new", "Write a file to begin with."),
}
"""The module and the description of each command."""


def _plugin_command(name: str) -> click.Command | None:
    """Load the plugins, which may add a command of that name."""
    from bot.cli.plugins import plugin_command

    return plugin_command(name)


@click.group(
    cls=CommandGroup,
    sources=_COMMANDS,
    find_other=_plugin_command,
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="bubbles")
def cli() -> None:
    """Run a command of the bot."""


def _fill_missing_streams() -> None:
    """Open the null device for streams that are closed (`<&-`, some supervisors)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open as long as the process


def _accept_other_encodings() -> None:
    """Let no character fail on a terminal that is not UTF-8.

    An output that lacks a character (GBK, Latin-1 and ASCII have no ✅) gets a ? in its place; bytes that the input's
    encoding does not have are kept, for the console to read otherwise.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def main() -> None:
    """Entry point of the installed command."""
    _fill_missing_streams()
    _accept_other_encodings()
    # Pydantic would look into every package that is installed for one that wants to watch how models are validated.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from bot.config.terminal import terminal_language

    language = terminal_language(os.environ)
    if language is not None:
        from bot.cli.help_language import translate_help

        translate_help(cli, language)
    cli()


if __name__ == "__main__":
    main()
