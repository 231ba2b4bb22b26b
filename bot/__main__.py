"""The `bubbles` command."""

import io
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import click

from bot import __version__
from services.kernel.startup_imports import import_without_gc

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

_config = click.option(
    "--config",
    "config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings file; config.toml of this folder by default.",
)


class _WithPlugins(click.Group):
    """The commands of `bubbles`; a name that is none of them may be a plugin's, which are loaded only then."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        from bot.cli.plugins import plugin_command

        return plugin_command(cmd_name)


@click.group(cls=_WithPlugins, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="bubbles")
def cli() -> None:
    """Hold the commands together."""


@cli.command()
@_config
def run(config: Path | None) -> None:
    """Serve the chat platforms of the settings until Ctrl+C."""
    with import_without_gc():
        from bot.cli.serve import serve

    sys.exit(serve(config))


@cli.command()
@_config
def dev(config: Path | None) -> None:
    """Serve like `run`, and reload plugins as they change."""
    with import_without_gc():
        from bot.cli.serve import develop

    sys.exit(develop(config))


@cli.command()
@_config
def plugins(config: Path | None) -> None:
    """Show the plugins, what each adds, and what does not work."""
    from bot.cli.plugins import show_plugins

    sys.exit(show_plugins(config))


@cli.command()
@_config
@click.option("--person", help="Who you are at the start; your login name by default.")
@click.option(
    "--linger",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Seconds to stay after the input ends, so that reminders can arrive.",
)
def chat(config: Path | None, person: str | None, linger: float) -> None:
    """Talk to the bot in this terminal. Be one person, or several (`ann: hello`)."""
    with import_without_gc():
        from bot.cli.serve import talk

    sys.exit(talk(config, person=person, linger_seconds=linger))


@cli.command()
@_config
@click.option("--chat", default="console:home", show_default=True, help="The chat that the client acts in.")
@click.option("--person", help="Who the client acts for; your login name by default.")
def mcp(config: Path | None, chat: str, person: str | None) -> None:
    """Offer the functions to an MCP client. It is spoken to on standard input and output."""
    from bot.cli.mcp import serve_mcp

    sys.exit(serve_mcp(config, chat=chat, person=person))


@cli.command()
@_config
@click.option("--json", "as_json", is_flag=True, help="The tool list exactly as a model is sent it.")
def tools(config: Path | None, as_json: bool) -> None:
    """Show the functions that the bot offers. With their schemas, those of plugins and tool servers too."""
    from bot.cli.inspect import show_tools

    sys.exit(show_tools(config, as_json=as_json))


@cli.command()
@_config
def check(config: Path | None) -> None:
    """Validate the settings. Say what is connected, what is missing, how plugins and tool servers are."""
    from bot.cli.inspect import check_settings

    sys.exit(check_settings(config))


@cli.command()
@_config
def doctor(config: Path | None) -> None:
    """Ask servers, model and database whether all is well. Name the next step where it is not."""
    from bot.cli.doctor_command import examine_bot

    sys.exit(examine_bot(config))


@cli.command(name="slack-manifest")
@_config
@click.option("--url", default="", help="Public address of the bot, for HTTP; without it the app uses Socket Mode.")
def slack_manifest(config: Path | None, url: str) -> None:
    """Print the manifest of a Slack app. Its permissions, its events, a command for each function."""
    from bot.cli.manifest import show_slack_manifest

    sys.exit(show_slack_manifest(config, url=url))


_message = click.argument("message")
_chat = click.option("--chat", help="Chat of the message, as platform:id, where several chats have such an id.")


@cli.command()
@_config
@_message
@_chat
def explain(config: Path | None, message: str, chat: str | None) -> None:
    """Show what happened to MESSAGE (an id, or `last`). Its route, calls, checks, results, cost."""
    from bot.cli.explain import explain as explain_message

    sys.exit(explain_message(config, message, chat=chat))


@cli.command()
@_config
@_message
@_chat
@click.option("--model", help="Model to ask instead of the configured one.")
@click.option("--base-url", help="OpenAI-compatible server to ask instead of the configured one.")
def replay(config: Path | None, message: str, chat: str | None, model: str | None, base_url: str | None) -> None:
    """Run the turn of MESSAGE (an id, or `last`) again. Compare; tools answer from the record."""
    from bot.cli.replay import replay_message

    sys.exit(replay_message(config, message, chat=chat, model=model, base_url=base_url))


@cli.command()
@_config
@click.option(
    "--by", type=click.Choice(["chat", "person", "function", "day"]), default="chat", show_default=True, help="Rows."
)
@click.option("--days", type=click.IntRange(min=1), default=30, show_default=True, help="How far to look back.")
def usage(config: Path | None, by: Literal["chat", "person", "function", "day"], days: int) -> None:
    """Show what models and functions were used. Messages, failures, tokens, cost."""
    from bot.cli.usage import show_usage

    sys.exit(show_usage(config, by, days))


@cli.command()
@_config
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(config: Path | None, file: Path) -> None:
    """Copy the whole database into FILE; the bot may be running."""
    from bot.cli.backup import back_up_to

    sys.exit(back_up_to(config, file))


@cli.command()
@_config
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def restore(config: Path | None, file: Path) -> None:
    """Put back the database of FILE; stop the bot first."""
    from bot.cli.backup import restore_from

    sys.exit(restore_from(config, file))


@cli.command(name="export")
@_config
@click.option("--chat", "chats", multiple=True, help="A chat, as platform:id; as often as you like.")
@click.option("--person", "people", multiple=True, help="A person, as platform:id; as often as you like.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="File to write; it must not exist."
)
def export_all(config: Path | None, chats: tuple[str, ...], people: tuple[str, ...], out: Path) -> None:
    """Write all that chats or people have to a file. Reminders, history, files, settings; the bot may be running."""
    from bot.cli.transfer import export_everything

    sys.exit(export_everything(config, chats, people, out))


@cli.command(name="import")
@_config
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def import_all(config: Path | None, file: Path) -> None:
    """Bring in what `bubbles export` wrote to FILE. All of it, or nothing and a report."""
    from bot.cli.transfer import import_everything

    sys.exit(import_everything(config, file))


@cli.group()
def reminders() -> None:
    """Take reminders out, and bring them in. Prove that none was lost."""


_of_chat = click.option("--chat", required=True, help="The chat, as platform:id, such as console:home.")


@reminders.command(name="export")
@_config
@_of_chat
@click.option("--format", "form", type=click.Choice(["json", "ics"]), default="json", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write; standard output by default."
)
def export_command(config: Path | None, chat: str, form: str, out: Path | None) -> None:
    """Write the reminders of a chat as JSON or iCalendar. The bot may be running."""
    from bot.cli.portable import export_reminders

    sys.exit(export_reminders(config, chat, form, out))


@reminders.command(name="import")
@_config
@_of_chat
@click.option("--owner", help="Person (id) that events of other calendars are given to; yours by default.")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def import_command(config: Path | None, chat: str, owner: str | None, file: Path) -> None:
    """Bring the reminders of FILE (JSON or iCalendar) into a chat. All of them, or none and a report."""
    from bot.cli.portable import import_reminders

    sys.exit(import_reminders(config, file, chat, owner))


@reminders.command(name="verify")
@_config
@click.option("--since", help="First day or time, as 2026-11-14 or 2026-11-14T09:00; seven days ago by default.")
@click.option("--until", help="Last day or time; now by default.")
def verify_command(config: Path | None, since: str | None, until: str | None) -> None:
    """Show what became of every occurrence of a period. Say whether one was lost."""
    from bot.cli.portable import verify_reminders

    sys.exit(verify_reminders(config, since, until))


_data = click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with the cases; the project's own small set by default.",
)
_errors = click.option(
    "--errors", type=click.IntRange(min=0), default=0, show_default=True, help="How many misses to show."
)


@cli.group(name="eval")
def evaluation() -> None:
    """Measure how well the bot understands. Times, intents and summaries, and what it makes of a model."""
    if find_spec("benchmarks.evaluation") is None:
        raise click.ClickException(
            "the evaluation is not part of the package: run it from a checkout, after make install"
        )


@evaluation.command(name="time")
@_data
@_errors
def eval_time(data: Path | None, errors: int) -> None:
    """Accuracy on time expressions, per corpus and kind."""
    from benchmarks.evaluation.command import evaluate_time

    sys.exit(evaluate_time(data, errors))


@evaluation.command(name="intents")
@_data
@_errors
def eval_intents(data: Path | None, errors: int) -> None:
    """Measure the offline interpreter on sentences. Tools, restraint, contents, times."""
    from benchmarks.evaluation.command import evaluate_intents

    sys.exit(evaluate_intents(data, errors))


@evaluation.command(name="summary")
@_data
def eval_summary(data: Path | None) -> None:
    """ROUGE and citation validity of summaries made without a model. Beside baselines."""
    from benchmarks.evaluation.command import evaluate_summary

    sys.exit(evaluate_summary(data))


@evaluation.command(name="tools")
@click.option("--base-url", required=True, help="OpenAI-compatible server, such as http://127.0.0.1:8092/v1.")
@click.option("--model", required=True, help="Model name as that server knows it.")
@click.option(
    "--api-key", envvar="OPENAI_API_KEY", default="none", help="Key of that server; OPENAI_API_KEY by default."
)
@click.option(
    "--style",
    type=click.Choice(["auto", "native", "json_router", "prompt"]),
    default="auto",
    show_default=True,
    help="How tools are offered to the model.",
)
@click.option(
    "--timeout", type=click.FloatRange(min=1), default=60.0, show_default=True, help="Seconds one answer may take."
)
@click.option("--limit", type=click.IntRange(min=0), default=0, help="At most so many prompts; 0 = all.")
@_data
@_errors
def eval_tools(
    base_url: str,
    model: str,
    api_key: str,
    style: Literal["auto", "native", "json_router", "prompt"],
    timeout: float,
    limit: int,
    data: Path | None,
    errors: int,
) -> None:
    """Say prompts to the bot with a model behind it. Right tools, right arguments, false triggers, latency."""
    from benchmarks.evaluation.command import ModelEndpoint, evaluate_tools

    endpoint = ModelEndpoint(base_url=base_url, name=model, api_key=api_key, style=style, timeout_seconds=timeout)
    sys.exit(evaluate_tools(endpoint, data, limit=limit, errors=errors))


@cli.group()
def new() -> None:
    """Write a file to begin with."""


@new.command(name="handler")
@click.argument("name")
def new_handler(name: str) -> None:
    """Write a function called NAME and its test into this folder."""
    from bot.cli.new import new_handler as write_handler

    sys.exit(write_handler(name, Path.cwd()))


@new.command(name="plugin")
@click.argument("name")
def new_plugin(name: str) -> None:
    """Write a plugin called NAME and its test into `plugins` here."""
    from bot.cli.new import new_plugin as write_plugin

    sys.exit(write_plugin(name, Path.cwd() / "plugins"))


def _fill_missing_streams() -> None:
    """Let whoever was started without an input or an output (`<&-`, some supervisors) read and write nothing."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open as long as the process


def _bear_other_encodings() -> None:
    """Let a terminal that is not UTF-8 stop nothing.

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
    _bear_other_encodings()
    # Pydantic would look into every package that is installed for one that wants to watch how models are validated.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from bot.config.terminal import speaks_chinese

    if speaks_chinese(os.environ):
        from bot.cli.help_language import put_into_chinese

        put_into_chinese(cli)
    cli()


if __name__ == "__main__":
    main()
