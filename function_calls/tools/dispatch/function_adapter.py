"""Adapt functions and class tools to one call signature, with injected values and threads for sync code."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import partial

from function_calls.tools.context import CallContext, Services
from function_calls.tools.declaration.class_tools import Tool
from function_calls.tools.declaration.signature import FunctionSignature
from function_calls.tools.dispatch.hooks import maybe_await

Invoke = Callable[[object, CallContext], Awaitable[object]]
Source = Callable[[CallContext], object]


def function_invoker(function: Callable[..., object], signature: FunctionSignature) -> Invoke:
    """Return an invoker that takes an instance of the argument class; a sync function runs in a thread."""
    sources = tuple((name, _source(wanted)) for name, wanted in signature.injected.items())

    def bound(arguments: object, context: CallContext) -> Callable[[], object]:
        positional, named = signature.bind(arguments, {name: source(context) for name, source in sources})
        return partial(function, *positional, **named)

    return _invoker(bound, is_async=signature.is_async)


def class_invoker(tool: Tool) -> Invoke:
    """Return an invoker of `tool.run` that takes the checked arguments; a sync one runs in a thread."""

    def bound(arguments: object, context: CallContext) -> Callable[[], object]:
        return partial(tool.run, arguments if isinstance(arguments, dict) else {}, context)

    return _invoker(bound, is_async=inspect.iscoroutinefunction(tool.run))


def _invoker(bound: Callable[[object, CallContext], Callable[[], object]], *, is_async: bool) -> Invoke:
    """Return an invoker that calls what `bound` returns for the arguments, in a thread unless `is_async`."""

    async def call(arguments: object, context: CallContext) -> object:
        work = bound(arguments, context)
        return await maybe_await(work() if is_async else await asyncio.to_thread(_run_in_thread, work))

    return call


def _run_in_thread(work: Callable[[], object]) -> object:
    """Run `work` in a thread; `StopIteration` is replaced, because an awaiting task would never resume."""
    try:
        return work()
    except StopIteration as error:
        raise RuntimeError("the tool raised StopIteration") from error


def _source(wanted: type[object]) -> Source:
    if wanted is CallContext:
        return lambda context: context
    if wanted is Services:
        return lambda context: context.services
    return lambda context: context.services.get(wanted)
