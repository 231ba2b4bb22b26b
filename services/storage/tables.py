"""The tables as SQLAlchemy sees them, for statements; each is declared once, by its SQLModel class.

Instants are UTC microseconds; wall clock, zone and rule of a reminder are the truth.
"""

import sqlalchemy as sa

from services.storage.models.base import StoredTable
from services.storage.models.messages import MessageRow
from services.storage.models.people import MemoryRow, OptOutRow, RetentionRow
from services.storage.models.records import CallRow, TurnRow
from services.storage.models.reminders import DeliveryRow, QuietRow, ReminderRow
from services.storage.models.states import MetaRow, ScopeRow, StateRow
from services.storage.models.tools import StoredToolRow, StoredToolVersionRow
from services.storage.models.workers import HandedOverRow, PlatformLeaseRow, SaidRow, TurnClaimRow, WorkerRow

METADATA = StoredTable.metadata


def _table(row: type[StoredTable]) -> sa.Table:
    return METADATA.tables[str(row.__tablename__)]


MESSAGE = _table(MessageRow)
MEMORY = _table(MemoryRow)
OPT_OUT = _table(OptOutRow)
RETENTION = _table(RetentionRow)
TURN = _table(TurnRow)
CALL = _table(CallRow)
REMINDER = _table(ReminderRow)
DELIVERY = _table(DeliveryRow)
QUIET = _table(QuietRow)
META = _table(MetaRow)
STATE = _table(StateRow)
SCOPE = _table(ScopeRow)
STORED_TOOL = _table(StoredToolRow)
STORED_TOOL_VERSION = _table(StoredToolVersionRow)
WORKER = _table(WorkerRow)
PLATFORM_LEASE = _table(PlatformLeaseRow)
HANDED_OVER = _table(HandedOverRow)
TURN_CLAIM = _table(TurnClaimRow)
SAID = _table(SaidRow)
