"""Say something to a whole bot in memory."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

from bot.app.application import build_app
from bot.config.settings import BotSettings, LogSettings, PluginSettings, Settings
from bot.testing.clocks import StandingClock
from bot.testing.platform import FakePlatform
from function_calls.tools.calls import Interpreter
from services.storage.database import Database

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
"""When it is in these conversations: a Friday."""

NO_PLUGINS = PluginSettings(folder=Path(os.devnull), installed=False)
"""Neither a folder of plugins nor those of installed packages: a test depends on nothing that it does not name."""


async def said(
    *texts: str,
    functions: Sequence[ModuleType | object] = (),
    services: Sequence[object] = (),
    interpreter: Interpreter | None = None,
    plugins: PluginSettings | None = None,
) -> list[str]:
    """Return what a new bot says to `texts`, one person's one after the other, offline or with the interpreter given.

    `functions` and `plugins` are what it has besides the built-in ones, `services` what `functions` ask for. Of
    `plugins` only what is given counts: a `folder`, or those of installed packages with `installed=True`.
    """
    clock = StandingClock(NOW)
    platform = FakePlatform(clock)
    settings = Settings(bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False), plugins=_only_given(plugins))
    async with build_app(
        settings,
        platforms=[platform],
        functions=functions,
        services=services,
        interpreter=interpreter,
        clock=clock,
        database=Database("sqlite://"),
    ):
        for text in texts:
            await platform.say(text, is_private=True)
    return platform.texts


def _only_given(plugins: PluginSettings | None) -> PluginSettings:
    """Return the settings with the folder and the installed plugins left out where they were not asked for."""
    if plugins is None:
        return NO_PLUGINS
    left_out = {"folder", "installed"} - plugins.model_fields_set
    return plugins.model_copy(update={name: getattr(NO_PLUGINS, name) for name in left_out})
