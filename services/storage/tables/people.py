"""Declare the tables of memories, opt-outs and retention."""

import sqlalchemy as sa
from sqlmodel import Field

from services.storage.tables.base import StoredTable, Whole
from services.storage.tables.ddl import BIG


class MemoryRow(StoredTable, table=True):
    """Something that a person asked to have saved, for themselves or for their chat."""

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
    """A person whose messages are not stored. `place` is a chat's key, or a platform's name for all of its chats."""

    __tablename__ = "opt_out"

    place: str = Field(primary_key=True)
    person_id: str = Field(primary_key=True)
    since: int = Field(sa_type=BIG)


class RetentionRow(StoredTable, table=True):
    """The number of days that the messages of a chat are stored, where it is not the default; 0 means for ever."""

    __tablename__ = "retention"

    chat_key: str = Field(primary_key=True)
    keep_days: Whole
