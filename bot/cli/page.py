"""Serve the web page of a running bot, on a socket that stays open while the bot restarts."""

import asyncio
import importlib.util
import os
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import click
from loguru import logger

from bot.app.application import App
from bot.config.editor import SettingsEditor
from bot.config.field_errors import config_problem
from bot.config.settings import Settings
from bot.config.terminal import display_language
from function_calls.language.messages import say
from services.kernel.background_tasks import run_beside
from services.kernel.clock import Clock
from services.kernel.errors import ConfigError
from services.kernel.startup_imports import block_import, import_without_gc

if TYPE_CHECKING:
    from bot.platforms.web.adapter import WebPlatform

_UNUSED_AGE: Final = timedelta(hours=1)
_CLEANUP_SECONDS: Final = 600.0
_LIBRARIES: Final = ("fastapi", "uvicorn", "websockets")
_WITH_WINDOWS: Final = frozenset({"darwin", "win32"})
_REMOTE: Final = ("SSH_CONNECTION", "CI")


class PageListener:
    """The socket of the page, which stays open while the bot restarts."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None

    def close(self) -> None:
        """Close the socket, if it was opened."""
        if self._socket is not None:
            self._socket.close()

    @property
    def is_open(self) -> bool:
        """Return whether the socket is listening."""
        return self._socket is not None

    def open(self, settings: Settings) -> socket.socket:
        """Return a duplicate of the socket, which the server may close.

        Raises:
            ConfigError: the address is not available, such as because the port is taken.
        """
        from bot.http.server.server import open_listener

        if self._socket is None:
            self._socket = open_listener(settings.http)
        return self._socket.dup()


def create_web_platform(settings: Settings, clock: Clock) -> "WebPlatform | None":
    """Return the web platform; None if it is disabled, or after a message if its libraries are missing.

    Raises:
        ConfigError: other machines could reach it without a strong token.
    """
    if not settings.http.enabled:
        return None
    missing = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        click.echo(
            say(display_language(settings.bot.language), "serve.not_installed", missing=", ".join(missing)), err=True
        )
        return None
    from bot.http.security.networks import check_bind_policy
    from bot.platforms.web.adapter import WebPlatform
    from bot.platforms.web.files import RoomFiles

    check_bind_policy(settings.http)
    files = RoomFiles(settings.bot.data_dir / "files")
    return WebPlatform(clock=clock, bot_name=settings.bot.name, files=files)


@asynccontextmanager
async def serve_page(
    app: App,
    web: "WebPlatform | None",
    settings: Settings,
    clock: Clock,
    *,
    listener: PageListener,
    editor: SettingsEditor | None = None,
) -> AsyncIterator[None]:
    """Serve the page of `web` until the context ends.

    At a terminal a taken port is reported and the console continues.

    Raises:
        ConfigError: the port is taken, and there is no terminal.
    """
    if web is None:
        yield
        return
    with import_without_gc(), block_import("pydantic.v1"):  # FastAPI imports it for each route; saves 1 MB
        from bot.http.core.context import HttpContext
        from bot.http.server.connection_limits import raise_file_limit
        from bot.http.server.server import serve

    is_first = not listener.is_open
    try:
        own_socket = listener.open(settings)
    except ConfigError as error:
        if "console" not in settings.platforms.enabled or not sys.stdin.isatty():
            raise
        language = display_language(settings.bot.language)
        click.echo(say(language, "serve.not_served", why=config_problem(error, language)), err=True)
        web.close()
        yield
        return
    raise_file_limit()
    days = settings.history.retention_days
    if days and web.files is not None:
        await web.files.purge(clock.now() - timedelta(days=days))
    async with serve(HttpContext.of(app, web, settings, clock, editor), own_socket) as address:
        if is_first:
            _show_address(settings, address)
        logger.info("the page is at {}", address)
        async with (
            run_beside(_close_with_console(app, web), "console and page"),
            run_beside(_remove_unused(web, clock), "unused uploads"),
        ):
            yield


def _show_address(settings: Settings, address: str) -> None:
    click.echo(say(display_language(settings.bot.language), "serve.address", address=address))
    if settings.http.open_page and has_desktop(sys.platform, os.environ, is_terminal=sys.stdout.isatty()):
        import webbrowser

        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)


def has_desktop(system: str, environment: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Return whether the terminal is part of a desktop; `system` is `sys.platform`."""
    if not is_terminal or any(environment.get(name) for name in _REMOTE):
        return False
    return system in _WITH_WINDOWS or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


async def _remove_unused(web: "WebPlatform", clock: Clock) -> None:
    while web.files is not None:
        try:
            removed = await web.files.remove_unused(clock.now() - _UNUSED_AGE)
            if removed:
                logger.info("deleted {} unused uploads", removed)
        except OSError as error:
            logger.warning("could not delete unused uploads: {}", error)
        await clock.nap(_CLEANUP_SECONDS)


async def _close_with_console(app: App, web: "WebPlatform") -> None:
    """Stop the bot when the console at a terminal ends; without a terminal the page continues."""
    if sys.stdin.isatty():
        await app.connections.wait_ended("console")
        web.close()
