"""`bubbles export` and `bubbles import`: write all data of some chats and people to a file and read it back."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

import click

from bot.cli.errors import failed
from bot.config.settings import Settings
from bot.config.sources import load_settings
from bot.platforms.web.files import RoomFiles
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError, RequestRefused, StorageBusy
from services.reminders.exchange.model import ImportRefused, read_chat
from services.reminders.model import ReminderLimits
from services.storage.database import Database
from services.storage.engine.readonly import DatabaseView
from services.storage.export.lines import ExportScope
from services.storage.export.reader import TransferReader
from services.storage.export.service import ImportSummary, export_lines, import_lines
from services.storage.export.writer import TransferWriter
from services.storage.reminders.transfer import SqlTransferStore


def export_everything(config: Path | None, chats: Sequence[str], people: Sequence[str], out: Path) -> int:
    """Write what the chats and people have to `out` and return the exit code; the bot may be running."""
    if out.exists():
        return failed(f"{out} exists already; nothing is overwritten")
    if not chats and not people:
        return failed("name whose data: --chat platform:id, --person platform:id, each as often as you like")
    try:
        settings = load_settings(config)
        for key in (*chats, *people):
            read_chat(key)
        counts = _write(settings, ExportScope(chats=tuple(chats), people=tuple(people)), out)
    except (ConfigError, ValueError, OSError) as error:
        return failed(error)
    click.echo(f"{out}: {_format_counts(counts)}")
    return 0


def import_everything(config: Path | None, file: Path) -> int:
    """Keep everything of `file`, or nothing, and return the exit code; a bot on SQLite must be stopped."""
    try:
        came = asyncio.run(_import(load_settings(config), file))
    except ImportRefused as refusal:
        for problem in refusal.problems:
            click.echo(f"{file.name}: {problem}", err=True)
        return failed("nothing was imported")
    except RequestRefused as refusal:
        return failed(f"nothing was imported; a chat may have {refusal.fields.get('limit')} reminders")
    except StorageBusy as error:
        return failed(f"{error}; stop the bot to import")
    except (ConfigError, ValueError, OSError) as error:
        return failed(error)
    click.echo(f"new: {_format_counts(came.added)}")
    if came.known_reminders or came.over_reminders:
        click.echo(f"reminders: {came.known_reminders} were there already, {came.over_reminders} are over")
    return 0


def _write(settings: Settings, wanted: ExportScope, out: Path) -> Mapping[str, int]:
    """Write the file; it is whole or not there at all."""
    unfinished = out.with_name(f"{out.name}.unfinished")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            counts = asyncio.run(_export(settings, wanted, file))
        unfinished.replace(out)
    except OSError as error:
        if error.filename == str(unfinished):
            error.filename = str(out)  # the name that was given
        raise
    finally:
        unfinished.unlink(missing_ok=True)
    return counts


async def _export(settings: Settings, wanted: ExportScope, file: TextIO) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    async with DatabaseView(settings.database_url) as view:
        files = RoomFiles(settings.bot.data_dir / "files")
        async for kind, line in export_lines(TransferReader(view), files, wanted, SystemClock().now()):
            file.write(f"{line}\n")
            counts[kind] += 1
    del counts["head"]
    return counts


async def _import(settings: Settings, file: Path) -> ImportSummary:
    def texts() -> Iterator[str]:
        with file.open(encoding="utf-8") as lines:
            yield from lines

    limits = ReminderLimits(content_length=settings.reminders.max_content_length)
    async with Database(settings.database_url) as database:
        store, files = SqlTransferStore(database), RoomFiles(settings.bot.data_dir / "files")
        return await import_lines(texts, store, TransferWriter(database), files, SystemClock(), limits)


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in counts.items() if count) or "nothing"
