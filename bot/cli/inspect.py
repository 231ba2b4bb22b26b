"""`bubbles tools`, `check` and `slack-manifest`: show the tools and check the settings."""

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.app.settings_checks import check_configured_names
from bot.cli.commands import config_option
from bot.cli.doctor.tools import clash_findings, examine_tools, plugin_finding, print_finding, source_finding
from bot.config.settings import Settings
from bot.config.sources import load_settings
from bot.platforms.catalog import create_platforms
from bot.platforms.kit.doctor import Finding
from bot.plugins.loading import find_enabled_plugins
from function_calls.tools.calls import ToolSpec
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError

if TYPE_CHECKING:
    from bot.app.inspection import Inspection


@click.command()
@config_option
@click.option("--json", "as_json", is_flag=True, help="The tool list exactly as a model is sent it.")
def tools(config: Path | None, as_json: bool) -> None:
    """Print every function and every tool of plugins and servers with its schema."""
    inspection = _inspect(load_settings(config))
    if as_json:
        listed = [
            {"type": "function", "function": {"name": s.name, "description": s.description, "parameters": s.parameters}}
            for s in inspection.specs
        ]
        click.echo(json.dumps(listed, ensure_ascii=False, indent=2))
        return
    _print_tools(inspection.functions)
    for plugin in inspection.plugins:
        _print_part(plugin_finding(plugin), plugin.specs)
    for source in inspection.sources:
        _print_part(source_finding(source), source.specs)
    for finding in clash_findings(inspection):
        print_finding(finding)


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

    return asyncio.run(inspect_bot(settings, SystemClock()))


def _print_part(finding: Finding, specs: Iterable[ToolSpec]) -> None:
    click.echo()
    print_finding(finding)
    _print_tools(specs)


def _print_tools(specs: Iterable[ToolSpec]) -> None:
    for spec in specs:
        click.echo(click.style(spec.name, bold=True) + f"  {spec.description}")
        for line in _arguments(spec.parameters):
            click.echo(f"    {line}")


def _arguments(schema: object) -> list[str]:
    """Return a line for each argument: name, required or optional, type, description."""
    properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
    required = schema.get("required", []) if isinstance(schema, dict) else []
    if not properties:
        return ["(no arguments)"]
    width = max(len(name) for name in properties)
    return [
        f"{name:<{width}}  {'required' if name in required else 'optional'}  {_kind(part):<16}  "
        f"{part.get('description', '')}"
        for name, part in properties.items()
    ]


def _kind(part: dict[str, object]) -> str:
    """Return the accepted values or types; null is the same as a missing argument."""
    values = part.get("enum")
    if isinstance(values, list):
        return "|".join(str(value) for value in values if value is not None)
    kind = part.get("type", "any")
    return "|".join(str(each) for each in kind if each != "null") if isinstance(kind, list) else str(kind)


@click.command()
@config_option
def check(config: Path | None) -> int:
    """Check settings, tool servers and plugins; return 0, 1 if one of them does not work, 2 for invalid settings."""
    try:
        settings = load_settings(config)
        _check_start(settings)
        tools = _tool_findings(settings)
    except ConfigError as error:
        click.echo(click.style("problem  ", fg="red") + str(error))
        return 2
    for line in _describe_settings(settings):
        click.echo(click.style("ok       ", fg="green") + line)
    for finding in tools:
        print_finding(finding)
    return 1 if any(finding.is_problem for finding in tools) else 0


def _check_start(settings: Settings) -> None:
    """Make the checks of `bubbles run` before it serves.

    Raises:
        ConfigError: a platform lacks its library or a setting, or the page would be open to everybody.
    """
    from bot.http.security.networks import check_bind_policy

    create_platforms(settings, SystemClock())
    if settings.http.enabled:
        check_bind_policy(settings.http)


def _tool_findings(settings: Settings) -> list[Finding]:
    """Return findings about plugins, tool servers and unknown names; the bot is inspected only if there are any."""
    servers = settings.tool_servers
    has_servers = servers.urls or servers.mcp_file or servers.python_tools or servers.connections.get_secret_value()
    if not has_servers and not find_enabled_plugins(settings.plugins):
        return check_configured_names(settings)
    inspection = _inspect(settings)
    return [*examine_tools(inspection), *check_configured_names(settings, inspection.platforms)]


def _describe_settings(settings: Settings) -> list[str]:
    model = settings.model
    answered_by = (
        f"model {model.name} at {model.base_url or 'the OpenAI API'}"
        if model.is_configured
        else (
            "no model: the offline interpreter answers (set OPENAI_API_KEY or BUBBLES_MODEL__BASE_URL to connect one)"
        )
    )
    engines = settings.search.configured_engines
    return [
        f"settings are valid; platforms: {', '.join(settings.platforms.enabled) or 'none'}",
        f"time zone {settings.bot.zone_name}, data in {settings.bot.data_dir}",
        answered_by,
        f"search: {', '.join(engines)}" if engines else "search: not set up (set PERPLEXITY_API_KEY to connect it)",
    ]
