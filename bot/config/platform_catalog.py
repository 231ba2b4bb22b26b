"""List the names of the platforms and the models of their settings."""

import importlib
from collections.abc import Mapping
from typing import Final

from bot.config.settings import Group, Settings

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
"""The name of the web page's platform in addresses."""


def settings_group(name: str) -> type[Group]:
    """Return the model of `[platforms.NAME]`.

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
    """Return the names of the platforms that a bot of `settings` serves, the page among them."""
    return (*dict.fromkeys(settings.platforms.enabled), *((PAGE,) if settings.http.enabled else ()))
