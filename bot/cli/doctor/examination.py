"""Run all checks of the doctor in the order of the report."""

from collections.abc import AsyncIterator

from bot.app.inspection import offer_of
from bot.app.language_models import language_model
from bot.app.settings_checks import check_configured_names
from bot.cli.doctor.machine import examine_clock, examine_database, examine_zone_data
from bot.cli.doctor.model import examine_model
from bot.cli.doctor.platforms import examine_platform
from bot.cli.doctor.running import examine_running
from bot.cli.doctor.tools import examine_tools
from bot.config.settings import Settings
from bot.platforms.kit.doctor.asking import Asking
from bot.platforms.kit.doctor.finding import Finding
from services.kernel.clock import Clock


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
