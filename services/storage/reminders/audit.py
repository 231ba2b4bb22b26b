"""Read the rows for the verification of reminders, also while the bot writes."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

import sqlalchemy as sa

from services.reminders.audit.verification import AuditedReminder
from services.reminders.model import ReminderState, public_id
from services.reminders.records import DeliveryRecord
from services.storage.engine.readonly import Readable
from services.storage.engine.rows import from_micros, to_micros
from services.storage.reminders import ledger
from services.storage.reminders.rows import schedule_of
from services.storage.tables import DELIVERY, REMINDER

_PORTION = 2000
_NAMES = (
    *("id", "rule", "start_local", "start_fold", "zone", "follow_up_minutes", "follow_up_times", "done_until"),
    *("state", "created_at", "updated_at", "version"),
)
_IS_IMPORTED = REMINDER.c.request_key.startswith("import:").label("is_imported")
_FIRST_OF_VERSION = (
    sa.select(sa.func.min(DELIVERY.c.due_at))
    .where(DELIVERY.c.reminder_id == REMINDER.c.id, DELIVERY.c.version == REMINDER.c.version)
    .scalar_subquery()
    .label("first_due")
)


class SqlReminderAudit:
    """An `AuditReader` over a database."""

    def __init__(self, database: Readable) -> None:
        self._readable = database

    async def reminders(self, until: datetime) -> AsyncIterator[Sequence[AuditedReminder]]:
        """Yield every reminder created before `until`, in batches."""
        last = 0
        while portion := await self._after(last, to_micros(until)):
            last = portion[-1][0]
            yield [reminder for _, reminder in portion]

    async def deliveries(self, since: datetime, until: datetime) -> tuple[DeliveryRecord, ...]:
        """Return every occurrence due in the period, oldest first."""
        return await self._readable.read(lambda connection: ledger.deliveries(connection, since, until))

    async def _after(self, last: int, until: int) -> list[tuple[int, AuditedReminder]]:
        query = (
            sa.select(*(REMINDER.c[name] for name in _NAMES), _IS_IMPORTED, _FIRST_OF_VERSION)
            .where(REMINDER.c.id > last, REMINDER.c.created_at <= until)
            .order_by(REMINDER.c.id)
            .limit(_PORTION)
        )
        return await self._readable.read(
            lambda connection: [(row["id"], _to_audited(row)) for row in connection.execute(query).mappings()]
        )


def _to_audited(row: sa.RowMapping) -> AuditedReminder:
    return AuditedReminder(
        id=public_id(row["id"]),
        schedule=schedule_of(row),
        state=ReminderState(row["state"]),
        created_at=from_micros(row["created_at"]),
        changed_at=from_micros(_changed_at(row)),
    )


def _changed_at(row: sa.RowMapping) -> int:
    """Return the time since which the reminder certainly had this schedule.

    `updated_at` changes with every claim, so for a changed reminder it is the first occurrence of the new version, or
    `updated_at` if there was none yet.
    """
    if row["version"] == 1 and not row["is_imported"]:
        return int(row["created_at"])
    return int(row["first_due"] or row["updated_at"])
