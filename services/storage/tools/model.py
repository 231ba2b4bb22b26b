"""Declare stored tools and the interface of their store."""

from datetime import datetime
from typing import Protocol

from msgspec import Struct

from services.kernel.state import Json


class StoredTool(Struct, frozen=True, kw_only=True):
    """The source of a tool and its declaration, permissions and settings.

    `owner` is the person who wrote it, as `platform:id`. `specs` and `meta` were read from `content` when it was saved.
    `access` is null for everybody, `{}` for the owner alone, or names people and chats. `valves` are its settings.
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
        """The description in `meta`; empty where there is none."""
        description = self.meta.get("description") if isinstance(self.meta, dict) else None
        return description if isinstance(description, str) else ""


class ToolVersion(Struct, frozen=True, kw_only=True):
    """An earlier source of a tool. `author` saved it."""

    tool_id: str
    version: int
    content: str
    author: str
    saved_at: datetime


class StoredTools(Protocol):
    """The stored tools to offer."""

    async def all(self) -> tuple[StoredTool, ...]:
        """Return every tool, the oldest first."""
        ...


class StoredToolStore(StoredTools, Protocol):
    """Stores tools and all versions of their source."""

    async def get(self, tool_id: str) -> StoredTool | None:
        """Return the tool of that id."""
        ...

    async def save(self, tool: StoredTool, author: str) -> None:
        """Keep it durably, in place of the one of that id; a new version of the source is kept beside the old ones."""
        ...

    async def remove(self, tool_id: str) -> bool:
        """Delete it with its versions; False when there is none."""
        ...

    async def versions(self, tool_id: str) -> tuple[ToolVersion, ...]:
        """Return the versions of its source, the latest first."""
        ...
