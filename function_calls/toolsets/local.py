"""Offer the registered functions as a toolset, for servers that publish them."""

from collections.abc import Mapping

from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Viewer, unknown_tool


class LocalToolset:
    """The tools of a router's registry; calls pass the router's checks, hooks and events."""

    def __init__(self, router: FunctionCallRouter) -> None:
        self._router = router

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the functions that `viewer` may call in that chat."""
        return await self._router.own_specs(viewer)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Dispatch a call under the id of `context`."""
        if self._router.registry.get(name) is None:
            offered = await self.list_specs(context.viewer)
            return unknown_tool(name, (spec.name for spec in offered), context.language)
        return await self._router.dispatch(ToolCall(id=context.call_id, name=name, arguments=arguments), context)
