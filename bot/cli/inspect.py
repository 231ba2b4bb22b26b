"""`bubbles tools`, `check` and `slack-manifest`: show the tools and check the settings."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.app.settings_checks import check_configured_names
from bot.cli.commands import config_option
from bot.cli.doctor.tools import clash_findings, examine_tools, plugin_finding, print_finding, source_finding
from bot.cli.serve import check_start
from bot.config.field_errors import config_error_text
from bot.config.settings import Settings
from bot.config.sources import load_settings, operator_language, settings_place
from bot.config.terminal import display_language, printable
from bot.observability.logs import suspend_logging
from bot.platforms.kit.doctor import Finding, good
from bot.plugins.loading import find_enabled_plugins
from function_calls.language.messages import say, text_in
from function_calls.tools.calls import ToolSpec
from function_calls.tools.validation.schema_walk import properties_of, required_of, types_of
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError
from services.recurrence.calendars.workdays import has_calendars

if TYPE_CHECKING:
    from bot.app.inspection import Inspection


@click.command()
@config_option
@click.option("--json", "as_json", is_flag=True, help="The tool list exactly as a model is sent it.")
def tools(config: Path | None, as_json: bool) -> None:
    """Print every function and every tool of plugins and servers with its schema."""
    settings = load_settings(config)
    inspection, language = _inspect(settings), display_language(settings.bot.language)
    if as_json:
        listed = [
            {"type": "function", "function": {"name": s.name, "description": s.description, "parameters": s.parameters}}
            for s in inspection.specs
        ]
        click.echo(json.dumps(listed, ensure_ascii=False, indent=2))
        return
    _print_tools(inspection.functions)
    for plugin in inspection.plugins:
        _print_part(plugin_finding(plugin), plugin.tools, language)
    for source in inspection.sources:
        _print_part(source_finding(source), source.specs, language)
    for finding in clash_findings(inspection):
        print_finding(finding, language)


@click.command(name="slack-manifest")
@config_option
@click.option("--url", default="", help="Public address of the bot, for HTTP; without it the app uses Socket Mode.")
def slack_manifest(config: Path | None, url: str) -> None:
    """Print the manifest as JSON, with a command for each function of the settings."""
    from bot.platforms.kit.commands import menu_of
    from bot.platforms.slack.manifest import manifest

    settings = load_settings(config)
    made = manifest(settings.bot.name, menu_of(_inspect(settings).specs), url=url)
    click.echo(json.dumps(made, ensure_ascii=False, indent=2))


def _inspect(settings: Settings) -> "Inspection":
    # Imported here: a check without plugins and tool servers does not need the whole bot.
    from bot.app.inspection import inspect_bot

    with suspend_logging():
        return asyncio.run(inspect_bot(settings, SystemClock()))


def _print_part(finding: Finding, specs: Iterable[ToolSpec], language: str) -> None:
    click.echo()
    print_finding(finding, language)
    _print_tools(specs)


def _print_tools(specs: Iterable[ToolSpec]) -> None:
    for spec in specs:
        click.echo(click.style(printable(spec.name), bold=True) + printable(f"  {spec.description}"))
        for line in _arguments(spec.parameters):
            click.echo(printable(f"    {line}"))


def _arguments(schema: Mapping[str, object]) -> list[str]:
    """Return a line for each argument: name, required or optional, type, description."""
    parts = {name: part for name, part in properties_of(schema).items() if isinstance(part, dict)}
    width, required = max(map(len, parts), default=0), required_of(schema)
    return [
        f"{name:<{width}}  {'required' if name in required else 'optional'}  {_kind(part):<16}  "
        f"{part.get('description', '')}"
        for name, part in parts.items()
    ] or ["(no arguments)"]


def _kind(part: dict[str, object]) -> str:
    """Return the accepted values or types; null is the same as a missing argument."""
    values = part.get("enum")
    if isinstance(values, list):
        return "|".join(str(value) for value in values if value is not None)
    return "|".join(each for each in types_of(part) if each != "null") or "any"


@click.command()
@config_option
def check(config: Path | None) -> int:
    """Check settings, tool servers and plugins; return 0, 1 if one of them does not work, 2 for invalid settings."""
    try:
        settings = load_settings(config)
        check_start(settings)
        tools = _tool_findings(settings)
    except ConfigError as error:
        language = operator_language(config)
        word = click.style(f"{say(language, 'doctor.problem'):<9}", fg="red")
        click.echo(word + config_error_text(error, language))
        return 2
    language = display_language(settings.bot.language)
    ok = click.style(f"{say(language, 'doctor.ok'):<9}", fg="green")
    print_finding(good("settings", text_in(language, settings_place(config))), language)
    for line in _describe_settings(settings, language):
        click.echo(ok + line)
    for finding in tools:
        print_finding(finding, language)
    return 1 if any(finding.is_problem for finding in tools) else 0


def _tool_findings(settings: Settings) -> list[Finding]:
    """Return findings about plugins, tool servers and unknown names; the bot is inspected only if there are any."""
    servers = settings.tool_servers
    has_servers = servers.urls or servers.mcp_file or servers.python_tools or servers.connections.get_secret_value()
    if not has_servers and not find_enabled_plugins(settings.plugins):
        return check_configured_names(settings)
    inspection = _inspect(settings)
    return [*examine_tools(inspection), *check_configured_names(settings, inspection.platforms)]


def _describe_settings(settings: Settings, language: str) -> list[str]:
    say_here = partial(say, language)
    model, engines = settings.model, ", ".join(settings.search.configured_engines)
    platforms = ", ".join(settings.platforms.enabled) or say_here("serve.no_platforms")
    is_model = model.is_configured
    return [
        say_here("doctor.valid", names=platforms),
        say_here("doctor.place", zone=settings.bot.zone_name, folder=settings.bot.data_dir.absolute()),
        say_here(
            "doctor.model_used" if is_model else "doctor.model_offline",
            name=model.name,
            address=model.base_url or "api.openai.com",
        ),
        say_here("doctor.engines" if engines else "doctor.engines_none", names=engines),
        *([] if has_calendars() else [say_here("doctor.no_calendars")]),
    ]
