"""Run a bot for `bubbles run`, `chat` and `mcp`, with its page, and restart it when settings change."""

import asyncio
import importlib.util
import os
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from loguru import logger
from msgspec import Struct, field

from bot.app.application import App, build_app
from bot.config.editor import SettingsEditor
from bot.config.field_errors import SettingInvalid, config_error_text, config_problem
from bot.config.settings import Settings
from bot.config.sources import secret_values
from bot.config.terminal import language_here
from bot.observability.logs import configure_logging
from bot.observability.watchdog import Watchdog, stop_on_sigterm
from bot.platforms.base import Platform
from bot.platforms.catalog import create_platforms
from bot.plugins.watcher import watch_plugins
from bot.tools.servers.sources import tool_secrets
from function_calls.language.messages import say
from function_calls.tools.permission import Viewer
from function_calls.understanding import OfflineInterpreter
from services.kernel.background_tasks import run_beside, run_until
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock, SystemClock
from services.kernel.errors import ConfigError
from services.kernel.private_files import close_to_others
from services.kernel.startup_imports import block_import, import_without_gc

if TYPE_CHECKING:
    from bot.platforms.web.adapter import WebPlatform


_WARM_UP_AFTER_SECONDS: Final = 0.5
_UNUSED_AGE: Final = timedelta(hours=1)
_CLEANUP_SECONDS: Final = 600.0
_LIBRARIES: Final = ("fastapi", "uvicorn", "websockets")
_WITH_WINDOWS: Final = frozenset({"darwin", "win32"})
_REMOTE: Final = ("SSH_CONNECTION", "CI")
_FILES = ("bubbles.db*", "bubbles*.log*")


def restrict_data_folder(folder: Path) -> None:
    """Remove the permissions of other users from the data folder, database, logs and uploads.

    A data folder that is the working or home folder keeps its mode, as it has other files.
    """
    if not folder.is_dir():
        return
    shared = {Path.cwd(), Path("/")}
    with suppress(RuntimeError):  # users of containers may have no home
        shared.add(Path.home())
    own = [] if folder.resolve() in shared else [folder]
    files = [each for pattern in _FILES for each in folder.glob(pattern)]
    closed = close_to_others([*own, *files, folder / "files"])
    if folder / "files" in closed:
        closed += close_to_others(each for each in (folder / "files").rglob("*") if not each.is_symlink())
    if closed:
        logger.warning(
            "restricted permissions of {} files and folders below {} that other users could read", len(closed), folder
        )


def run_bot(
    settings: Settings,
    clock: Clock,
    *,
    platforms: Sequence[Platform] | None = None,
    linger_seconds: float,
    watches_plugins: bool,
    editor: SettingsEditor | None = None,
) -> None:
    """Serve until the input of every platform has ended and `linger_seconds` have passed, or until a signal.

    `platforms` are those of the settings by default. `watches_plugins` reloads plugins when their files change. Without
    an `editor` the settings are read-only in the page.

    Raises:
        ConfigError: a setting is wrong.
        StorageBusy: another process uses the same database file.
    """
    running = _Running(
        clock=clock,
        platforms=platforms,
        linger_seconds=linger_seconds,
        watches_plugins=watches_plugins,
        editor=editor,
    )
    asyncio.run(_serve(running, settings))


def run_mcp_server(settings: Settings, chat: str, person: str) -> None:
    """Serve an MCP client on standard input and output: as `person`, in `chat` (platform:id).

    Raises:
        ConfigError: a setting or `chat` is wrong.
        ImportError: the extra `mcp` is not installed.
        StorageBusy: another process uses the same database file.
    """
    platform, _, chat_id = chat.partition(":")
    if not chat_id:
        raise SettingInvalid("command line", "--chat", "no_chat", chat=repr(chat))
    asker = Viewer(person=Person(id=person, name=person), chat=ChatAddress(platform=platform, chat_id=chat_id))
    _configure_logging(settings, is_quiet=True)
    asyncio.run(_serve_mcp_client(settings, asker))


def _configure_logging(settings: Settings, *, is_quiet: bool) -> None:
    secrets = (*secret_values(settings), *tool_secrets(settings.tool_servers))
    configure_logging(settings.log, settings.bot.data_dir, secrets=secrets, is_quiet=is_quiet)


async def _serve(running: "_Running", settings: Settings) -> None:
    """Serve, and restart within the process when settings change in the page.

    The port stays open, so that requests wait. A change with which the bot cannot start is reverted.
    """
    former: Settings | None = None
    editor = running.editor
    with suppress(asyncio.CancelledError), closing(running.listener):
        while True:
            try:
                if not await running.serve(settings) or editor is None:
                    return
                former, running.has_started = settings, False
                settings = editor.load().settings
            except Exception as error:
                if former is None or running.has_started or editor is None:
                    raise
                logger.error("could not start with the changed settings; reverting them: {}", error)
                with suppress(ConfigError):  # the settings file itself may be invalid
                    editor.reject(_start_problem(error, former.bot.language))
                settings = former
                former = None


