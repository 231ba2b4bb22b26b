"""The tables of the SQLModel classes as SQLAlchemy objects.

Instants are UTC microseconds; those of a reminder are computed from its wall clock, zone and rule.
"""

import sqlalchemy as sa

from services.storage.tables.base import StoredTable
from services.storage.tables.messages import CallRow, MessageRow, TurnRow
from services.storage.tables.people import (
    MemoryRow,
    MetaRow,
    OptOutRow,
    RetentionRow,
    ScopeRow,
    StateRow,
    StoredToolRow,
    StoredToolVersionRow,
)
from services.storage.tables.reminders import DeliveryRow, QuietRow, ReminderRow
from services.storage.tables.workers import PlatformLeaseRow, RemoteMessageRow, TurnClaimRow, UnsettledRow, WorkerRow

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
REMOTE_MESSAGE = _table(RemoteMessageRow)
TURN_CLAIM = _table(TurnClaimRow)
UNSETTLED = _table(UnsettledRow)
