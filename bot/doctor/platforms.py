"""The platforms: each examines itself, by the module `doctor` of its package if it has one."""

import asyncio
import importlib
import importlib.util
from typing import Final, Protocol
from urllib.parse import urlsplit

from bot.findings.asking import Asking
from bot.findings.finding import Finding, good, problem
from bot.platforms.catalog import EXTRAS, settings_group
from bot.settings import Settings

_CONNECT_SECONDS = 5.0

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
    """What can be found out about an enabled platform without serving it."""
    if name not in EXTRAS:
        return [good(name, "needs nothing")]
    library = _LIBRARIES.get(name)
    if library is not None and importlib.util.find_spec(library) is None:
        return [problem(name, f"{library} is not installed", f"pip install .[{EXTRAS[name]}]")]
    module = f"bot.platforms.{name}.doctor"
    if importlib.util.find_spec(module) is None:
        return [await _examine_address(name, settings)]
    examine: Examine = importlib.import_module(module).examine
    return await examine(settings, asking)


async def _examine_address(name: str, settings: Settings) -> Finding:
    """Whether the server of the settings takes connections."""
    group = settings.platforms.group(name, settings_group(name))
    home = urlsplit(str(getattr(group, "homeserver", "")))
    host = home.hostname or str(getattr(group, "host", "")) or str(getattr(group, "jid", "")).rpartition("@")[2]
    port = home.port or int(getattr(group, "port", 0)) or (443 if home.scheme == "https" else 80)
    if not host:
        return problem(name, "no server is named", f"fill in [platforms.{name}] of config.toml")
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
    except OSError as error:
        return problem(
            name, f"{host}:{port} cannot be reached ({error})", f"correct [platforms.{name}], or the network"
        )
    writer.close()
    return good(name, f"{host}:{port} takes connections")
