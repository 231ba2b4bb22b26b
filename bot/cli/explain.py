"""`bubbles explain`: show how a message was handled, from the call log."""

import asyncio
from pathlib import Path

import click

from bot.config.settings import Settings
from bot.config.sources import load_settings
from bot.config.terminal import printable
from function_calls.conversation.records.explaining import explained
from services.call_log.model import CallRecord, TurnRecord
from services.kernel.errors import ConfigError
from services.storage.engine.readonly import DatabaseView
from services.storage.records.store import SqlCallReader


def explain(config: Path | None, message: str, *, chat: str | None) -> int:
    """Print route, calls, checks, results, times and cost of a message's turn; return the exit code.

    `message` is the platform's id of the message, or `last`; `chat` is `platform:id`, needed only where two chats have
    a message of that id. The bot may be running. Exit code 1 says that there is no record.
    """
    try:
        settings = load_settings(config)
        found = asyncio.run(_find_turn(settings, message, chat))
    except ConfigError as error:
        click.echo(f"bubbles: {error}", err=True)
        return 2
    if found is None:
        click.echo(f"bubbles: nothing is recorded about message {message}", err=True)
        return 1
    turn, calls = found
    opening = f"{turn.address}  {turn.person.name}  {turn.at:%Y-%m-%d %H:%M:%S} UTC  message {turn.message_id}"
    for line in (opening, *explained(turn, calls, settings.bot.language, has_details=True)):
        click.echo(printable(line))
    return 0


async def _find_turn(
    settings: Settings, message: str, chat: str | None
) -> tuple[TurnRecord, tuple[CallRecord, ...]] | None:
    async with DatabaseView(settings.database_url) as view:
        return await recorded(SqlCallReader(view), message, chat)


async def recorded(
    reader: SqlCallReader, message: str, chat: str | None
) -> tuple[TurnRecord, tuple[CallRecord, ...]] | None:
    """Return the turn and the calls of a message, or of the last one; None when there is no record."""
    if message == "last":
        turn = next(iter(await reader.latest_turns(1, chat_key=chat)), None)
    else:
        turn = await reader.turn(message, chat)
    if turn is None:
        return None
    return turn, await reader.calls(turn.address.key, [turn.message_id])
