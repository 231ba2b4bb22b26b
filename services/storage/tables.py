"""The tables. Instants are UTC microseconds; wall clock, zone and rule of a reminder are the truth."""

from datetime import datetime
from typing import ClassVar

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

SCHEMA_VERSION = 10
# SQLModel's int is 32 bits on PostgreSQL, where microseconds overflow; SQLite's row id must be a plain INTEGER.
Big = sa.BigInteger().with_variant(sa.Integer, "sqlite")

# Written out as text, not as bound values, so that SQLite sees that a query matches a partial index.
IS_DUE = sa.text("next_fire_at IS NOT NULL")
IS_OPEN = sa.text("state IN ('active', 'paused')")
IS_FREED = sa.text("owner = '' AND state IN ('leased', 'unknown')")
IS_HELD = sa.text("owner <> ''")
IS_SAID = sa.text("platform_message_id IS NOT NULL")
IS_SENT = sa.text("sent_at IS NOT NULL")


class StoredTable(SQLModel):
    """Base of our tables, with metadata of our own so that a host's SQLModel classes stay out of it."""

    # What Pydantic checks rows with is made where somebody does so; each start of the bot would pay for it.
    model_config = {"defer_build": True}
    metadata: ClassVar[sa.MetaData] = sa.MetaData()


def _partial(name: str, *columns: str, where: sa.TextClause) -> sa.Index:
    return sa.Index(name, *columns, sqlite_where=where)


def mark_partial(dialect: str) -> None:
    """Make the partial indexes partial on `dialect` too.

    To name it where they are defined would import it, which takes as long as all our tables; most have SQLite.
    """
    for table in StoredTable.metadata.tables.values():
        for index in table.indexes:
            where = index.dialect_options["sqlite"]["where"]
            if where is not None:
                index.dialect_options[dialect]["where"] = where


class ReminderRow(StoredTable, table=True):
    """One reminder. `next_fire_at` is a cache of the schedule; NULL means done, paused or being delivered."""

    __tablename__ = "reminder"
    __table_args__ = (
        _partial("ix_reminder_due", "next_fire_at", where=IS_DUE),
        _partial("ix_reminder_open", "chat_key", "creator_id", where=IS_OPEN),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Big)
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
    next_fire_at: int | None = Field(default=None, sa_type=Big)
    last_due_at: int | None = Field(default=None, sa_type=Big)
    version: int = 1
    state: str = "active"
    created_at: int = Field(sa_type=Big)
    updated_at: int = Field(sa_type=Big)


class DeliveryRow(StoredTable, table=True):
    """One occurrence of a reminder: the ledger. (reminder, due) is unique, so an occurrence exists once."""

    __tablename__ = "delivery"
    __table_args__ = (
        sa.UniqueConstraint("reminder_id", "due_at", name="ux_delivery_occurrence"),
        _partial("ix_delivery_freed", "try_at", where=IS_FREED),
        _partial("ix_delivery_held", "owner", where=IS_HELD),
        _partial("ix_delivery_said", "chat_key", "platform_message_id", where=IS_SAID),
        _partial("ix_delivery_sent", "chat_key", "sent_at", where=IS_SENT),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Big)
    reminder_id: int = Field(sa_type=Big)
    due_at: int = Field(sa_type=Big)
    version: int
    content: str
    chat_key: str
    missed: int = 0
    state: str = "leased"
    try_at: int = Field(sa_type=Big)
    attempt: int = 0
    owner: str = ""
    was_held: bool = Field(default=False, sa_column_kwargs={"server_default": sa.false()})
    message_key: str = Field(default="", sa_column_kwargs={"server_default": ""})
    platform_message_id: str | None = None
    error: str = ""
    sent_at: int | None = Field(default=None, sa_type=Big)


class QuietRow(StoredTable, table=True):
    """Quiet hours of a chat or of a person, as minutes of the day in a zone; the end may lie on the next day."""

    __tablename__ = "quiet_hours"

    key: str = Field(primary_key=True)
    starts: int
    ends: int
    zone: str


