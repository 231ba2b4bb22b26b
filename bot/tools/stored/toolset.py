"""Offer the enabled stored tools to the people who may use them."""

import time
from collections.abc import Collection, Mapping
from typing import Final

from loguru import logger

from bot.config.settings import ToolServerSettings
from bot.tools.stored.runner import RunLimits, StoredCall, ToolRunner
from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Viewer, short_name, unknown_tool
from function_calls.toolsets.source import Access
from function_calls.toolsets.stored.source import SourceInvalid, StoredFunction, read_source
from services.kernel.bounded import BoundedDict
from services.storage.tools import SqlStoredToolReader, StoredTool

_CACHE_SECONDS: Final = 5.0  # another process may save tools too
_MAX_CACHED: Final = 1000  # sources
_Functions = tuple[tuple[str, StoredFunction, ToolSpec], ...]


class StoredToolset:
    """Offers the functions of stored tools.

    If several functions have one name, that of the oldest tool keeps it and the others are called `tool_name`. `owners`
    of the bot, as `platform:id`, see all tools.
    """

    def __init__(self, store: SqlStoredToolReader, runner: ToolRunner, *, owners: Collection[str] = ()) -> None:
        self._store = store
        self._runner = runner
        self._owners = owners
        self._loaded_at = float("-inf")
        self._tools: tuple[StoredTool, ...] = ()
        self._functions_by_source: BoundedDict[tuple[str, str, frozenset[str]], _Functions] = BoundedDict(_MAX_CACHED)

    def clear_cache(self) -> None:
        """Read the tools again at the next use, after a change."""
        self._loaded_at = float("-inf")

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the specs of the functions that `viewer` may use."""
        return tuple(spec for _, _, spec in (await self._offered_functions(viewer)).values())

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Run a function in a worker."""
        offered = await self._offered_functions(context.viewer)
        found = offered.get(name)
        if found is None:
            return unknown_tool(name, offered, context.language)
        tool, function, _ = found
        call = StoredCall(
            source=tool.content,
            function=function,
            arguments=arguments,
            valves=tool.valves if isinstance(tool.valves, dict) else {},
            person=context.sender,
            language=context.language,
        )
        return await self._runner.run(call)

    async def _offered_functions(self, viewer: Viewer) -> dict[str, tuple[StoredTool, StoredFunction, ToolSpec]]:
        """Map names to the functions that `viewer` may use; a name does not depend on the viewer."""
        named: dict[str, tuple[StoredTool, StoredFunction, ToolSpec]] = {}
        taken: set[str] = set()
        for tool in await self._enabled_tools():
            may_see = Access.of(tool.access, tool.owner).admits(viewer, self._owners)
            for name, function, spec in self._functions(tool, taken):
                taken.add(name)
                if may_see:
                    named[name] = (tool, function, spec)
        return named

    def _functions(self, tool: StoredTool, taken: Collection[str]) -> _Functions:
        key = (tool.id, tool.content, frozenset(taken))
        if key not in self._functions_by_source:
            self._functions_by_source[key] = _read_functions(tool, key[2])
        return self._functions_by_source[key]

    async def _enabled_tools(self) -> tuple[StoredTool, ...]:
        now = time.monotonic()
        if now - self._loaded_at > _CACHE_SECONDS:
            self._tools = tuple(tool for tool in await self._store.all() if tool.is_enabled)
            self._loaded_at = now
        return self._tools


def open_stored_tools(
    store: SqlStoredToolReader, settings: ToolServerSettings, owners: Collection[str]
) -> StoredToolset:
    """Return the toolset of stored tools, with the limits of the settings."""
    limits = RunLimits(seconds=settings.python_seconds, megabytes=settings.python_megabytes)
    return StoredToolset(store, ToolRunner(limits), owners=owners)


def _read_functions(tool: StoredTool, taken: Collection[str]) -> _Functions:
    try:
        source = read_source(tool.content)
    except SourceInvalid as error:
        logger.error("could not load stored tool {}: {}", tool.id, error)
        return ()
    read = []
    for each in source.functions:
        name = each.name
        while name in taken:
            name = short_name(f"{tool.id}_{name}")
        spec = ToolSpec(
            name=name,
            description=each.description,
            parameters=each.parameters,
            changes_state=each.changes_state,
            confirm=each.confirm,
        )
        read.append((name, each, spec))
    return tuple(read)
