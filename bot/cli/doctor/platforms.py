"""Check each platform by the module `doctor` of its package."""

import importlib
import importlib.util
from typing import Final, Protocol

from bot.config.platform_catalog import EXTRAS
from bot.config.settings import Settings
from bot.platforms.kit.doctor.asking import Asking
from bot.platforms.kit.doctor.finding import Finding, good, problem

# What is imported to serve a platform; looked for and not imported, which takes seconds for some.
_LIBRARIES: Final = {
    "matrix": "nio",
    "xmpp": "slixmpp",
    "telegram": "aiogram",
    "onebot": "aiohttp",
    "discord": "discord",
    "slack": "slack_sdk",
    "dingtalk": "dingtalk_stream",
    "feishu": "lark_oapi",
}


class Examine(Protocol):
    """What the module `doctor` of a platform has under the name `examine`."""

    async def __call__(self, settings: Settings, asking: Asking) -> list[Finding]:
        """Ask the platform about the bot's account."""
        ...


async def examine_platform(name: str, settings: Settings, asking: Asking) -> list[Finding]:
    """Return what can be found out about an enabled platform without serving it."""
    if name not in EXTRAS:
        return [good(name, "needs nothing")]
    library = _LIBRARIES.get(name)
    if library is not None and importlib.util.find_spec(library) is None:
        return [problem(name, f"{library} is not installed", f"pip install .[{EXTRAS[name]}]")]
    examine: Examine = importlib.import_module(f"bot.platforms.{name}.doctor").examine
    return await examine(settings, asking)
