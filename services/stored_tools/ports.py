"""What keeping tools needs from outside."""

from typing import Protocol

from services.stored_tools.model import StoredTool, ToolVersion


class StoredTools(Protocol):
    """The tools that are kept, to be offered."""

    async def all(self) -> tuple[StoredTool, ...]:
        """Every tool, the oldest first."""
        ...


class StoredToolStore(StoredTools, Protocol):
    """Keeps tools and all versions of their source."""

    async def get(self, tool_id: str) -> StoredTool | None:
        """The tool of that id."""
        ...

    async def save(self, tool: StoredTool, author: str) -> None:
        """Keep it durably, in place of the one of that id; a new version of the source is kept beside the old ones."""
        ...

    async def remove(self, tool_id: str) -> bool:
        """Delete it with its versions; False when there is none."""
        ...

    async def versions(self, tool_id: str) -> tuple[ToolVersion, ...]:
        """The versions of its source, the latest first."""
        ...
