"""Say something to a whole bot in memory."""

from collections.abc import Sequence
from datetime import UTC, datetime
from types import ModuleType

from bot.app import build_app
from bot.settings import BotSettings, LogSettings, PluginSettings, Settings
from bot.testing.clocks import StandingClock
from bot.testing.platform import FakePlatform
from function_calls.interpreter import Interpreter
from services.storage.database import Database

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
"""When it is in these conversations: a Friday."""


async def said(
    *texts: str,
    functions: Sequence[ModuleType | object] = (),
    services: Sequence[object] = (),
    interpreter: Interpreter | None = None,
    plugins: PluginSettings | None = None,
) -> list[str]:
    """What a new bot says to `texts`, one person's one after the other, offline or with the interpreter given.

    `functions` and `plugins` are what it has besides the built-in ones, `services` what `functions` ask for.
    """
    clock = StandingClock(NOW)
    platform = FakePlatform(clock)
    settings = Settings(
        bot=BotSettings(timezone="UTC"), log=LogSettings(to_file=False), plugins=plugins or PluginSettings()
    )
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
