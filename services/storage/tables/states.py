"""Declare the tables of state and scopes."""

from sqlmodel import Field

from services.storage.tables.base import StoredTable
from services.storage.tables.ddl import BIG


class MetaRow(StoredTable, table=True):
    """Facts about the database itself: its schema version."""

    __tablename__ = "meta"

    key: str = Field(primary_key=True)
    value: str


class StateRow(StoredTable, table=True):
    """Short-lived state: JSON by key, with an end."""

    __tablename__ = "session_state"

    key: str = Field(primary_key=True)
    value: str
    expires_at: int | None = Field(default=None, sa_type=BIG, index=True)


class ScopeRow(StoredTable, table=True):
    """A value that tools keep in a scope (a session, a person, the bot): JSON, until it is removed."""

    __tablename__ = "scoped_state"

    scope: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    value: str
