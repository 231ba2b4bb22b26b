"""`bubbles run`, `dev`, `chat` and `mcp`: show the banner or the prompt early, then start the bot."""

import asyncio
import getpass
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from bot import __version__
from bot.cli.commands import CommandFailed, config_option
from bot.config.editor import SettingsEditor
from bot.config.settings import Settings
from bot.config.sources import load_settings, operator_language, settings_place
from bot.config.terminal import display_language
from bot.platforms import console
from bot.platforms.catalog import create_platforms
from bot.platforms.kit.adapter import PlatformParts
from function_calls.language.messages import say, text_in
from services.kernel.clock import SystemClock
from services.kernel.errors import StorageBusy
from services.kernel.startup_imports import import_without_gc


@click.command()
@config_option
def run(config: Path | None) -> None:
    """Serve the platforms of the settings until they end or a signal comes."""
    _serve(config, watches_plugins=False)


@click.command()
@config_option
def dev(config: Path | None) -> None:
    """Serve, and reload plugins when their files change."""
    _serve(config, watches_plugins=True)


@click.command()
@config_option
@click.option("--person", help="Who you are at the start; your login name by default.")
@click.option(
    "--linger",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Seconds to stay after the input ends, so that reminders can arrive.",
)
def chat(config: Path | None, person: str | None, linger: float) -> None:
    """Serve the console alone, which prompts while the bot starts; stay `linger` seconds after its end."""
    settings, clock = load_settings(config).with_console(person), SystemClock()
    terminal = console.create(PlatformParts(settings=settings, clock=clock))
    terminal.invite()
    with import_without_gc():
        from bot.cli.runner import BotRunner

    with suppress(KeyboardInterrupt):
        BotRunner(clock=clock, platforms=[terminal], linger_seconds=linger).run(settings)


@click.command()
@config_option
@click.option("--chat", default="console:home", show_default=True, help="The chat that the client acts in.")
@click.option("--person", help="Who the client acts for; your login name by default.")
def mcp(config: Path | None, chat: str, person: str | None) -> None:
    """Serve one MCP client until it disconnects, and the chat platforms of the settings."""
    try:
        from bot.cli.runner import run_mcp_server

        run_mcp_server(load_settings(config), chat, person or getpass.getuser())
    except StorageBusy as error:
        raise CommandFailed(f"{error}; the running bot offers the same at /mcp of its page") from error
    except ImportError as error:
        raise CommandFailed(say(operator_language(config), "server.no_mcp"), 2) from error


@click.command("mcp-sign-in")
@config_option
@click.argument("name")
def mcp_sign_in(config: Path | None, name: str) -> None:
    """Sign in at the remote MCP server called NAME, in a browser of this machine."""
    from bot.tools.servers.sources import mcp_server

    settings = load_settings(config)
    server = mcp_server(settings.tool_servers, name, settings.mcp_token_folder)
    if server is None or server.oauth is None:
        raise CommandFailed(f"neither tool_servers.mcp_file nor connections have a server {name} with `oauth`", 2)
    if not server.oauth.needs_sign_in:
        raise CommandFailed(f"{name} uses client credentials; it needs no sign-in", 2)
    try:
        from bot.tools.servers.mcp.oauth import sign_in
        from bot.tools.servers.mcp.toolset import describe_error
    except ImportError as error:
        raise CommandFailed(say(operator_language(config), "server.no_mcp"), 2) from error
    try:
        count = asyncio.run(sign_in(server, server.oauth, lambda address: click.echo(f"Open {address}")))
    except TimeoutError as error:
        raise CommandFailed("nobody signed in within five minutes") from error
    except Exception as error:
        raise CommandFailed(f"{name}: {describe_error(error)}") from error
    click.echo(f"Signed in; {name} offers {count} tools. A running bot connects with its next try.")


def _serve(config: Path | None, *, watches_plugins: bool) -> None:
    editor = SettingsEditor(config)
    settings = editor.load().settings
    with import_without_gc():  # the libraries of platforms are large
        check_start(settings)
    language = display_language(settings.bot.language)
    click.echo(say(language, "serve.settings", place=text_in(language, settings_place(config))), err=True)
    for line in banner(settings, language):
        click.echo(line, err=True)
    with import_without_gc():
        from bot.cli.runner import BotRunner

    with suppress(KeyboardInterrupt):
        BotRunner(clock=SystemClock(), watches_plugins=watches_plugins, editor=editor).run(settings)


def check_start(settings: Settings) -> None:
    """Make the checks of `bubbles run` before it serves.

    Raises:
        ConfigError: a platform lacks its library or a setting, or the page would be open to everybody.
    """
    from bot.http.security.networks import check_bind_policy

    create_platforms(settings, SystemClock())
    if settings.http.enabled:
        check_bind_policy(settings.http)


def banner(settings: Settings, language: str) -> Iterator[str]:
    """Yield the lines of the start banner; addresses are printed when the server listens."""
    model, search = settings.model, settings.search
    platforms = ", ".join(settings.platforms.enabled) or say(language, "serve.no_platforms")
    yield say(language, "serve.banner", name=settings.bot.name, version=__version__, platforms=platforms)
    yield say(language, "serve.model", model=model.name) if model.is_configured else say(language, "serve.no_model")
    if not search.configured_engines:
        yield say(language, "serve.no_search")
