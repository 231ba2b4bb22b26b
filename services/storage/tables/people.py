"""The tables of what people asked to have remembered, and of what they asked not to have kept."""

import sqlalchemy as sa
from sqlmodel import Field

from services.storage.tables.base import StoredTable, Whole
from services.storage.tables.ddl import BIG


class MemoryRow(StoredTable, table=True):
    """Something that a person asked to have remembered, for themselves or for their chat."""

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
    """A person whose messages are not kept. `place` is a chat's key, or a platform's name for all of its chats."""

    __tablename__ = "opt_out"

    place: str = Field(primary_key=True)
    person_id: str = Field(primary_key=True)
    since: int = Field(sa_type=BIG)


class RetentionRow(StoredTable, table=True):
    """How many days the messages of a chat are kept, where that is not what the settings say; 0 means for ever."""

    __tablename__ = "retention"

    chat_key: str = Field(primary_key=True)
    keep_days: Whole
