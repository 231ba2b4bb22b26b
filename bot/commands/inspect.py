"""`bubbles tools` and `bubbles check`: look, change nothing."""

import json
from pathlib import Path

import click

from bot.settings import Settings
from bot.settings_sources import load_settings
from services.errors import ConfigError


def show_tools(config: Path | None, *, as_json: bool) -> int:
    """Print every function with its schema and return the exit code."""
    from bot.wiring import built_in_registry

    try:
        load_settings(config)
    except ConfigError as error:
        click.echo(f"bubbles: {error}", err=True)
        return 2
    specs = built_in_registry().specs
    if as_json:
        listed = [
            {"type": "function", "function": {"name": s.name, "description": s.description, "parameters": s.parameters}}
            for s in specs
        ]
        click.echo(json.dumps(listed, ensure_ascii=False, indent=2))
        return 0
    for spec in specs:
        click.echo(click.style(spec.name, bold=True) + f"  {spec.description}")
        for line in _arguments(spec.parameters):
            click.echo(f"    {line}")
    return 0


def _arguments(schema: object) -> list[str]:
    """One line an argument: name, whether it must be given, type, what it means."""
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
    if isinstance(part.get("enum"), list):
        return "|".join(str(value) for value in part["enum"])  # type: ignore[attr-defined]  # a list, as just asked
    kind = part.get("type", "any")
    return "|".join(kind) if isinstance(kind, list) else str(kind)


def check_settings(config: Path | None) -> int:
    """Validate the settings, print what follows from them and return the exit code: 0 good, 2 not."""
    try:
        settings = load_settings(config)
    except ConfigError as error:
        click.echo(click.style("problem  ", fg="red") + str(error))
        return 2
    for line in _findings(settings):
        click.echo(click.style("ok       ", fg="green") + line)
    return 0


def _findings(settings: Settings) -> list[str]:
    from bot.zones import bot_zone_name

    model = settings.model
    answered_by = (
        f"model {model.name} at {model.base_url or 'the OpenAI API'}"
        if model.is_configured
        else (
            "no model: the offline interpreter answers (set OPENAI_API_KEY or BUBBLES_MODEL__BASE_URL to connect one)"
        )
    )
    engines = [name for name, value in _search_keys(settings).items() if value]
    return [
        f"settings are valid; platforms: {', '.join(settings.platforms.enabled)}",
        f"time zone {bot_zone_name(settings.bot.timezone)}, data in {settings.bot.data_dir}",
        answered_by,
        f"search: {', '.join(engines)}" if engines else "search: not set up (set PERPLEXITY_API_KEY to connect it)",
    ]


def _search_keys(settings: Settings) -> dict[str, bool]:
    search = settings.search
    return {
        "perplexity": bool(search.perplexity_api_key.get_secret_value()),
        "tavily": bool(search.tavily_api_key.get_secret_value()),
        "brave": bool(search.brave_api_key.get_secret_value()),
        "searxng": bool(search.searxng_url),
        "wikipedia": bool(search.wikipedia_contact),
    }
