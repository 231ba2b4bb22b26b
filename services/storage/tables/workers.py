"""Declare the tables for processes that share platforms, messages and leases on one PostgreSQL."""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field

from services.storage.tables.base import BIG, StoredTable


class WorkerRow(StoredTable, table=True):
    """A process that shares this PostgreSQL, by the owner of its leases; times are those of the server."""

    __tablename__ = "worker"

    owner: str = Field(primary_key=True)
    seen_at: datetime = Field(sa_type=sa.DateTime(timezone=True))


class PlatformLeaseRow(StoredTable, table=True):
    """The process connected to a platform, and the end of its lease; times are those of the server."""

    __tablename__ = "platform_lease"

    platform: str = Field(primary_key=True)
    owner: str
    until: datetime = Field(sa_type=sa.DateTime(timezone=True))


class RemoteMessageRow(StoredTable, table=True):
    """A message that one process queues and the connected one sends. `content` and `outcome` are JSON."""

    __tablename__ = "handed_over"

    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    platform: str
    taken_by: str = ""
    made_at: datetime = Field(sa_type=sa.DateTime(timezone=True))
    content: str
    outcome: str | None = None


class TurnClaimRow(StoredTable, table=True):
    """The process that is answering a message."""

    __tablename__ = "turn_claim"

    chat_key: str = Field(primary_key=True)
    message_id: str = Field(primary_key=True)
    owner: str


class UnsettledRow(StoredTable, table=True):
    """Sent occurrences that are not settled in the ledger yet; `said` is JSON.

    `delivery_id` is that of the first one.
    """

    __tablename__ = "said"

    delivery_id: int = Field(primary_key=True, sa_type=BIG, sa_column_kwargs={"autoincrement": False})
    said: str
