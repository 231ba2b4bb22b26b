"""Ask for approval before each call of a toolset."""

from collections.abc import Awaitable, Callable, Mapping

from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Toolset, Viewer

Approve = Callable[[str, Mapping[str, object], CallContext], Awaitable[ToolResult | None]]


class ApprovedToolset:
    """Lets `approve` decide about each call, by tool name and arguments.

    It returns None to let the call pass, or the result to return instead: a question to the person
    (`is_question=True`) or a refusal. A call whose approval cannot be obtained is not made.
    """

    def __init__(self, inner: Toolset, approve: Approve) -> None:
        self._inner = inner
        self._approve = approve

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the other set's tools, all of them."""
        return await self._inner.list_specs(viewer)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Ask, then run."""
        instead = await self._approve(name, arguments, context)
        return await self._inner.call(name, arguments, context) if instead is None else instead
