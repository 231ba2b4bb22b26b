"""`bubbles mcp`: serve an MCP client on standard input and output."""

import asyncio
import getpass
from pathlib import Path

import click

from bot.app.application import build_app
from bot.config.settings import Settings
from bot.config.sources import load_settings, secret_values
from bot.http.mcp.server import Asker, McpTools
from bot.observability.logs import configure_logging
from bot.platforms.catalog import create_platforms
from bot.tools.servers.sources import tool_secrets
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError, StorageBusy


def serve_mcp(config: Path | None, *, chat: str, person: str | None) -> int:
    """Serve one client until it leaves, and the chat platforms of the settings meanwhile; return the exit code."""
    try:
        settings = load_settings(config)
        asker = _asker(chat, person or getpass.getuser())
        configure_logging(
            settings.log,
            settings.bot.data_dir,
            secrets=(*secret_values(settings), *tool_secrets(settings.tool_servers)),
            is_quiet=True,
        )
        asyncio.run(_serve(settings, asker))
    except ConfigError as error:
        click.echo(f"bubbles: {error}", err=True)
        return 2
    except StorageBusy as error:
        click.echo(f"bubbles: {error}; the running bot offers the same at /mcp of its page", err=True)
        return 1
    except ImportError:
        click.echo("bubbles: MCP needs the extra `mcp` (pip install 'bubbles[mcp]')", err=True)
        return 2
    return 0


def _asker(chat: str, name: str) -> Asker:
    platform, _, chat_id = chat.partition(":")
    if not chat_id:
        raise ConfigError("command line", "--chat", f"{chat!r} is no chat; name it as platform:id")
    return Asker(person=Person(id=name, name=name), chat=ChatAddress(platform=platform, chat_id=chat_id))


async def _serve(settings: Settings, asker: Asker) -> None:
    from mcp.server.stdio import stdio_server

    clock = SystemClock()
    enabled = tuple(name for name in settings.platforms.enabled if name != "console")  # standard input is taken
    platforms = settings.platforms.model_copy(update={"enabled": enabled})
    settings = settings.model_copy(update={"platforms": platforms})
    async with (
        build_app(settings, platforms=create_platforms(settings, clock), clock=clock) as app,
        stdio_server() as (incoming, outgoing),
    ):
        server = McpTools(app, clock, lambda _: asker).server()
        await server.run(incoming, outgoing, server.create_initialization_options())
