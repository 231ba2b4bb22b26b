"""`bubbles backup`, `restore`, `export`, `import` and `reminders`: save and load data, and verify deliveries."""

import asyncio
import getpass
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import TextIO
from zoneinfo import ZoneInfo

import click

from bot.cli.commands import CommandFailed, config_option
from bot.config.settings import Settings
from bot.config.sources import load_settings
from bot.config.terminal import printable
from bot.platforms.web.files import RoomFiles
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError, RequestRefused, StorageBusy
from services.kernel.private_files import open_private, replace_file
from services.reminders.audit.verification import Result, Verification, verify
from services.reminders.exchange.ics_read import ImportDefaults
from services.reminders.exchange.model import ImportRefused, read_chat
from services.reminders.exchange.transfer import Form, Importer, ImportReport, export_chat
from services.reminders.model import ReminderLimits
from services.storage.database import Database
from services.storage.engine.readonly import DatabaseView
from services.storage.export.lines import ExportScope
from services.storage.export.reader import find_unknown, stored_chats
from services.storage.export.service import ImportSummary, export_lines, import_lines
from services.storage.messages.pages import ChatUse
from services.storage.reminders.audit import SqlReminderAudit
from services.storage.reminders.store import SqlReminderReader, SqlReminderStore
from services.storage.schema.backup import back_up
from services.storage.schema.backup import restore as restore_backup

_MAX_SHOWN = 50
_LAST_DAYS = timedelta(days=7)
_existing_file = click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
_chat_option = click.option("--chat", required=True, help="The chat, as platform:id, such as console:home.")


@contextmanager
def _failures(code: int) -> Iterator[None]:
    """End the command with `code` if settings, a chat, a time or a file are invalid."""
    try:
        yield
    except (ConfigError, ValueError, OverflowError, OSError) as error:
        raise CommandFailed(error, code) from error


@contextmanager
def _import_failures(file: Path) -> Iterator[None]:
    """End the command with the reasons if `file` was not imported."""
    try:
        yield
    except ImportRefused as refusal:
        for problem in refusal.problems:
            click.echo(printable(f"{file.name}: {problem}"), err=True)
        raise CommandFailed("nothing was imported") from refusal
    except RequestRefused as refusal:
        limit = refusal.fields.get("limit")
        raise CommandFailed(f"nothing was imported; a chat may have {limit} reminders") from refusal
    except StorageBusy as error:
        raise CommandFailed(f"{error}; stop the bot to import") from error


@click.command()
@config_option
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(config: Path | None, file: Path) -> None:
    """Copy the database into `file`; the bot may be running."""
    _refuse_existing(file)
    with _failures(1):
        made = back_up(load_settings(config).database_url, file)
    click.echo(f"{made.file}: {made.size / 1000:.0f} kB, checked")


@click.command()
@config_option
@_existing_file
def restore(config: Path | None, file: Path) -> None:
    """Restore the database from `file`; the bot must be stopped."""
    try:
        with _failures(1):
            made = restore_backup(load_settings(config).database_url, file)
    except StorageBusy as error:
        raise CommandFailed(f"{error}. Stop the bot first") from error
    click.echo("restored" if made.earlier is None else f"restored; the earlier database is kept as {made.earlier}")


@click.command(name="export")
@config_option
@click.option("--chat", "chats", multiple=True, help="A chat, as platform:id; as often as you like.")
@click.option("--person", "people", multiple=True, help="A person, as platform:id; as often as you like.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="File to write; it must not exist."
)
def export_all(config: Path | None, chats: tuple[str, ...], people: tuple[str, ...], out: Path) -> None:
    """Write the data of the chats and people to `out`; the bot may be running."""
    _refuse_existing(out)
    if not chats and not people:
        raise CommandFailed("name at least one chat or person: --chat platform:id, --person platform:id")
    with _failures(1):
        settings = load_settings(config)
        for key in (*chats, *people):
            read_chat(key)
        counts = _write(settings, ExportScope(chats=chats, people=people), out)
    click.echo(f"{out}: {_format_counts(counts)}")


@click.command(name="import")
@config_option
@_existing_file
def import_all(config: Path | None, file: Path) -> None:
    """Import `file` as a whole, or not at all; a bot on SQLite must be stopped."""
    with _import_failures(file), _failures(1):
        summary = asyncio.run(_import(load_settings(config), file))
    click.echo(f"new: {_format_counts(summary.added)}")
    if summary.known_reminders or summary.over_reminders:
        new = summary.added.get("reminder", 0)
        click.echo(f"reminders: {_format_import(new, summary.known_reminders, summary.over_reminders)}")


@click.group()
def reminders() -> None:
    """Group the commands for reminders."""


@reminders.command(name="export")
@config_option
@_chat_option
@click.option("--format", "form", type=click.Choice(["json", "ics"]), default="json", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write; standard output by default."
)
def export_reminders(config: Path | None, chat: str, form: str, out: Path | None) -> None:
    """Write the reminders of a chat as JSON or iCalendar. The bot may be running."""
    with _failures(2):
        text = asyncio.run(_export_reminders(load_settings(config), read_chat(chat), Form(form)))
        if out is None:
            sys.stdout.buffer.write(text.encode("utf-8"))
            return
        with open(out, "wb", opener=open_private) as file:
            file.write(text.encode("utf-8"))
    click.echo(f"written to {out}", err=True)


