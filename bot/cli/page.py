"""Serve the page beside the chat platforms if the extra `web` is installed."""

import asyncio
import importlib.util
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import click
from loguru import logger

from bot.app.application import App
from bot.cli.banner import show_page
from bot.config.settings import Settings
from bot.config.terminal import language_here
from function_calls.language.messages import say
from services.kernel.clock import Clock
from services.kernel.errors import ConfigError
from services.kernel.startup_imports import block_import, import_without_gc

if TYPE_CHECKING:
    from bot.platforms.web.adapter import WebPlatform

_UNUSED_FOR: Final = timedelta(hours=1)
_LOOK_SECONDS: Final = 600.0
_LIBRARIES: Final = ("fastapi", "uvicorn", "websockets")


def room_of(settings: Settings, clock: Clock) -> "WebPlatform | None":
    """Return the web room; None where it is switched off, or cannot be served, which is said.

    Raises:
        ConfigError: it would be reached from other machines without a token that is hard to guess.
    """
    if not settings.http.enabled:
        return None
    missing = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        click.echo(
            say(language_here(settings.bot.language), "serve.not_installed", missing=", ".join(missing)), err=True
        )
        return None
    from bot.http.core.bind_policy import check_reach
    from bot.platforms.web.adapter import WebPlatform
    from bot.platforms.web.files import RoomFiles

    check_reach(settings.http)
    files = RoomFiles(settings.bot.data_dir / "files")
    return WebPlatform(clock=clock, bot_name=settings.bot.name, files=files)


@asynccontextmanager
async def page_served(app: App, room: "WebPlatform | None", settings: Settings, clock: Clock) -> AsyncIterator[None]:
    """Serve the page of `room` for as long as the context lasts.

    Where somebody sits at the console, a port that is taken is reported and the console goes on.

    Raises:
        ConfigError: the port is taken, and the bot runs as a service.
    """
    if room is None:
        yield
        return
    with import_without_gc(), block_import("pydantic.v1"):  # FastAPI asks of each route whether it is of that; 1 MB
        from bot.http.core.context import HttpContext
        from bot.http.server.connection_limits import raise_file_limit
        from bot.http.server.server import listening, served

    try:
        socket = listening(settings.http)
    except ConfigError as error:
        if "console" not in settings.platforms.enabled or not sys.stdin.isatty():
            raise
        click.echo(say(language_here(settings.bot.language), "serve.not_served", why=error.problem), err=True)
        room.close()
        yield
        return
    raise_file_limit()
    await _let_go(room, settings, clock)
    async with served(HttpContext.of(app, room, settings, clock), socket) as address:
        click.echo(say(language_here(settings.bot.language), "serve.address", address=address))
        if settings.http.open_page:
            show_page(address)
        logger.info("the page is at {}", address)
        tasks = [
            asyncio.create_task(_close_with_console(app, room), name="console and page"),
            asyncio.create_task(_remove_unused(room, clock), name="unused uploads"),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


async def _let_go(room: "WebPlatform", settings: Settings, clock: Clock) -> None:
    """Delete the files of messages that are older than the history is kept."""
    days = settings.history.retention_days
    if days and room.files is not None:
        await room.files.purge(clock.now() - timedelta(days=days))


async def _remove_unused(room: "WebPlatform", clock: Clock) -> None:
    """Delete uploads that no message has used within an hour, until cancelled."""
    while room.files is not None:
        try:
            removed = await room.files.remove_unused(clock.now() - _UNUSED_FOR)
            if removed:
                logger.info("deleted {} unused uploads", removed)
        except OSError as error:
            logger.warning("could not delete unused uploads: {}", error)
        await clock.nap(_LOOK_SECONDS)


async def _close_with_console(app: App, room: "WebPlatform") -> None:
    """Whoever leaves the console at a terminal ends the bot; where there is no terminal, the page goes on."""
    if sys.stdin.isatty():
        await app.ended("console")
        room.close()
