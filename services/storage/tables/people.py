"""Declare the tables of memories, choices, state and tools of people."""

import sqlalchemy as sa
from sqlmodel import Field

from services.storage.tables.base import BIG, StoredTable, Whole


class MemoryRow(StoredTable, table=True):
    """A text that a person asked the bot to remember, for themselves or for their chat."""

    __tablename__ = "memory"
    __table_args__ = (
        sa.Index("ix_memory_chat", "chat_key"),
        sa.Index("ix_memory_person", "person_id"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)
    chat_key: str
    person_id: str
    person_name: str
    is_shared: bool
    text: str
    created_at: int = Field(sa_type=BIG)


class OptOutRow(StoredTable, table=True):
    """A person whose messages are not stored. `place` is a chat key, or the name of a platform for all of its chats."""

    __tablename__ = "opt_out"

    place: str = Field(primary_key=True)
    person_id: str = Field(primary_key=True)
    since: int = Field(sa_type=BIG)


class RetentionRow(StoredTable, table=True):
    """The retention of a chat in days, if it is not the default; 0 means for ever."""

    __tablename__ = "retention"

    chat_key: str = Field(primary_key=True)
    keep_days: Whole


class MetaRow(StoredTable, table=True):
    """Metadata of the database: its schema version."""

    __tablename__ = "meta"

    key: str = Field(primary_key=True)
    value: str


class StateRow(StoredTable, table=True):
    """Short-lived state: JSON by key, with an expiry time."""

    __tablename__ = "session_state"

    key: str = Field(primary_key=True)
    value: str
    expires_at: int | None = Field(default=None, sa_type=BIG, index=True)


class ScopeRow(StoredTable, table=True):
    """A permanent value of tools in a scope (a session, a person, the bot): JSON."""

    __tablename__ = "scoped_state"

    scope: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    value: str


class StoredToolRow(StoredTable, table=True):
    """A stored tool: its source, parsed declaration, permissions and settings; the last four are JSON."""

    __tablename__ = "stored_tool"

    id: str = Field(primary_key=True)
    owner: str
    name: str
    content: str
    specs: str
    meta: str
    access: str
    valves: str
    is_enabled: bool
    version: int
    created_at: int = Field(sa_type=BIG)
    updated_at: int = Field(sa_type=BIG)


class StoredToolVersionRow(StoredTable, table=True):
    """An earlier source of a tool."""

    __tablename__ = "stored_tool_version"

    tool_id: str = Field(primary_key=True)
    version: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    content: str
    author: str
    saved_at: int = Field(sa_type=BIG)
