"""`bubbles usage`: show the usage of models and functions by chat, person, function or day."""

import asyncio
from datetime import timedelta
from pathlib import Path

import click

from bot.cli.columns import in_columns
from bot.config.sources import load_settings
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError
from services.storage.engine.readonly import DatabaseView
from services.storage.records.usage import Usage, UsageBy, usage_by


def show_usage(config: Path | None, by: UsageBy, days: int) -> int:
    """Print a table and return the exit code; the bot may be running."""
    try:
        settings = load_settings(config)
        used = asyncio.run(_read_usage(settings.database_url, by, days))
    except ConfigError as error:
        click.echo(f"bubbles: {error}", err=True)
        return 2
    if not used:
        click.echo(f"Nothing is on record of the last {days} days.")
        return 0
    total = Usage(
        name="total",
        count=sum(each.count for each in used),
        failed=sum(each.failed for each in used),
        tokens=sum(each.tokens for each in used),
        cost=sum(each.cost for each in used),
    )
    head = (by, "calls" if by == "function" else "messages", "failed", "tokens", "cost")
    for line in in_columns([head, *map(_row, (*used, total))]):
        click.echo(line)
    return 0


async def _read_usage(url: str, by: UsageBy, days: int) -> tuple[Usage, ...]:
    async with DatabaseView(url) as view:
        return await usage_by(view, by, SystemClock().now() - timedelta(days=days))


def _row(used: Usage) -> tuple[str, ...]:
    return (used.name, str(used.count), str(used.failed), str(used.tokens), f"{used.cost:.6g}")
