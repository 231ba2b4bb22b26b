"""Run hooks before and after a tool."""

import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import replace

from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import CallContext

BeforeTool = Callable[[ToolCall, CallContext], Awaitable[ToolCall | ToolResult | None] | ToolCall | ToolResult | None]
Value = TypeVar("Value")
AfterTool = Callable[[ToolCall, CallContext, ToolResult], Awaitable[ToolResult | None] | ToolResult | None]


async def maybe_await(value: Awaitable[Value] | Value) -> Value:
    """Await a value if it is awaitable."""
    if inspect.isawaitable(value):
        return cast("Value", await value)
    return value


class ToolHooks(Struct, kw_only=True):
    """Hooks around tools, in the order they were added.

    A `before` hook returns None to let the call pass, a changed `ToolCall`, or a `ToolResult`, which is then the
    outcome without the tool having run. An `after` hook returns None or the result to use instead. Arguments that a
    hook changes are checked like any others.
    """

    before: list[BeforeTool] = field(default_factory=list)
    after: list[AfterTool] = field(default_factory=list)

    async def enter(self, call: ToolCall, context: CallContext) -> ToolCall | ToolResult:
        """Ask the `before` hooks; the first `ToolResult` ends the matter."""
        for hook in self.before:
            answer = await maybe_await(hook(call, context))
            if isinstance(answer, ToolResult):
                return answer
            if answer is not None:
                call = replace(answer, id=call.id)
        return call

    async def leave(self, call: ToolCall, context: CallContext, result: ToolResult) -> ToolResult:
        """Let the `after` hooks look at `result` and change it."""
        for hook in self.after:
            changed = await maybe_await(hook(call, context, result))
            result = result if changed is None else changed
        return result