def _start_problem(error: Exception, language: str) -> str:
    return config_error_text(error, language) if isinstance(error, ConfigError) else str(error)


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


class _Running(Struct, kw_only=True):
    """The state that is kept over restarts; `has_started` says that the bot runs with the current settings."""

    clock: Clock
    platforms: Sequence[Platform] | None
    linger_seconds: float
    watches_plugins: bool
    editor: SettingsEditor | None
    listener: PageListener = field(default_factory=PageListener)
    has_started: bool = False

    async def serve(self, settings: Settings) -> bool:
        """Serve until the platforms end or settings change; return whether settings changed."""
        self.has_started = False
        _configure_logging(settings, is_quiet="console" in settings.platforms.enabled)
        restrict_data_folder(settings.bot.data_dir)
        room = create_room(settings, self.clock)
        chats = create_platforms(settings, self.clock) if self.platforms is None else self.platforms
        watchdog = Watchdog(settings.bot.data_dir, settings.bot.stall_seconds)
        stop_on_sigterm(watchdog)
        served = [*chats, *([room] if room is not None else [])]
        changed = asyncio.Event()
        if self.editor is not None:
            self.editor.changed = changed
        async with (
            watchdog,
            build_app(settings, platforms=served, clock=self.clock, watchdog=watchdog) as app,
            watch_plugins(app, settings, is_wanted=self.watches_plugins),
            serve_page(app, room, settings, self.clock, listener=self.listener, editor=self.editor),
            run_beside(_warm_up_later(app, settings.bot.language), "warm up"),
        ):
            self.has_started = True
            await run_until(app.connections.wait_finished(), changed.wait(), "platforms")
            if not changed.is_set():
                await self.clock.nap(self.linger_seconds)
            return changed.is_set()


async def _serve_mcp_client(settings: Settings, asker: Viewer) -> None:
    from mcp.server.stdio import stdio_server

    from bot.http.mcp.server import McpTools

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


async def _warm_up_later(app: App, language: str) -> None:
    """Compile the patterns of `language`, the bot's own, while the bot is idle.

    Where there is a model, load what its answers are checked with too.
    """
    await asyncio.sleep(_WARM_UP_AFTER_SECONDS)
    await app.connections.drain()
    await asyncio.to_thread(OfflineInterpreter.warm_up, language, app.registry.specs)
    if app.has_model:
        from function_calls.grounding import claims

        await asyncio.to_thread(claims.warm_up, language)


def create_room(settings: Settings, clock: Clock) -> "WebPlatform | None":
    """Return the web platform; None if it is disabled, or after a message if its libraries are missing.

    Raises:
        ConfigError: other machines could reach it without a strong token.
    """
    if not settings.http.enabled:
        return None
    missing = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        click.echo(
            say(language_here(settings.bot.language), "serve.not_installed", missing=", ".join(missing)), err=True
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
    room: "WebPlatform | None",
    settings: Settings,
    clock: Clock,
    *,
    listener: PageListener,
    editor: SettingsEditor | None = None,
) -> AsyncIterator[None]:
    """Serve the page of `room` until the context ends.

    At a terminal a taken port is reported and the console continues.

    Raises:
        ConfigError: the port is taken, and there is no terminal.
    """
    if room is None:
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
        language = language_here(settings.bot.language)
        click.echo(say(language, "serve.not_served", why=config_problem(error, language)), err=True)
        room.close()
        yield
        return
    raise_file_limit()
    days = settings.history.retention_days
    if days and room.files is not None:
        await room.files.purge(clock.now() - timedelta(days=days))
    async with serve(HttpContext.of(app, room, settings, clock, editor), own_socket) as address:
        if is_first:
            _show_address(settings, address)
        logger.info("the page is at {}", address)
        async with (
            run_beside(_close_with_console(app, room), "console and page"),
            run_beside(_remove_unused(room, clock), "unused uploads"),
        ):
            yield


def _show_address(settings: Settings, address: str) -> None:
    click.echo(say(language_here(settings.bot.language), "serve.address", address=address))
    if settings.http.open_page and has_desktop(sys.platform, os.environ, is_terminal=sys.stdout.isatty()):
        import webbrowser

        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)


def has_desktop(system: str, environment: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Return whether the terminal is part of a desktop; `system` is `sys.platform`."""
    if not is_terminal or any(environment.get(name) for name in _REMOTE):
        return False
    return system in _WITH_WINDOWS or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


async def _remove_unused(room: "WebPlatform", clock: Clock) -> None:
    while room.files is not None:
        try:
            removed = await room.files.remove_unused(clock.now() - _UNUSED_AGE)
            if removed:
                logger.info("deleted {} unused uploads", removed)
        except OSError as error:
            logger.warning("could not delete unused uploads: {}", error)
        await clock.nap(_CLEANUP_SECONDS)


async def _close_with_console(app: App, room: "WebPlatform") -> None:
    """Stop the bot when the console at a terminal ends; without a terminal the page continues."""
    if sys.stdin.isatty():
        await app.connections.wait_ended("console")
        room.close()
