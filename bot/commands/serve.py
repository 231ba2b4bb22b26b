"""`bubbles run` and `bubbles chat`: the bot itself."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import click

from bot.app import App, build_app
from bot.commands.banner import show_banner
from bot.commands.page import page_served, room_of
from bot.logs import configure_logging
from bot.platform import Platform
from bot.platforms.catalog import create_platforms
from bot.plugins.watching import plugins_watched
from bot.settings import Settings
from bot.settings_sources import load_settings, secret_values
from bot.tool_servers.sources import tool_secrets
from function_calls.offline import OfflineInterpreter
from services.clock import SystemClock
from services.errors import ConfigError, StorageBusy

_WARM_UP_AFTER_SECONDS: Final = 0.5


def serve(config: Path | None) -> int:
    """Serve the platforms of the settings until they end or a signal comes; return the exit code."""
    return _guarded(config, person=None, only_console=False, linger_seconds=0.0)


def develop(config: Path | None) -> int:
    """Serve like `serve`, and exchange plugins whenever their files change."""
    return _guarded(config, person=None, only_console=False, linger_seconds=0.0, watches_plugins=True)


def talk(config: Path | None, *, person: str | None, linger_seconds: float) -> int:
    """Serve the console alone; stay `linger_seconds` after its input ended."""
    return _guarded(config, person=person, only_console=True, linger_seconds=linger_seconds)


def _guarded(
    config: Path | None,
    *,
    person: str | None,
    only_console: bool,
    linger_seconds: float,
    watches_plugins: bool = False,
) -> int:
    try:
        settings = load_settings(config)
        secrets = (*secret_values(settings), *tool_secrets(settings.tool_servers))
    except ConfigError as error:
        click.echo(f"bubbles: {error}", err=True)
        return 2
    if only_console:
        settings = settings.with_console(person)
    configure_logging(
        settings.log,
        settings.bot.data_dir,
        secrets=secrets,
        is_quiet="console" in settings.platforms.enabled,
    )
    if not only_console:
        show_banner(settings)
    try:
        asyncio.run(_serve(settings, linger_seconds, watches_plugins=watches_plugins))
    except ConfigError as error:
        click.echo(f"bubbles: {error}", err=True)
        return 2
    except StorageBusy as error:
        click.echo(
            f"bubbles: {error}. Stop that process, or give this one its own data: BUBBLES_BOT__DATA_DIR=other", err=True
        )
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


async def _serve(settings: Settings, linger_seconds: float, *, watches_plugins: bool) -> None:
    clock = SystemClock()
    room = room_of(settings, clock)
    platforms: list[Platform] = [*create_platforms(settings, clock), *([room] if room is not None else [])]
    _stop_on_sigterm()
    with suppress(asyncio.CancelledError):
        async with (
            build_app(settings, platforms=platforms, clock=clock) as app,
            plugins_watched(app, settings, is_wanted=watches_plugins),
            page_served(app, room, settings, clock),
            _warming_up(app),
        ):
            await app.finished()
            await clock.nap(linger_seconds)


@asynccontextmanager
async def _warming_up(app: App) -> AsyncIterator[None]:
    """Compile the sentences of all languages while nobody speaks; the first message waits for its own only."""

    async def warm_up() -> None:
        await asyncio.sleep(_WARM_UP_AFTER_SECONDS)
        await app.settled()
        await asyncio.to_thread(OfflineInterpreter.warm_up)

    warming = asyncio.create_task(warm_up(), name="warm up")
    try:
        yield
    finally:
        warming.cancel()


def _stop_on_sigterm() -> None:
    task = asyncio.current_task()
    if task is not None:
        with suppress(NotImplementedError):  # Windows has no signal handlers in its event loop
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
