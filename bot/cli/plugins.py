"""`bubbles plugins`: list the plugins and their problems."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

import click

from bot.app.settings_checks import unknown_plugins
from bot.cli.commands import config_option
from bot.config.settings import Settings
from bot.config.sources import load_settings
from bot.config.terminal import display_language, printable
from bot.observability.logs import suspend_logging
from bot.plugins.loading import LoadedPlugin, find_enabled_plugins, load_plugin
from bot.plugins.manager import InstalledPlugin
from bot.plugins.validation import lint_contributions
from function_calls.tools.calls import ToolSpec
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError


@click.command()
@config_option
def plugins(config: Path | None) -> int:
    """Print every plugin with its contributions; return 1 if one does not work."""
    settings = load_settings(config)
    with suspend_logging():
        installed = asyncio.run(_install_all(settings))
    if not installed:
        folder = settings.plugins.folder
        click.echo(f"No plugins: no package brings one, and {folder} has none. Try: bubbles new plugin NAME")
    language = display_language(settings.bot.language)
    for each in installed:
        click.echo(_format_plugin(each, language))
    for finding in unknown_plugins(settings.plugins):
        click.echo(printable(f"{finding.about}: {finding.state_in(language)}"))
    return 1 if any(each.plugin.error for each in installed) else 0


def plugin_command(name: str) -> click.Command | None:
    """Return the command `name` of a plugin; None if there is none."""
    try:
        settings = load_settings(None).plugins
    except ConfigError:
        return None  # commands that need the settings report the error
    clock = SystemClock()
    with suspend_logging():  # `bubbles plugins` reports plugins that do not work
        plugins = [load_plugin(found, settings, clock) for found in find_enabled_plugins(settings)]
    commands = [command for each in plugins for command in each.adds.cli_commands]
    return next((command for command in commands if command.name == name), None)


async def _install_all(settings: Settings) -> tuple[InstalledPlugin, ...]:
    from bot.app.inspection import install_plugins

    async with install_plugins(settings, SystemClock()) as (manager, _):
        return manager.plugins


def _format_plugin(each: InstalledPlugin, language: str) -> str:
    found = each.plugin.found
    doubts = [doubt.text_in(language) for doubt in lint_contributions(each.plugin.adds, each.tools)]
    works = "; ".join([_adds(each.plugin, each.tools), *doubts]).removeprefix("; ")
    what = f"does not work: {each.plugin.error}" if each.plugin.error else works
    hidden = f"; leaves out {', '.join(found.hides)}, which has the same name" if found.hides else ""
    return click.style(each.plugin.name, bold=True) + printable(f"  {found.origin}  {what}{hidden}")


def _adds(plugin: LoadedPlugin, tools: Iterable[ToolSpec]) -> str:
    functions = ", ".join(spec.name for spec in tools)
    parts = [f"functions: {functions}"] if functions else []
    return "; ".join([*parts, *(f"{kind}: {count}" for kind, count in plugin.adds.counts().items() if count)])
