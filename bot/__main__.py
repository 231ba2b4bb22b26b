"""The `bubbles` command."""

import sys
from pathlib import Path

import click

from bot import __version__

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


@click.group(help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="bubbles")
def cli() -> None:
    """Hold the commands together."""


@cli.command()
@_config
def run(config: Path | None) -> None:
    """Serve the chat platforms of the settings until Ctrl+C."""
    from bot.commands.serve import serve

    sys.exit(serve(config))


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
    """Talk to the bot in this terminal, alone or as several people (`ann: hello`)."""
    from bot.commands.serve import talk

    sys.exit(talk(config, person=person, linger_seconds=linger))


@cli.command()
@_config
@click.option("--json", "as_json", is_flag=True, help="The tool list exactly as a model is sent it.")
def tools(config: Path | None, as_json: bool) -> None:
    """Show the functions that the bot offers, with their schemas."""
    from bot.commands.inspect import show_tools

    sys.exit(show_tools(config, as_json=as_json))


@cli.command()
@_config
def check(config: Path | None) -> None:
    """Validate the settings and say what is connected and what is missing."""
    from bot.commands.inspect import check_settings

    sys.exit(check_settings(config))


_message = click.argument("message")
_chat = click.option("--chat", help="Chat of the message, as platform:id, where several chats have such an id.")


@cli.command()
@_config
@_message
@_chat
def explain(config: Path | None, message: str, chat: str | None) -> None:
    """Show what happened to MESSAGE (an id, or `last`): route, calls, checks, results, cost."""
    from bot.commands.explain import explain as explain_message

    sys.exit(explain_message(config, message, chat=chat))


@cli.command()
@_config
@_message
@_chat
@click.option("--model", help="Model to ask instead of the configured one.")
@click.option("--base-url", help="OpenAI-compatible server to ask instead of the configured one.")
def replay(config: Path | None, message: str, chat: str | None, model: str | None, base_url: str | None) -> None:
    """Run the turn of MESSAGE (an id, or `last`) again and compare; tools answer from the record."""
    from bot.commands.replay import replay_message

    sys.exit(replay_message(config, message, chat=chat, model=model, base_url=base_url))


def main() -> None:
    """Entry point of the installed command."""
    cli()


if __name__ == "__main__":
    main()
