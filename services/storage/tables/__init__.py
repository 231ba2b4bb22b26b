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


def table_of(row: type[StoredTable]) -> sa.Table:
    """Return the SQLAlchemy table of a class."""
    return METADATA.tables[str(row.__tablename__)]


MESSAGE = table_of(MessageRow)
MEMORY = table_of(MemoryRow)
OPT_OUT = table_of(OptOutRow)
RETENTION = table_of(RetentionRow)
TURN = table_of(TurnRow)
CALL = table_of(CallRow)
REMINDER = table_of(ReminderRow)
DELIVERY = table_of(DeliveryRow)
QUIET = table_of(QuietRow)
META = table_of(MetaRow)
STATE = table_of(StateRow)
SCOPE = table_of(ScopeRow)
STORED_TOOL = table_of(StoredToolRow)
STORED_TOOL_VERSION = table_of(StoredToolVersionRow)
WORKER = table_of(WorkerRow)
PLATFORM_LEASE = table_of(PlatformLeaseRow)
REMOTE_MESSAGE = table_of(RemoteMessageRow)
TURN_CLAIM = table_of(TurnClaimRow)
UNSETTLED = table_of(UnsettledRow)
