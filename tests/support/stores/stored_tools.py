"""Store tools in memory."""

from services.storage.tools import StoredTool, ToolVersion


class MemoryStoredToolStore:
    """A `StoredToolStore` in memory."""

    def __init__(self) -> None:
        self._tools: dict[str, StoredTool] = {}
        self._versions: dict[str, dict[int, ToolVersion]] = {}

    async def all(self) -> tuple[StoredTool, ...]:
        """Return every tool, the oldest first."""
        return tuple(sorted(self._tools.values(), key=lambda tool: (tool.created_at, tool.id)))

    async def get(self, tool_id: str) -> StoredTool | None:
        """Return the tool of that id."""
        return self._tools.get(tool_id)

    async def save(self, tool: StoredTool, author: str) -> None:
        """Keep it, and a new version of its source."""
        self._tools[tool.id] = tool
        made = ToolVersion(
            tool_id=tool.id, version=tool.version, content=tool.content, author=author, saved_at=tool.updated_at
        )
        self._versions.setdefault(tool.id, {}).setdefault(tool.version, made)

    async def remove(self, tool_id: str) -> bool:
        """Delete it with its versions."""
        self._versions.pop(tool_id, None)
        return self._tools.pop(tool_id, None) is not None

    async def versions(self, tool_id: str) -> tuple[ToolVersion, ...]:
        """Return the versions of its source, the latest first."""
        return tuple(reversed(self._versions.get(tool_id, {}).values()))
