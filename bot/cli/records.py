"""`bubbles explain` and `bubbles usage`: print the record of a message, and the usage of models."""

import asyncio
from datetime import timedelta
from pathlib import Path

import click
import wcwidth

from bot.cli.commands import CommandFailed, config_option
from bot.config.sources import load_settings
from bot.config.terminal import printable
from function_calls.conversation.records.explanation import explain_turn
from services.call_log.model import CallRecord, TurnRecord
from services.kernel.clock import SystemClock
from services.people.privacy import MAX_RETENTION_DAYS
from services.storage.engine.readonly import DatabaseView
from services.storage.records.activity import Usage, UsageBy, usage_by
from services.storage.records.store import SqlCallReader

message_argument = click.argument("message")
_MAX_NAMED = 10
chat_option = click.option("--chat", help="Chat of the message, as platform:id, where several chats have such an id.")


@click.command()
@config_option
@message_argument
@chat_option
def explain(config: Path | None, message: str, chat: str | None) -> None:
    """Print route, calls, checks, results, times and cost of a message's turn. The bot may be running."""
    settings = load_settings(config)
    turn, calls = asyncio.run(_read_turn(settings.database_url, message, chat))
    opening = f"{turn.address}  {turn.person.name}  {turn.at:%Y-%m-%d %H:%M:%S} UTC  message {turn.message_id}"
    if settings.telemetry.endpoint:
        opening += f"  trace {turn.trace_id}"
    for line in (opening, *explain_turn(turn, calls, settings.bot.language, has_details=True)):
        click.echo(printable(line))


async def _read_turn(url: str, message: str, chat: str | None) -> tuple[TurnRecord, tuple[CallRecord, ...]]:
    async with DatabaseView(url) as view:
        return await find_turn(SqlCallReader(view), message, chat)


async def find_turn(reader: SqlCallReader, message: str, chat: str | None) -> tuple[TurnRecord, tuple[CallRecord, ...]]:
    """Return the turn and the calls of a message (its id on the platform), or of the `last` one.

    Raises:
        CommandFailed: there is no record.
    """
    if message == "last":
        turn = next(iter(await reader.latest_turns(1, chat_key=chat)), None)
    else:
        turn = await reader.turn(message, chat)
    if turn is None:
        ids = ", ".join(each.message_id for each in await reader.latest_turns(_MAX_NAMED, chat_key=chat))
        known = f"; name `last`, or one of the latest: {ids}" if ids else ""
        raise CommandFailed(f"nothing is recorded about message {message}{known}")
    return turn, await reader.calls(turn.address.key, [turn.message_id])


@click.command()
@config_option
@click.option(
    "--by", type=click.Choice(["chat", "person", "function", "day"]), default="chat", show_default=True, help="Rows."
)
@click.option(
    "--days", type=click.IntRange(1, MAX_RETENTION_DAYS), default=30, show_default=True, help="How far to look back."
)
def usage(config: Path | None, by: UsageBy, days: int) -> None:
    """Print a table; the bot may be running."""
    used = asyncio.run(_read_usage(load_settings(config).database_url, by, days))
    if not used:
        click.echo(f"Nothing is on record of the last {days} days.")
        return
    total = Usage(
        name="total",
        count=sum(each.count for each in used),
        failed=sum(each.failed for each in used),
        tokens=sum(each.tokens for each in used),
        cost=sum(each.cost for each in used),
    )
    rows = [(by, "calls" if by == "function" else "messages", "failed", "tokens", "cost"), *map(_row, (*used, total))]
    first, *others = [max(map(wcwidth.wcswidth, column)) for column in zip(*rows, strict=True)]
    for name, *figures in rows:
        cells = [wcwidth.rjust(text, width) for text, width in zip(figures, others, strict=True)]
        click.echo("  ".join([wcwidth.ljust(name, first), *cells]))


async def _read_usage(url: str, by: UsageBy, days: int) -> tuple[Usage, ...]:
    async with DatabaseView(url) as view:
        return await usage_by(view, by, SystemClock().now() - timedelta(days=days))


def _row(used: Usage) -> tuple[str, ...]:
    return (printable(used.name), str(used.count), str(used.failed), str(used.tokens), f"{used.cost:.6g}")
