"""A tool as it is kept: its source, and what was read of it."""

from datetime import datetime

from msgspec import Struct

from services.session import Json


class StoredTool(Struct, frozen=True, kw_only=True):
    """A tool's source and what belongs to it.

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
    """The source of a tool as it once was. `author` saved it."""

    tool_id: str
    version: int
    content: str
    author: str
    saved_at: datetime
