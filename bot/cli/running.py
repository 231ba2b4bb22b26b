"""Run the bot of `bubbles run` and `bubbles chat`: platforms, page and warm-up."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

from bot.app.application import App, build_app
from bot.cli.page import page_served, room_of
from bot.config.data_folder import restrict_data_folder
from bot.config.settings import Settings
from bot.config.sources import secret_values
from bot.observability.logs import configure_logging
from bot.observability.watchdog import Watchdog, stop_on_sigterm
from bot.platforms.base import Platform
from bot.platforms.catalog import create_platforms
from bot.plugins.watcher import plugins_watched
from bot.tools.servers.sources import tool_secrets
from function_calls.model_calls import unproven_claims
from function_calls.offline import OfflineInterpreter
from services.kernel.clock import Clock

_WARM_UP_AFTER_SECONDS: Final = 0.5


def run_bot(
    settings: Settings,
    clock: Clock,
    *,
    platforms: Sequence[Platform] | None = None,
    linger_seconds: float,
    watches_plugins: bool,
) -> None:
    """Serve until every platform's input has ended, `linger_seconds` longer, or until a signal comes.

    Args:
        settings: what the operator chose.
        clock: tells the time.
        platforms: those to serve; the ones of the settings by default.
        linger_seconds: how long reminders can still arrive.
        watches_plugins: whether plugins are exchanged when their files change.

    Raises:
        ConfigError: a setting is wrong.
        StorageBusy: another process uses the same database file.
    """
    configure_logging(
        settings.log,
        settings.bot.data_dir,
        secrets=(*secret_values(settings), *tool_secrets(settings.tool_servers)),
        is_quiet="console" in settings.platforms.enabled,
    )
    restrict_data_folder(settings.bot.data_dir)
    asyncio.run(_serve(settings, clock, platforms, linger_seconds, watches_plugins=watches_plugins))


async def _serve(
    settings: Settings,
    clock: Clock,
    platforms: Sequence[Platform] | None,
    linger_seconds: float,
    *,
    watches_plugins: bool,
) -> None:
    room = room_of(settings, clock)
    chats = create_platforms(settings, clock) if platforms is None else platforms
    watchdog = Watchdog(settings.bot.data_dir, settings.bot.stall_seconds)
    stop_on_sigterm(watchdog)
    with suppress(asyncio.CancelledError):
        async with (
            watchdog,
            build_app(
                settings, platforms=[*chats, *([room] if room is not None else [])], clock=clock, watchdog=watchdog
            ) as app,
            plugins_watched(app, settings, is_wanted=watches_plugins),
            page_served(app, room, settings, clock),
            _warming_up(app),
        ):
            await app.finished()
            await clock.nap(linger_seconds)


@asynccontextmanager
async def _warming_up(app: App) -> AsyncIterator[None]:
    """Compile the sentences of all languages while nobody speaks; the first message waits for its own only.

    The same goes for the patterns that the answers of a model are checked with, where there is a model.
    """

    async def warm_up() -> None:
        await asyncio.sleep(_WARM_UP_AFTER_SECONDS)
        await app.settled()
        await asyncio.to_thread(OfflineInterpreter.warm_up)
        if app.has_model:
            await asyncio.to_thread(unproven_claims.warm_up, app.registry.specs)

    warming = asyncio.create_task(warm_up(), name="warm up")
    try:
        yield
    finally:
        warming.cancel()
