"""Wrap a toolset: hide or rename its tools, or ask before each call."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from msgspec.structs import replace

from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Toolset, Viewer, short_name, unknown_tool
from services.kernel.bounded import IdentityCache

_MAX_ENTRIES: Final = 4096

Keep = Callable[[ToolSpec, Viewer], bool]
Approve = Callable[[str, Mapping[str, object], CallContext], Awaitable[ToolResult | None]]


class RenamedSpecs:
    """Caches renamed specs. Other caches use the identity of specs, so an equal spec and name give the same object."""

    def __init__(self) -> None:
        self._cached: IdentityCache[dict[str, ToolSpec]] = IdentityCache(_MAX_ENTRIES)

    def get(self, spec: ToolSpec, name: str) -> ToolSpec:
        """Return `spec` under the name `name`."""
        by_name = self._cached.get((spec,), lambda: {spec.name: spec})
        if name not in by_name:
            by_name[name] = replace(spec, name=name)
        return by_name[name]


class FilteredToolset:
    """Offers the tools of another set for which `keep` returns True; other tools are neither listed nor callable."""

    def __init__(self, inner: Toolset, keep: Keep) -> None:
        self._inner = inner
        self._keep = keep

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """List the remaining tools for `viewer`."""
        return tuple(spec for spec in await self._inner.list_specs(viewer) if self._keep(spec, viewer))

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Run a remaining tool."""
        offered = [spec.name for spec in await self.list_specs(context.viewer)]
        if name not in offered:
            return unknown_tool(name, offered, context.language)
        return await self._inner.call(name, arguments, context)


class PrefixedToolset:
    """Offers the tools of another set as `prefix_name`."""

    def __init__(self, inner: Toolset, prefix: str) -> None:
        self._inner = inner
        self._prefix = prefix
        self._renamed = RenamedSpecs()

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the tools of the other set under their prefixed names."""
        specs = await self._inner.list_specs(viewer)
        return tuple(self._renamed.get(spec, short_name(f"{self._prefix}_{spec.name}")) for spec in specs)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Run a tool by its prefixed name."""
        specs = await self._inner.list_specs(context.viewer)
        originals = {short_name(f"{self._prefix}_{spec.name}"): spec.name for spec in specs}
        if name not in originals:
            return unknown_tool(name, originals, context.language)
        return await self._inner.call(originals[name], arguments, context)


class ApprovedToolset:
    """Calls `approve` with the tool name and arguments before each call.

    `approve` returns None to allow the call, or the result to return instead: a question to the person
    (`ending="question"`) or a refusal. If it raises, the call is not made.
    """

    def __init__(self, inner: Toolset, approve: Approve) -> None:
        self._inner = inner
        self._approve = approve

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return all tools of the other set."""
        return await self._inner.list_specs(viewer)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Call `approve`, then run the tool."""
        instead = await self._approve(name, arguments, context)
        return await self._inner.call(name, arguments, context) if instead is None else instead
