"""Run a bot for `bubbles run`, `chat` and `mcp`, and restart it when settings change."""

import asyncio
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from loguru import logger
from msgspec import Struct, field

from bot.app.application import App, build_app
from bot.cli.page import PageListener, create_web_platform, serve_page
from bot.config.editor import SettingsEditor
from bot.config.field_errors import SettingInvalid, config_error_text
from bot.config.secrets import secret_values
from bot.config.settings import Settings
from bot.observability.logs import configure_logging
from bot.observability.watchdog import Watchdog, stop_on_sigterm
from bot.platforms.base import Platform
from bot.platforms.catalog import create_platforms
from bot.plugins.watcher import watch_plugins
from bot.tools.servers.sources import tool_secrets
from function_calls.tools.permission import Viewer
from function_calls.understanding import OfflineInterpreter
from services.kernel.background_tasks import run_beside, run_until
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import Clock, SystemClock
from services.kernel.errors import ConfigError
from services.kernel.private_files import close_to_others

_WARM_UP_AFTER_SECONDS: Final = 0.5
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


class BotRunner(Struct, kw_only=True):
    """Runs a bot, and restarts it within the process when settings change in the page.

    `platforms` are those of the settings if None. The bot ends `linger_seconds` after the input of all platforms.
    `watches_plugins` reloads plugins whose files change. Without an `editor` the settings are read-only in the page.
    """

    clock: Clock
    platforms: Sequence[Platform] | None = None
    linger_seconds: float = 0.0
    watches_plugins: bool = False
    editor: SettingsEditor | None = None
    _listener: PageListener = field(default_factory=PageListener)
    _has_started: bool = False

    def run(self, settings: Settings) -> None:
        """Serve until the input of every platform has ended, or until a signal.

        Raises:
            ConfigError: a setting is wrong.
            StorageBusy: another process uses the same database file.
        """
        asyncio.run(self._serve(settings))

    async def _serve(self, settings: Settings) -> None:
        """Serve and restart; the port stays open meanwhile. A change with which the bot cannot start is reverted."""
        former: Settings | None = None
        with suppress(asyncio.CancelledError), closing(self._listener):
            while True:
                try:
                    if not await self._serve_once(settings) or self.editor is None:
                        return
                    former, self._has_started = settings, False
                    settings = self.editor.load().settings
                except Exception as error:
                    if former is None or self._has_started or self.editor is None:
                        raise
                    logger.error("could not start with the changed settings; reverting them: {}", error)
                    language = former.bot.language
                    problem = config_error_text(error, language) if isinstance(error, ConfigError) else str(error)
                    with suppress(ConfigError):  # the settings file itself may be invalid
                        self.editor.reject(problem)
                    settings, former = former, None

    async def _serve_once(self, settings: Settings) -> bool:
        """Serve until the platforms end or settings change; return whether settings changed."""
        _configure_logging(settings, is_quiet="console" in settings.platforms.enabled)
        restrict_data_folder(settings.bot.data_dir)
        web = create_web_platform(settings, self.clock)
        chats = create_platforms(settings, self.clock) if self.platforms is None else self.platforms
        watchdog = Watchdog(settings.bot.data_dir, settings.bot.stall_seconds)
        stop_on_sigterm(watchdog)
        served = [*chats, *([web] if web is not None else [])]
        changed = asyncio.Event()
        if self.editor is not None:
            self.editor.changed = changed
        async with (
            watchdog,
            build_app(settings, platforms=served, clock=self.clock, watchdog=watchdog) as app,
            watch_plugins(app, settings, is_wanted=self.watches_plugins),
            serve_page(app, web, settings, self.clock, listener=self._listener, editor=self.editor),
            run_beside(_warm_up_later(app, settings.bot.language), "warm up"),
        ):
            self._has_started = True
            await run_until(app.connections.wait_finished(), changed.wait(), "platforms")
            if not changed.is_set():
                await self.clock.nap(self.linger_seconds)
            return changed.is_set()


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
    await asyncio.to_thread(OfflineInterpreter.warm_up, language, app.calls.registry.specs)
    if app.interpreters.has_model:
        from function_calls.grounding import claims

        await asyncio.to_thread(claims.warm_up, language)
