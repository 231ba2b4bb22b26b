"""Apply a change to several reminders, each with its receipt or refusal."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from function_calls.functions.reminders.answers import listed
from function_calls.functions.reminders.options import let_wait
from function_calls.language.messages import say
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import CallContext
from function_calls.tools.dispatch.execution import refusal_text
from services.kernel.errors import RequestRefused
from services.reminders.model import Reminder
from services.reminders.service import ReminderService

MOST_UNASKED: Final = 5
"""More than these are not changed together without a yes."""

Change = Callable[[Reminder, CallContext], Awaitable[ToolResult]]


async def own_reminders(ctx: CallContext, reminders: ReminderService) -> tuple[Reminder, ...]:
    """Return the open reminders set by the person of `ctx` in the chat, soonest first."""
    return tuple(each for each in await reminders.open_in(ctx.chat) if each.creator.id == ctx.sender.id)


async def to_each(chosen: Sequence[Reminder], change: Change, ctx: CallContext, *, none: str) -> ToolResult:
    """Apply `change` to each of `chosen`, one after the other; `none` is the answer when there are none."""
    if not chosen:
        return ToolResult.refused("no_reminders", say(ctx.language, none))
    results = [await _apply(each, change, replace(ctx, call_id=f"{ctx.call_id}/{each.id}")) for each in chosen]
    return joined(results)


async def asked_first(
    name: str, arguments: Mapping[str, object], chosen: Sequence[Reminder], ctx: CallContext, *, ask: str
) -> ToolResult:
    """Ask with `ask` whether all of `chosen` are meant; a yes calls `name` with `arguments`."""
    await let_wait(ToolCall(id=ctx.call_id, name=name, arguments=arguments), (), ctx)
    text = "\n".join([say(ctx.language, ask), listed(chosen, ctx)])
    return ToolResult(ok=False, text=text, error="the person has been asked, wait for the answer", is_question=True)


def joined(results: Sequence[ToolResult]) -> ToolResult:
    """Combine the results of several changes."""
    failed = next((result for result in results if not result.ok), None)
    return ToolResult(
        ok=any(result.ok for result in results),
        text="\n".join(dict.fromkeys(result.text for result in results)),
        error="" if failed is None else failed.error,
        cause="" if failed is None else failed.cause,
        is_question=any(result.is_question for result in results),
        value={"changed": [each.subject for result in results for each in result.receipts]},
        receipts=tuple(receipt for result in results for receipt in result.receipts),
    )


async def _apply(reminder: Reminder, change: Change, ctx: CallContext) -> ToolResult:
    try:
        return await change(reminder, ctx)
    except RequestRefused as refusal:
        return ToolResult.refused(refusal.code, refusal_text(ctx.language, refusal, ctx.now))
