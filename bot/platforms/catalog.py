"""Create the platforms from the settings; each adapter is imported only when it is used.

A platform is a package `bot.platforms.NAME` whose `adapter.py` has `create(parts)`, and may import the library of the
platform. The model of its settings is in `bot.config.platform_catalog`.
"""

import importlib
from collections.abc import Callable

from bot.config.field_errors import SettingInvalid
from bot.config.platform_catalog import GROUPS, NAMES
from bot.config.settings import Settings
from bot.platforms.base import Platform
from bot.platforms.kit.adapter import PlatformParts
from services.kernel.clock import Clock


def create_platforms(settings: Settings, clock: Clock) -> list[Platform]:
    """Return the platforms that the settings enable, in their order.

    Raises:
        ConfigError: a platform is unknown, its library is not installed, or one of its settings is missing.
    """
    parts = PlatformParts(settings=settings, clock=clock)
    return [_create(name, parts) for name in dict.fromkeys(settings.platforms.enabled)]


def _create(name: str, parts: PlatformParts) -> Platform:
    if name == "console":
        from bot.platforms import console

        return console.create(parts)
    if name not in GROUPS:
        raise SettingInvalid("settings", "platforms.enabled", "no_platform", name=name, known=", ".join(NAMES))
    try:
        adapter = importlib.import_module(f"bot.platforms.{name}.adapter")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("bot.", "function_calls.", "services.")):
            raise  # a bug of the bot, not a missing library
        fields = {"name": name, "library": error.name, "extra": name}
        raise SettingInvalid("settings", "platforms.enabled", "needs_library", **fields) from error
    create: Callable[[PlatformParts], Platform] = adapter.create
    return create(parts)
