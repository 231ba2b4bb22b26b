"""Run hooks before and after a tool."""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, ParamSpec, TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import replace

from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import CallContext
from function_calls.tools.validation.json_values import to_json

P = ParamSpec("P")
Value = TypeVar("Value")
Replacement = ToolResult | Mapping[str, object] | None
BeforeTool = Callable[[ToolCall, CallContext], Awaitable[ToolCall | Replacement] | ToolCall | Replacement]
AfterTool = Callable[[ToolCall, CallContext, ToolResult], Awaitable[Replacement] | Replacement]

BEFORE_TOOL: Final = (ToolCall, ToolResult, Mapping)
AFTER_TOOL: Final = (ToolResult, Mapping)

PLUGIN_ERRORS: Final = (Exception, SystemExit, asyncio.CancelledError)
"""The errors of a tool, hook or listener that must not end the bot; see `raise_if_cancelled`."""


def raise_if_cancelled(error: BaseException) -> None:
    """Raise `error` again if it cancels this task, and not an awaitable inside of a tool, hook or listener."""
    task = asyncio.current_task()
    if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
        raise error


async def maybe_await(value: Awaitable[Value] | Value) -> Value:
    """Await a value if it is awaitable."""
    if inspect.isawaitable(value):
        return cast("Value", await value)
    return value


async def run_hook(
    hook: Callable[P, Awaitable[Value] | Value],
    place: str,
    kinds: Sequence[type[object]],
    *given: P.args,
    **named: P.kwargs,
) -> Value:
    """Run a hook with its arguments, and return its answer, which is None or of `kinds`.

    Raises:
        TypeError: it is something else; the text names the hook and what it may return.
    """
    answer = await maybe_await(hook(*given, **named))
    if answer is None or isinstance(answer, tuple(kinds)):
        return answer
    code = getattr(hook, "__code__", None)
    where = "" if code is None else f" ({code.co_filename}:{code.co_firstlineno})"
    name = getattr(hook, "__qualname__", type(hook).__name__)
    wanted = ", ".join(kind.__name__ for kind in kinds)
    raise TypeError(f"{place} {name}{where} returned {type(answer).__name__}; return {wanted} or None")


class ToolHooks(Struct, kw_only=True):
    """Hooks around tools, in the order they were added.

    A `before` hook returns None to let the call pass, a changed `ToolCall`, or a `ToolResult`, which replaces the call.
    An `after` hook returns None or the result to use instead. A dictionary stands for a successful result with that
    value, such as `{**result.response, "audited": True}`; with the `error` of a failed result it leaves the failure.
    Arguments that a hook changes are checked like any others.
    """

    before: list[BeforeTool] = field(default_factory=list)
    after: list[AfterTool] = field(default_factory=list)

    async def enter(self, call: ToolCall, context: CallContext) -> ToolCall | ToolResult:
        """Run the `before` hooks until one returns a result; return it, else the call."""
        for hook in self.before:
            answer = await run_hook(hook, "hook before a tool", BEFORE_TOOL, call, context)
            if isinstance(answer, ToolResult):
                return answer
            if isinstance(answer, Mapping):
                return _with_value(ToolResult(ok=True), answer)
            if answer is not None:
                call = replace(answer, id=call.id)
        return call

    async def leave(self, call: ToolCall, context: CallContext, result: ToolResult) -> ToolResult:
        """Run the `after` hooks; return the result as they changed it."""
        for hook in self.after:
            changed = await run_hook(hook, "hook after a tool", AFTER_TOOL, call, context, result)
            if isinstance(changed, Mapping):
                is_same_failure = not result.ok and changed.get("error") == result.error
                result = result if is_same_failure else _with_value(result, changed)
            elif changed is not None:
                result = changed
        return result


def _with_value(result: ToolResult, value: Mapping[str, object]) -> ToolResult:
    given = dict(value)
    text = json.dumps(given, ensure_ascii=False, default=to_json)
    return replace(result, ok=True, error=None, cause="", value=given, text=text)
