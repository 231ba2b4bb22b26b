"""`bubbles slack-manifest`: print the manifest of a Slack app for the bot."""

import asyncio
import json
from pathlib import Path

import click

from bot.config.sources import load_settings
from bot.platforms.kit.commands import menu_of
from bot.platforms.slack.manifest import manifest
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError


def show_slack_manifest(config: Path | None, *, url: str) -> int:
    """Print the manifest as JSON, with a command for each function of the settings, and return the exit code."""
    from bot.app.inspection import offer_of

    try:
        settings = load_settings(config)
        offer = asyncio.run(offer_of(settings, SystemClock()))
    except ConfigError as error:
        click.echo(f"bubbles: {error}", err=True)
        return 2
    click.echo(json.dumps(manifest(settings.bot.name, menu_of(offer.specs), url=url), ensure_ascii=False, indent=2))
    return 0
