"""Open the infrastructure of a bot: settings, clock, times, database, state and call log."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from bot.config.secrets import secret_values
from bot.config.settings import Settings, TimeSettings
from bot.observability.metrics import Counts
from bot.tools.servers.sources import tool_secrets
from services.call_log.secret_mask import SecretMask
from services.call_log.service import CallLog
from services.kernel.clock import Clock
from services.kernel.state import StateStore
from services.storage.database import Database
from services.storage.people.state import SqlScopeStore, SqlStateStore
from services.storage.records.store import SqlCallStore
from services.storage.reminders.store import SqlReminderStore
from services.time_expressions import DateOrder, DayParts, TimeReader


def create_time_reader(settings: TimeSettings) -> TimeReader:
    """Return a time reader with the conventions of the settings."""
    parts = DayParts(**settings.model_dump(exclude={"date_order"}))
    order = None if settings.date_order == "ask" else DateOrder(settings.date_order)
    return TimeReader(order=order, day_parts=parts)


def read_time(reader: TimeReader, phrase: str, sent_at: datetime, language: str) -> datetime | None:
    """Return the time in `phrase`, by the conventions of `reader`; None if it is ambiguous."""
    best = reader.parse(phrase, sent_at, language=language).best
    return None if best is None else best.start


class Infrastructure(Struct, frozen=True, kw_only=True):
    """The infrastructure of a bot. `mask` removes secrets from the call log."""

    settings: Settings
    clock: Clock
    zone: ZoneInfo
    time_reader: TimeReader
    database: Database
    state_store: StateStore
    scope_store: SqlScopeStore
    reminder_store: SqlReminderStore
    mask: SecretMask
    counts: Counts
    call_log: CallLog


@asynccontextmanager
async def open_infrastructure(settings: Settings, clock: Clock, database: Database) -> AsyncIterator[Infrastructure]:
    """Open `database` until the context ends; pending call records are written before it closes.

    Raises:
        ConfigError: the settings of a tool server are invalid.
        StorageBusy: another process uses the same database file.
    """
    async with database:
        mask = SecretMask((*secret_values(settings), *tool_secrets(settings.tool_servers)))
        counts = Counts()
        call_log = CallLog(SqlCallStore(database), mask=mask, on_recorded=counts.count_record)
        try:
            yield Infrastructure(
                settings=settings,
                clock=clock,
                zone=settings.bot.zone,
                time_reader=create_time_reader(settings.time),
                database=database,
                state_store=SqlStateStore(database, clock),
                scope_store=SqlScopeStore(database),
                reminder_store=SqlReminderStore(database, quiet=settings.reminders.quiet(settings.bot.zone)),
                mask=mask,
                counts=counts,
                call_log=call_log,
            )
        finally:
            await call_log.drain()