class MessageRow(StoredTable, table=True):
    """One message of a chat. (chat, message id) is unique: what a platform delivers twice is kept once."""

    __tablename__ = "message"
    __table_args__ = (
        sa.UniqueConstraint("chat_key", "message_id", name="ux_message_id"),
        sa.Index("ix_message_time", "chat_key", "sent_at"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Big)
    chat_key: str
    thread_id: str | None = None
    message_id: str
    sender_id: str
    sender_name: str
    sender_is_bot: bool = False
    text: str
    sent_at: int = Field(sa_type=Big)
    reply_to: str | None = None
    is_addressed: bool = False
    is_private: bool = False
    mentions: str = Field(default="", sa_column_kwargs={"server_default": ""})
    attachments: str = Field(default="", sa_column_kwargs={"server_default": ""})
    edited_at: int | None = Field(default=None, sa_type=Big)
    deleted_at: int | None = Field(default=None, sa_type=Big)


class MetaRow(StoredTable, table=True):
    """Facts about the database itself: its schema version."""

    __tablename__ = "meta"

    key: str = Field(primary_key=True)
    value: str


class StateRow(StoredTable, table=True):
    """Small remembered things: JSON by key, with an end."""

    __tablename__ = "session_state"

    key: str = Field(primary_key=True)
    value: str
    expires_at: int | None = Field(default=None, sa_type=Big, index=True)


class ScopeRow(StoredTable, table=True):
    """A value that tools keep in a scope (a session, a person, the bot): JSON, for as long as nobody removes it."""

    __tablename__ = "scoped_state"

    scope: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    value: str


class TurnRow(StoredTable, table=True):
    """One message that was interpreted: by whom, at what cost, with which outcome. `completions` is JSON."""

    __tablename__ = "turn"
    __table_args__ = (
        sa.Index("ix_turn_message", "message_id"),
        sa.Index("ix_turn_person", "chat_key", "person_id"),
        sa.Index("ix_turn_time", "at"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Big)
    chat_key: str
    thread_id: str | None = None
    message_id: str
    person_id: str
    person_name: str
    person_is_admin: bool = False
    text: str
    at: int = Field(sa_type=Big)
    zone: str
    language: str
    route: str
    rounds: int
    outcome: str
    is_addressed: bool = False
    is_private: bool = False
    completions: str
    tokens: int = Field(sa_type=Big)
    cost: float
    reply: str
    fallback: str
    error: str
    duration_ms: float


class CallRow(StoredTable, table=True):
    """One call of a tool; `session_id` is the chat. Arguments, repairs, receipts and the spawned task are JSON."""

    __tablename__ = "tool_conversations"
    __table_args__ = (sa.Index("ix_call_message", "session_id", "message_id"), sa.Index("ix_call_time", "timestamp"))

    number: int | None = Field(default=None, primary_key=True, sa_type=Big)
    id: str = Field(unique=True)
    session_id: str
    thread_id: str | None = None
    message_id: str
    person_id: str
    user_message: str
    tool_name: str
    arguments: str
    result: str | None = None
    error: str | None = None
    status: str
    duration_ms: float
    timestamp: int = Field(sa_type=Big)
    route: str
    round: int
    repairs: str
    said: str
    ending: str
    receipts: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost: float
    spawn_task: str | None = None


class WorkerRow(StoredTable, table=True):
    """A process that shares this PostgreSQL with others, under the name that it leases by; the server's time."""

    __tablename__ = "worker"

    owner: str = Field(primary_key=True)
    seen_at: datetime = Field(sa_type=sa.DateTime(timezone=True))


REMINDER = StoredTable.metadata.tables["reminder"]
DELIVERY = StoredTable.metadata.tables["delivery"]
QUIET = StoredTable.metadata.tables["quiet_hours"]
MESSAGE = StoredTable.metadata.tables["message"]
META = StoredTable.metadata.tables["meta"]
STATE = StoredTable.metadata.tables["session_state"]
SCOPE = StoredTable.metadata.tables["scoped_state"]
TURN = StoredTable.metadata.tables["turn"]
CALL = StoredTable.metadata.tables["tool_conversations"]
WORKER = StoredTable.metadata.tables["worker"]
