"""Run all checks of the doctor in the order of the report."""

import importlib
import importlib.util
from collections.abc import AsyncIterator
from typing import Final, Protocol

from bot.app.inspection import offer_of
from bot.app.language_models import language_model
from bot.app.settings_checks import check_configured_names
from bot.cli.doctor.machine import examine_clock, examine_database, examine_zone_data
from bot.cli.doctor.model import examine_model
from bot.cli.doctor.running import examine_running
from bot.cli.doctor.tools import examine_tools
from bot.config.platform_catalog import GROUPS
from bot.config.settings import Settings
from bot.platforms.kit.doctor import Asking, Finding, good, problem
from services.kernel.clock import Clock

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
    """The function `examine` of the module `doctor` of a platform."""

    async def __call__(self, settings: Settings, asking: Asking) -> list[Finding]:
        """Ask the platform about the bot's account."""
        ...


async def examine_platform(name: str, settings: Settings, asking: Asking) -> list[Finding]:
    """Return what can be found out about an enabled platform without serving it."""
    if name not in GROUPS:
        return [good(name, "needs nothing")]
    library = _LIBRARIES.get(name)
    if library is not None and importlib.util.find_spec(library) is None:
        return [problem(name, f"{library} is not installed", f"pip install .[{name}]")]
    examine: Examine = importlib.import_module(f"bot.platforms.{name}.doctor").examine
    return await examine(settings, asking)


async def examine(settings: Settings, clock: Clock) -> AsyncIterator[Finding]:
    """Everything that the bot of `settings` depends on, one after the other."""
    yield await examine_database(settings.database_url)
    yield examine_zone_data(clock.now())
    async with Asking(clock) as asking:
        model = language_model(settings.model)
        try:
            for finding in await examine_model(model, settings.model):
                yield finding
        finally:
            if model is not None:
                await model.close()
        for name in dict.fromkeys(settings.platforms.enabled):
            for finding in await examine_platform(name, settings, asking):
                yield finding
        for finding in await examine_running(settings.http, asking, data_dir=settings.bot.data_dir):
            yield finding
        offer = await offer_of(settings, clock)
        for finding in (*examine_tools(offer), *check_configured_names(settings, offer.platforms)):
            yield finding
        if settings.model.base_url:
            await asking.ask("GET", settings.model.base_url)
        yield examine_clock(asking.skews)
