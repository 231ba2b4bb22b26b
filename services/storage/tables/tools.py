"""Declare the tables of stored tools."""

from sqlmodel import Field

from services.storage.tables.base import StoredTable
from services.storage.tables.ddl import BIG


class StoredToolRow(StoredTable, table=True):
    """A tool: its source, its parsed declaration, its permissions and its settings; the last four as JSON."""

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
