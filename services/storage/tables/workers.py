"""The tables by which the processes that share a PostgreSQL divide platforms, messages and the work of the dead."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from services.storage.tables.base import StoredTable
from services.storage.tables.ddl import BIG


class WorkerRow(StoredTable, table=True):
    """A process that shares this PostgreSQL with others, under the name that it leases by; the server's time."""

    __tablename__ = "worker"

    owner: str = Field(primary_key=True)
    seen_at: datetime = Field(sa_type=sa.DateTime(timezone=True))


class PlatformLeaseRow(StoredTable, table=True):
    """The process that is connected to a platform, until when it must have said so again; the server's time."""

    __tablename__ = "platform_lease"

    platform: str = Field(primary_key=True)
    owner: str
    until: datetime = Field(sa_type=sa.DateTime(timezone=True))


class RemoteMessageRow(StoredTable, table=True):
    """A message that one process wants said and another one, which is connected, says. The last two are JSON."""

    __tablename__ = "handed_over"

    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    platform: str
    taken_by: str = ""
    made_at: datetime = Field(sa_type=sa.DateTime(timezone=True))
    content: str
    outcome: str | None = None


class TurnClaimRow(StoredTable, table=True):
    """The process that deals with a message, for as long as it does."""

    __tablename__ = "turn_claim"

    chat_key: str = Field(primary_key=True)
    message_id: str = Field(primary_key=True)
    owner: str


class SaidRow(StoredTable, table=True):
    """Occurrences that were said while their rows in the ledger still say that they are being sent; `said` is JSON.

    `delivery_id` is the first of them.
    """

    __tablename__ = "said"

    delivery_id: int = Field(primary_key=True, sa_type=BIG, sa_column_kwargs={"autoincrement": False})
    said: str
