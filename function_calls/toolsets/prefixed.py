"""Prefix the names of a toolset's tools."""

from collections.abc import Mapping

from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Toolset, Viewer, unknown_tool
from function_calls.toolsets.names import RenamedSpecs, joined_name


class PrefixedToolset:
    """Offers the tools of another set as `prefix_name`."""

    def __init__(self, inner: Toolset, prefix: str) -> None:
        self._inner = inner
        self._prefix = prefix
        self._renamed = RenamedSpecs()

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the other set's tools, renamed."""
        specs = await self._inner.list_specs(viewer)
        return tuple(self._renamed.get(spec, joined_name(self._prefix, spec.name)) for spec in specs)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Run a tool by its prefixed name."""
        specs = await self._inner.list_specs(context.viewer)
        originals = {joined_name(self._prefix, spec.name): spec.name for spec in specs}
        if name not in originals:
            return unknown_tool(name, originals, context.language)
        return await self._inner.call(originals[name], arguments, context)
