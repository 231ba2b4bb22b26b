"""Store Python tools, with all versions of their source."""

import json
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict

from services.kernel.state import Json
from services.storage.database import Database
from services.storage.engine.readonly import Readable
from services.storage.engine.rows import from_micros, insert_new, to_micros, upsert
from services.storage.tables import STORED_TOOL, STORED_TOOL_VERSION


class StoredTool(Struct, frozen=True, kw_only=True):
    """The source of a tool and its declaration, permissions and settings.

    `owner` is the person who wrote it, as `platform:id`. `specs` and `meta` were read from `content` when it was saved.
    `access` is null for everybody, `{}` for the owner only, or has ids of people and chats. `valves` are its settings.
    """

    id: str
    owner: str
    name: str
    content: str
    specs: Json
    meta: Json
    access: Json
    valves: Json
    is_enabled: bool
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def description(self) -> str:
        """The description in `meta`, empty by default."""
        description = self.meta.get("description") if isinstance(self.meta, dict) else None
        return description if isinstance(description, str) else ""


class ToolVersion(Struct, frozen=True, kw_only=True):
    """An earlier source of a tool. `author` saved it."""

    tool_id: str
    version: int
    content: str
    author: str
    saved_at: datetime


class SqlStoredToolReader:
    """Reads stored tools, also while the bot writes them."""

    def __init__(self, database: Readable) -> None:
        self._readable = database

    async def all(self) -> tuple[StoredTool, ...]:
        """Return every tool, the oldest first."""
        query = sa.select(STORED_TOOL).order_by(STORED_TOOL.c.created_at, STORED_TOOL.c.id)
        rows = await self._readable.read(lambda connection: connection.execute(query).mappings().all())
        return tuple(_tool(row) for row in rows)


class SqlStoredToolStore(SqlStoredToolReader):
    """Stores tools and all versions of their source."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    async def get(self, tool_id: str) -> StoredTool | None:
        """Return the tool with that id; None if it is unknown."""
        query = sa.select(STORED_TOOL).where(STORED_TOOL.c.id == tool_id)
        row = await self._database.read(lambda connection: connection.execute(query).mappings().one_or_none())
        return None if row is None else _tool(row)

    async def save(self, tool: StoredTool, author: str) -> None:
        """Store a tool durably, replacing the one with its id; keep earlier versions of the source."""
        version = {
            "tool_id": tool.id,
            "version": tool.version,
            "content": tool.content,
            "author": author,
            "saved_at": to_micros(tool.updated_at),
        }

        def work(connection: sa.Connection) -> None:
            connection.execute(upsert(connection, STORED_TOOL, key=["id"]), _row(tool))
            connection.execute(insert_new(connection.dialect.name, STORED_TOOL_VERSION), version)

        await self._database.run(work)

    async def remove(self, tool_id: str) -> bool:
        """Delete a tool with its versions; return False if it is unknown."""

        def work(connection: sa.Connection) -> bool:
            connection.execute(STORED_TOOL_VERSION.delete().where(STORED_TOOL_VERSION.c.tool_id == tool_id))
            return bool(connection.execute(STORED_TOOL.delete().where(STORED_TOOL.c.id == tool_id)).rowcount)

        return await self._database.run(work)

    async def versions(self, tool_id: str) -> tuple[ToolVersion, ...]:
        """Return the versions of a tool's source, latest first."""
        table = STORED_TOOL_VERSION
        query = sa.select(table).where(table.c.tool_id == tool_id).order_by(table.c.version.desc())
        rows = await self._database.read(lambda connection: connection.execute(query).mappings().all())
        return tuple(ToolVersion(**{**row, "saved_at": from_micros(row["saved_at"])}) for row in rows)


_JSON_COLUMNS = ("specs", "meta", "access", "valves")
_INSTANTS = ("created_at", "updated_at")


def _row(tool: StoredTool) -> dict[str, object]:
    fields = asdict(tool)
    fields |= {name: json.dumps(fields[name], ensure_ascii=False) for name in _JSON_COLUMNS}
    return fields | {name: to_micros(fields[name]) for name in _INSTANTS}


def _tool(row: sa.RowMapping) -> StoredTool:
    fields = dict(row)
    fields |= {name: json.loads(fields[name]) for name in _JSON_COLUMNS}
    return StoredTool(**fields | {name: from_micros(fields[name]) for name in _INSTANTS})