@reminders.command(name="import")
@config_option
@_chat_option
@click.option("--owner", help="Person (id) that events of other calendars are given to; yours by default.")
@_existing_file
def import_reminders(config: Path | None, chat: str, owner: str | None, file: Path) -> None:
    """Bring the reminders of FILE (JSON or iCalendar) into a chat. All of them, or none and a report."""
    with _import_failures(file), _failures(2):
        settings = load_settings(config)
        owner = owner or _console_person(settings)
        report = asyncio.run(_import_reminders(settings, file.read_bytes(), read_chat(chat), owner))
    click.echo(_format_import(report.added, report.known, len(report.over)))


@reminders.command(name="verify")
@config_option
@click.option("--since", help="First day or time, as 2026-11-14 or 2026-11-14T09:00; seven days ago by default.")
@click.option("--until", help="Last day or time; now by default.")
def verify_reminders(config: Path | None, since: str | None, until: str | None) -> int:
    """Show what became of every occurrence of a period. Say whether one was lost."""
    with _failures(2):
        settings = load_settings(config)
        result = asyncio.run(_verify(settings, since, until))
    zone = settings.bot.zone
    period = f"{result.since.astimezone(zone):%Y-%m-%d %H:%M} to {result.until.astimezone(zone):%Y-%m-%d %H:%M}"
    click.echo(f"{period}, {result.reminders} reminders")
    for kind in Result:
        if result.counts[kind]:
            click.echo(f"  {kind.value:<10} {result.counts[kind]}")
    for finding in result.wrong[:_MAX_SHOWN]:
        click.echo(
            f"{finding.result.value}: [{finding.reminder_id}] due {finding.due_at.astimezone(zone):%Y-%m-%d %H:%M %Z}"
        )
    if len(result.wrong) > _MAX_SHOWN:
        click.echo(f"… and {len(result.wrong) - _MAX_SHOWN} more")
    click.echo("nothing was lost" if result.is_proved else "NOT proved")
    return 0 if result.is_proved else 1


def _refuse_existing(file: Path) -> None:
    if file.exists():
        raise CommandFailed(f"{file} exists already; nothing is overwritten; choose another name")


def _write(settings: Settings, wanted: ExportScope, out: Path) -> Mapping[str, int]:
    """Write the complete export or nothing.

    Raises:
        CommandFailed: nothing is stored of one of the chats and people, such as after a typing mistake.
    """
    with replace_file(out) as file:
        return asyncio.run(_export(settings, wanted, file))


async def _export(settings: Settings, wanted: ExportScope, file: TextIO) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    async with DatabaseView(settings.database_url) as view:
        await _refuse_unknown(view, await find_unknown(view, wanted))
        files = RoomFiles(settings.bot.data_dir / "files")
        async for kind, line in export_lines(view, files, wanted, SystemClock().now()):
            file.write(f"{line}\n")
            counts[kind] += 1
        del counts["head"]
    return counts


async def _refuse_unknown(view: DatabaseView, keys: Sequence[str], code: int = 1) -> None:
    if keys:
        chats = ", ".join(await view.read(partial(stored_chats, limit=_MAX_SHOWN))) or "none"
        raise CommandFailed(f"nothing is stored of {', '.join(keys)}; chats: {chats}", code)


async def _import(settings: Settings, file: Path) -> ImportSummary:
    def texts() -> Iterator[str]:
        with file.open(encoding="utf-8") as lines:
            yield from lines

    limits = ReminderLimits(content_length=settings.reminders.max_content_length)
    async with Database(settings.database_url) as database:
        files = RoomFiles(settings.bot.data_dir / "files")
        return await import_lines(texts, database, files, SystemClock(), limits)


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in counts.items() if count) or "nothing"


def _format_import(new: int, known: int, over: int) -> str:
    return f"{new} imported, {known} existed, {over} have no future time"


async def _export_reminders(settings: Settings, chat: ChatAddress, form: Form) -> str:
    async with DatabaseView(settings.database_url) as view:
        await _refuse_unknown(view, [] if await ChatUse(view).is_used(chat) else [chat.key], code=2)
        return await export_chat(SqlReminderReader(view), chat, form, SystemClock().now())


async def _import_reminders(settings: Settings, data: bytes, chat: ChatAddress, owner: str) -> ImportReport:
    defaults = ImportDefaults(
        creator=Person(id=owner, name=owner), zone=settings.bot.zone_name, language=settings.bot.language
    )
    limits = ReminderLimits(content_length=settings.reminders.max_content_length)
    async with Database(settings.database_url) as database:
        return await Importer(SqlReminderStore(database), SystemClock(), limits).import_file(data, chat, defaults)


async def _verify(settings: Settings, since: str | None, until: str | None) -> Verification:
    zone, now = settings.bot.zone, SystemClock().now()
    end = now if until is None else _moment("--until", until, zone, time.max)
    start = _moment("--since", since, zone, time.min) if since else end - _LAST_DAYS
    if start >= min(end, now):
        raise ValueError(
            f"the period begins at {start:%Y-%m-%d %H:%M}, which is not before its end; nothing is due in it"
        )
    async with DatabaseView(settings.database_url) as view:
        return await verify(SqlReminderAudit(view), start, end, now)


def _moment(option: str, text: str, zone: ZoneInfo, clock: time) -> datetime:
    """Parse an ISO date, at time `clock`, or an ISO date and time; `zone` applies if it has none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{option}: {text!r} is no day or time; write 2026-11-14 or 2026-11-14T09:00") from error
    if len(text) <= len("2026-11-21"):
        moment = datetime.combine(moment.date(), clock)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _console_person(settings: Settings) -> str:
    try:
        return settings.console.person or getpass.getuser()
    except (ImportError, KeyError, OSError):  # no login name, as in some containers
        return "somebody"
