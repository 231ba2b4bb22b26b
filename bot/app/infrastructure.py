"""Open the infrastructure of a bot: settings, clock, times, database, state and call log."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from bot.config.settings import Settings, TimeSettings
from bot.config.sources import secret_values
from bot.observability.metrics import Counts
from bot.tools.servers.sources import tool_secrets
from services.call_log.masking import SecretMask
from services.call_log.service import CallLog
from services.kernel.clock import Clock
from services.kernel.state import StateStore
from services.storage.database import Database
from services.storage.people.state import SqlScopeStore, SqlStateStore
from services.storage.records.store import SqlCallStore
from services.summary.model import TimeReader as ReadTime
from services.time_expressions import DateOrder, DayParts, TimeReader


def time_reader(settings: TimeSettings) -> TimeReader:
    """Return the reader of all times, by the operator's conventions."""
    parts = DayParts(
        day=settings.day,
        morning=settings.morning,
        noon=settings.noon,
        afternoon=settings.afternoon,
        evening=settings.evening,
        night=settings.night,
    )
    order = None if settings.date_order == "ask" else DateOrder(settings.date_order)
    return TimeReader(order=order, day_parts=parts)


def create_time_reader(reader: TimeReader) -> ReadTime:
    """Return a function that reads single times with `reader`."""

    def read(phrase: str, sent_at: datetime, language: str) -> datetime | None:
        best = reader.parse(phrase, sent_at, language=language).best
        return None if best is None else best.start

    return read


class Infrastructure(Struct, frozen=True, kw_only=True):
    """`zone` is the bot's own, `times` reads what people say of time, `mask` keeps secrets out of what is written."""

    settings: Settings
    clock: Clock
    zone: ZoneInfo
    times: TimeReader
    database: Database
    state: StateStore
    scopes: SqlScopeStore
    mask: SecretMask
    counts: Counts
    log: CallLog


@asynccontextmanager
async def open_infrastructure(settings: Settings, clock: Clock, database: Database) -> AsyncIterator[Infrastructure]:
    """Open `database` for as long as the context lasts; pending records are written before it closes.

    Raises:
        ConfigError: a tool server cannot be read.
        StorageBusy: another process uses the same database file.
    """
    async with database:
        mask = SecretMask((*secret_values(settings), *tool_secrets(settings.tool_servers)))
        counts = Counts()
        log = CallLog(SqlCallStore(database), mask=mask, on_recorded=counts.record)
        try:
            yield Infrastructure(
                settings=settings,
                clock=clock,
                zone=settings.bot.zone,
                times=time_reader(settings.time),
                database=database,
                state=SqlStateStore(database, clock),
                scopes=SqlScopeStore(database),
                mask=mask,
                counts=counts,
                log=log,
            )
        finally:
            await log.drain()
