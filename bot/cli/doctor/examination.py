"""`bubbles doctor`: check everything that the bot depends on and print the next steps."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import click

from bot.app.connection_checks import examine_part, examine_platform
from bot.app.inspection import inspect_bot
from bot.app.settings_checks import check_configured_names
from bot.cli.commands import config_option
from bot.cli.doctor.machine import examine_clock, examine_database, examine_running, examine_zone_data
from bot.cli.doctor.tools import examine_tools, print_finding
from bot.config.field_errors import config_error_text
from bot.config.settings import Settings
from bot.config.sources import operator_language, read_settings, settings_place
from bot.config.terminal import display_language
from bot.observability.logs import suspend_logging
from bot.platforms.kit.doctor import Finding, Prober, good, problem
from function_calls.language.messages import say, text_in
from services.kernel.clock import Clock, SystemClock
from services.kernel.errors import ConfigError


@click.command()
@config_option
def doctor(config: Path | None) -> int:
    """Print every finding; return 0 without problems, 1 with problems, 2 for invalid settings."""
    try:
        loaded = read_settings(config)
    except ConfigError as error:
        language = operator_language(config)
        _print(problem("settings", config_error_text(error, language), "settings_fix"), language)
        return 2
    settings = loaded.settings
    language = display_language(settings.bot.language)
    _print(good("settings", text_in(language, settings_place(config))), language)
    places = [say(language, "doctor.secret_from", setting=key, place=place) for key, place in loaded.secrets.items()]
    _print(good("secrets", "; ".join(places) or "secrets_none"), language)
    with suspend_logging():
        return asyncio.run(_report(settings, language))


async def _report(settings: Settings, language: str) -> int:
    problems = 0
    async for finding in examine(settings, SystemClock()):
        problems += finding.is_problem
        _print(finding, language)
    end = "all_well" if not problems else "to_fix_one" if problems == 1 else "to_fix"
    click.echo(say(language, f"doctor.{end}", count=problems))
    return 1 if problems else 0


def _print(finding: Finding, language: str) -> None:
    print_finding(finding, language)
    if finding.is_problem:
        click.echo(" " * 9 + say(language, "doctor.next", step=finding.next_step_in(language)))


async def examine(settings: Settings, clock: Clock) -> AsyncIterator[Finding]:
    """Check everything that the bot of `settings` depends on."""
    yield await examine_database(settings.database_url)
    yield examine_zone_data(clock.now())
    async with Prober(clock) as prober:
        for finding in await examine_part("model", settings, clock):
            yield finding
        for name in dict.fromkeys(settings.platforms.enabled):
            for finding in await examine_platform(name, settings, prober):
                yield finding
        for finding in await examine_running(settings.http, prober, data_dir=settings.bot.data_dir):
            yield finding
        inspection = await inspect_bot(settings, clock)
        for finding in (*examine_tools(inspection), *check_configured_names(settings, inspection.platforms)):
            yield finding
        if settings.model.base_url:
            await prober.ask("GET", settings.model.base_url)
        yield examine_clock(prober.skews)
