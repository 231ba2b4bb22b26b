"""Which platforms there are, and how each is made from the settings; imported only when it is used.

A platform is a package `bot.platforms.NAME` with two modules. `settings.py` has `GROUP`, the Pydantic model of
`[platforms.NAME]`, and imports no library of the platform. `adapter.py` has `create(parts)` and may import it.
"""

import importlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Final

from bot.platform import Platform
from bot.platform_kit.parts import PlatformParts
from bot.settings import Group, Settings
from services.kernel.clock import Clock
from services.kernel.errors import ConfigError

EXTRAS: Final[Mapping[str, str]] = {
    "matrix": "matrix",
    "xmpp": "xmpp",
    "irc": "irc",
    "telegram": "telegram",
    "onebot": "onebot",
    "discord": "discord",
    "slack": "slack",
    "dingtalk": "dingtalk",
    "feishu": "feishu",
}
"""The platforms that need a library, with the extra of the project that brings it."""

NAMES: Final = ("console", *EXTRAS)
"""Every platform that `platforms.enabled` may name."""

PAGE: Final = "web"
"""What the platform of the web page is called in addresses."""


def settings_group(name: str) -> type[Group]:
    """The model of `[platforms.NAME]`.

    Raises:
        LookupError: there is no such platform, or it has no group.
    """
    if name not in EXTRAS:
        raise LookupError(f"no settings of a platform named {name}")
    group = importlib.import_module(f"bot.platforms.{name}.settings").GROUP
    if not (isinstance(group, type) and issubclass(group, Group)):
        raise TypeError(f"GROUP of {name} is not a group of settings")
    return group


def platform_names(settings: Settings) -> tuple[str, ...]:
    """The names of the platforms that a bot of `settings` serves, the page among them."""
    return (*dict.fromkeys(settings.platforms.enabled), *((PAGE,) if settings.http.enabled else ()))


def create_platforms(settings: Settings, clock: Clock) -> list[Platform]:
    """The platforms that the settings enable, in their order.

    Raises:
        ConfigError: a platform is unknown, its library is not installed, or one of its settings is missing.
    """
    parts = PlatformParts(settings=settings, clock=clock)
    return [_create(name, parts) for name in dict.fromkeys(settings.platforms.enabled)]


def _create(name: str, parts: PlatformParts) -> Platform:
    if name == "console":
        from bot.platforms import console

        return console.create(parts)
    if name not in EXTRAS:
        raise ConfigError("settings", "platforms.enabled", f"no platform named {name}; there are {', '.join(NAMES)}")
    create: Callable[[PlatformParts], Platform] = _adapter(name).create
    return create(parts)


def _adapter(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"bot.platforms.{name}.adapter")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("bot.", "function_calls.", "services.")):
            raise  # ours: a fault of the program, not of the installation
        raise ConfigError(
            "settings", "platforms.enabled", f"{name} needs {error.name}; install it: pip install .[{EXTRAS[name]}]"
        ) from error
