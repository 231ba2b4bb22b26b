"""`bubbles reminders export`, `import` and `verify`: write reminders to files, read them back and compare."""

import asyncio
import getpass
import sys
from datetime import datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import click

from bot.cli.errors import failed
from bot.config.settings import Settings
from bot.config.sources import load_settings
from bot.config.zones import bot_zone
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError, RequestRefused, StorageBusy
from services.reminders.audit.verification import Fate, Verification, verify
from services.reminders.exchange.ics_read import Newcomers
from services.reminders.exchange.model import ImportRefused, read_chat
from services.reminders.exchange.transfer import Form, Importer, ImportReport, export_chat
from services.reminders.model import ReminderLimits
from services.storage.database import Database
from services.storage.engine.readonly import DatabaseView
from services.storage.reminders.audit import SqlReminderAudit
from services.storage.reminders.transfer import SqlReminderReader, SqlTransferStore

_MOST_SHOWN = 50
_LAST_DAYS = timedelta(days=7)


def export_reminders(config: Path | None, chat: str, form: str, out: Path | None) -> int:
    """Write the reminders of a chat to `out`, or to standard output; return the exit code. The bot may be running."""
    try:
        settings = load_settings(config)
        text = asyncio.run(_export(settings, read_chat(chat), Form(form)))
    except (ConfigError, ValueError) as error:
        return failed(error, 2)
    if out is None:
        sys.stdout.buffer.write(text.encode("utf-8"))
        return 0
    try:
        out.write_bytes(text.encode("utf-8"))
    except OSError as error:
        return failed(error, 2)
    click.echo(f"written to {out}", err=True)
    return 0


def import_reminders(config: Path | None, file: Path, chat: str, owner: str | None) -> int:
    """Bring the reminders of `file` into a chat: all of them or none; return the exit code.

    A bot on SQLite must be stopped. `owner` is the id of the person that events of other calendars are given to, the
    person of the console by default.
    """
    try:
        settings = load_settings(config)
        report = asyncio.run(_import(settings, file.read_bytes(), read_chat(chat), owner or _console_person(settings)))
    except ImportRefused as refusal:
        for problem in refusal.problems:
            click.echo(f"{file.name}: {problem}", err=True)
        click.echo("bubbles: nothing was imported", err=True)
        return 1
    except RequestRefused as refusal:
        limit = refusal.fields.get("limit")
        click.echo(f"bubbles: nothing was imported; a chat may have {limit} reminders", err=True)
        return 1
    except StorageBusy as error:
        click.echo(f"bubbles: {error}; stop the bot to import", err=True)
        return 1
    except (ConfigError, ValueError, OSError) as error:
        return failed(error, 2)
    over = f", {len(report.over)} left out because they are over" if report.over else ""
    click.echo(f"{report.added} imported, {report.known} there already{over}")
    return 0


def verify_reminders(config: Path | None, since: str | None, until: str | None) -> int:
    """Print what became of every occurrence of a period; return 0 when none was lost, else 1. The bot may be running.

    `since` and `until` are ISO dates or times in the bot's zone; the last seven days by default.
    """
    try:
        settings = load_settings(config)
        result = asyncio.run(_verify(settings, since, until))
    except (ConfigError, ValueError) as error:
        return failed(error, 2)
    zone = bot_zone(settings.bot.timezone)
    period = f"{result.since.astimezone(zone):%Y-%m-%d %H:%M} to {result.until.astimezone(zone):%Y-%m-%d %H:%M}"
    click.echo(f"{period}, {result.reminders} reminders")
    for fate in Fate:
        if result.fates[fate]:
            click.echo(f"  {fate.value:<10} {result.fates[fate]}")
    for finding in result.wrong[:_MOST_SHOWN]:
        click.echo(
            f"{finding.fate.value}: [{finding.reminder_id}] due {finding.due_at.astimezone(zone):%Y-%m-%d %H:%M %Z}"
        )
    if len(result.wrong) > _MOST_SHOWN:
        click.echo(f"… and {len(result.wrong) - _MOST_SHOWN} more")
    click.echo("nothing was lost" if result.is_proved else "NOT proved")
    return 0 if result.is_proved else 1


async def _export(settings: Settings, chat: ChatAddress, form: Form) -> str:
    async with DatabaseView(settings.database_url) as view:
        return await export_chat(SqlReminderReader(view), chat, form, SystemClock().now())


async def _import(settings: Settings, data: bytes, chat: ChatAddress, owner: str) -> ImportReport:
    newcomers = Newcomers(
        creator=Person(id=owner, name=owner), zone=bot_zone(settings.bot.timezone).key, language=settings.bot.language
    )
    limits = ReminderLimits(content_length=settings.reminders.max_content_length)
    async with Database(settings.database_url) as database:
        return await Importer(SqlTransferStore(database), SystemClock(), limits).import_file(data, chat, newcomers)


async def _verify(settings: Settings, since: str | None, until: str | None) -> Verification:
    zone, now = bot_zone(settings.bot.timezone), SystemClock().now()
    end = now if until is None else _moment(until, zone, time.max)
    start = _moment(since, zone, time.min) if since else end - _LAST_DAYS
    async with DatabaseView(settings.database_url) as view:
        return await verify(SqlReminderAudit(view), start, end, now)


def _moment(text: str, zone: ZoneInfo, clock: time) -> datetime:
    """Return an ISO date (its first or last moment) or date and time, in `zone` where it names none."""
    moment = datetime.fromisoformat(text)
    if len(text) <= len("2026-11-21"):
        moment = datetime.combine(moment.date(), clock)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _console_person(settings: Settings) -> str:
    try:
        return settings.console.person or getpass.getuser()
    except (ImportError, KeyError, OSError):  # no login name, as in some containers
        return "somebody"
