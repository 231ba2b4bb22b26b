"""Read reminders for a file and store those of one."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from services.reminders.exchange.model import ImportedReminder
from services.reminders.records import StoredReminder, ValidatedReminder
from services.storage.database import Database
from services.storage.engine.readonly import Readable
from services.storage.engine.rows import insert_new, to_micros, to_micros_or_none
from services.storage.reminders.rows import draft_columns, reminder_of
from services.storage.tables import REMINDER
from services.storage.tables.base import IS_OPEN


class SqlReminderReader:
    """Reads reminders, also while a bot writes them."""

    def __init__(self, database: Readable) -> None:
        self._readable = database

    async def in_chat(self, chat_key: str, limit: int) -> tuple[StoredReminder, ...]:
        """Return the active and paused reminders of a chat, soonest first."""
        soonest = (REMINDER.c.next_fire_at.is_(None), REMINDER.c.next_fire_at, REMINDER.c.id)
        query = sa.select(REMINDER).where(REMINDER.c.chat_key == chat_key, IS_OPEN).order_by(*soonest).limit(limit)
        return await self._rows(query)

    async def get(self, key: int) -> StoredReminder | None:
        """Return the reminder with this key, whatever its state."""
        return next(iter(await self._rows(sa.select(REMINDER).where(REMINDER.c.id == key))), None)

    async def by_request(self, request_key: str) -> StoredReminder | None:
        """Return the reminder that the command with this key made."""
        return next(iter(await self._rows(sa.select(REMINDER).where(REMINDER.c.request_key == request_key))), None)

    async def _rows(self, query: sa.Select[tuple[object, ...]]) -> tuple[StoredReminder, ...]:
        return await self._readable.read(
            lambda connection: tuple(reminder_of(row) for row in connection.execute(query).mappings())
        )


class SqlTransferStore(SqlReminderReader):
    """A `TransferStore` over a `Database`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    async def take_in(self, arrivals: Sequence[ImportedReminder], now: datetime) -> int:
        """Keep all of them in one transaction; return how many were new by their request key."""
        rows = [imported_columns(arrival, now) for arrival in arrivals]
        if not rows:
            return 0
        return await self._database.run(
            lambda connection: max(0, connection.execute(insert_new(connection.dialect.name, REMINDER), rows).rowcount)
        )


def imported_columns(arrival: ImportedReminder, now: datetime) -> dict[str, object]:
    """Return what comes from a file, as the columns of its row; `now` is when it came."""
    draft = ValidatedReminder(wish=arrival.wish, first_fire=arrival.next_fire_at or now)
    return {
        **draft_columns(draft, to_micros(arrival.created_at)),
        "next_fire_at": to_micros_or_none(arrival.next_fire_at),
        "state": arrival.state.value,
        "updated_at": to_micros(now),
    }
