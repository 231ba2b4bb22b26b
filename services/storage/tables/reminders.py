"""Declare the tables of reminders, deliveries and quiet hours."""

import sqlalchemy as sa
from sqlmodel import Field

from services.storage.tables.base import BIG, HAS_MESSAGE_ID, IS_DUE, IS_HELD, IS_OPEN, IS_SENT, IS_TO_TRY, StoredTable


class ReminderRow(StoredTable, table=True):
    """A reminder. `next_fire_at` is a cache of the schedule; NULL means done, paused or being delivered."""

    __tablename__ = "reminder"
    __table_args__ = (
        sa.Index("ix_reminder_due", "next_fire_at", sqlite_where=IS_DUE),
        sa.Index("ix_reminder_open", "chat_key", "creator_id", sqlite_where=IS_OPEN),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    request_key: str = Field(unique=True)
    chat_key: str
    thread_id: str | None = None
    creator_id: str
    creator_name: str
    targets: str = ""
    content: str
    language: str
    is_private: bool = False
    is_urgent: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    catch_up: str = Field(default="latest", sa_column_kwargs={"server_default": "latest"})
    action: str = Field(default="say", sa_column_kwargs={"server_default": "say"})
    rule: str = ""
    start_local: str
    start_fold: int = 0
    zone: str
    follow_up_minutes: int | None = None
    follow_up_times: int | None = None
    done_until: int | None = Field(default=None, sa_type=BIG)
    next_fire_at: int | None = Field(default=None, sa_type=BIG)
    last_due_at: int | None = Field(default=None, sa_type=BIG)
    version: int = 1
    state: str = "active"
    created_at: int = Field(sa_type=BIG)
    updated_at: int = Field(sa_type=BIG)


class DeliveryRow(StoredTable, table=True):
    """An occurrence of a reminder, in the ledger. (reminder, due) is unique.

    `is_withdrawn`: its reminder was deleted or moved while it was being sent, so there is no next attempt. `try_at` is
    0 for an occurrence that ended without being sent. On PostgreSQL half of each page is free, so that beginning an
    occurrence stays on its page and updates no index.
    """

    __tablename__ = "delivery"
    __table_args__ = (
        sa.UniqueConstraint("reminder_id", "due_at", name="ux_delivery_occurrence"),
        sa.Index("ix_delivery_freed", "try_at", sqlite_where=IS_TO_TRY),
        sa.Index("ix_delivery_held", "owner", sqlite_where=IS_HELD),
        sa.Index("ix_delivery_said", "chat_key", "platform_message_id", sqlite_where=HAS_MESSAGE_ID),
        sa.Index("ix_delivery_sent", "chat_key", "sent_at", sqlite_where=IS_SENT),
        {"sqlite_autoincrement": True, "info": {"fillfactor": 50}},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    reminder_id: int = Field(sa_type=BIG)
    due_at: int = Field(sa_type=BIG)
    version: int
    content: str
    chat_key: str
    missed: int = 0
    state: str = "leased"
    try_at: int = Field(sa_type=BIG)
    attempt: int = 0
    owner: str = ""
    was_held: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    is_withdrawn: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    message_key: str = Field(default="", sa_column_kwargs={"server_default": ""})
    platform_message_id: str | None = None
    error: str = ""
    sent_at: int | None = Field(default=None, sa_type=BIG)


class QuietRow(StoredTable, table=True):
    """Quiet hours of a chat or of a person, in minutes of the day in a zone; the end may be on the next day."""

    __tablename__ = "quiet_hours"

    key: str = Field(primary_key=True)
    starts: int
    ends: int
    zone: str
