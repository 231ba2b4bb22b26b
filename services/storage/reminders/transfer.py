"""Store the reminders of a file."""

from collections.abc import Sequence
from datetime import datetime

from services.reminders.exchange.model import ImportedReminder
from services.reminders.records import ValidatedReminder
from services.storage.database import Database
from services.storage.engine.rows import insert_new, to_micros, to_micros_or_none
from services.storage.reminders.rows import draft_columns
from services.storage.reminders.store import SqlReminderReader
from services.storage.tables import REMINDER


class SqlTransferStore(SqlReminderReader):
    """A `TransferStore` over a `Database`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    async def take_in(self, arrivals: Sequence[ImportedReminder], now: datetime) -> int:
        """Store all in one transaction; return the number of new ones by request key."""
        rows = [imported_columns(arrival, now) for arrival in arrivals]
        if not rows:
            return 0
        return await self._database.run(
            lambda connection: max(0, connection.execute(insert_new(connection.dialect.name, REMINDER), rows).rowcount)
        )


def imported_columns(arrival: ImportedReminder, now: datetime) -> dict[str, object]:
    """Return the columns of the row of an imported reminder; `now` is the time of the import."""
    draft = ValidatedReminder(wish=arrival.wish, first_fire=arrival.next_fire_at or now)
    return {
        **draft_columns(draft, to_micros(arrival.created_at)),
        "next_fire_at": to_micros_or_none(arrival.next_fire_at),
        "state": arrival.state.value,
        "updated_at": to_micros(now),
    }
