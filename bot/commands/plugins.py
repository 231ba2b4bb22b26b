"""`bubbles plugins`: what others have added, and what does not work."""

import asyncio
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import click

from bot.plugins.closing import all_closed
from bot.plugins.loading import LoadedPlugin, found_plugins, loaded
from bot.settings import PluginSettings
from bot.settings_sources import load_settings
from function_calls.inverse_checks import check_inverses
from function_calls.registry import Registry
from services.clock import SystemClock
from services.errors import ConfigError


def show_plugins(config: Path | None) -> int:
    """Print every plugin with what it adds and return the exit code: 1 where one does not work."""
    from bot.wiring import built_in_registry

    try:
        settings = load_settings(config).plugins
    except ConfigError as error:
        click.echo(f"bubbles: {error}", err=True)
        return 2
    registry = built_in_registry()
    plugins = _all(settings)
    shown = [_shown(each, registry) for each in plugins]
    asyncio.run(_closed(plugins))
    if not shown:
        click.echo(f"No plugins: no package brings one, and {settings.folder} has none. Try: bubbles new plugin NAME")
    for line, _ in shown:
        click.echo(line)
    return 0 if all(works for _, works in shown) else 1


def plugin_command(name: str) -> click.Command | None:
    """The command that a plugin adds to `bubbles` under that name, None when there is none."""
    try:
        settings = load_settings(None).plugins
    except ConfigError:
        return None  # said in full by the commands that need the settings
    commands = [command for each in _all(settings) for command in each.adds.cli_commands]
    return next((command for command in commands if command.name == name), None)


def _all(settings: PluginSettings) -> list[LoadedPlugin]:
    clock = SystemClock()
    return [loaded(found, settings, clock) for found in found_plugins(settings)]


async def _closed(plugins: Iterable[LoadedPlugin]) -> None:
    for each in plugins:
        await all_closed(each.name, each.adds.on_close)


def _shown(plugin: LoadedPlugin, registry: Registry) -> tuple[str, bool]:
    """A line about a plugin, and whether it works beside the built-in functions and the plugins before it."""
    name = click.style(plugin.name, bold=True)
    if plugin.error:
        return f"{name}  {plugin.found.origin}  does not work: {plugin.error}", False
    before = {spec.name for spec in registry.specs}
    with ExitStack() as leaving:
        try:
            for service in plugin.adds.services:
                registry.allow(type(service))
            for source in plugin.adds.functions:
                leaving.callback(registry.collect(source))
            check_inverses(registry, registry)
        except Exception as error:  # noqa: BLE001 - a plugin is anybody's code; it is shown and the others too
            return f"{name}  {plugin.found.origin}  does not work: {type(error).__name__}: {error}", False
        leaving.pop_all()
    functions = [spec.name for spec in registry.specs if spec.name not in before]
    return f"{name}  {plugin.found.origin}  {_adds(plugin, functions)}", True


def _adds(plugin: LoadedPlugin, functions: list[str]) -> str:
    adds = plugin.adds
    counted = {
        "services": adds.services,
        "toolsets": adds.toolsets,
        "platforms": adds.platforms,
        "search engines": adds.engines,
        "middlewares": adds.middlewares,
        "tool hooks": [*adds.tool_hooks.before, *adds.tool_hooks.after],
        "model hooks": [*adds.model_hooks.before, *adds.model_hooks.after, *adds.model_hooks.on_error],
        "listeners": adds.listeners,
        "chat commands": adds.chat_commands,
        "commands": adds.cli_commands,
        "pages": adds.pages,
        "jobs": adds.jobs,
    }
    parts = [f"functions: {', '.join(functions)}"] if functions else []
    return "; ".join([*parts, *(f"{kind}: {len(each)}" for kind, each in counted.items() if each)]) or "adds nothing"
