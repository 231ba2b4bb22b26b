"""Hide some tools of a toolset."""

from collections.abc import Callable, Mapping

from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Toolset, Viewer, unknown_tool

Keep = Callable[[ToolSpec, Viewer], bool]


class FilteredToolset:
    """Offers the tools of another set that `keep` wants for a viewer; the others can be neither seen nor called."""

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
