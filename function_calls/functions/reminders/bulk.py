"""Apply a change to several reminders, each with its receipt or refusal."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from function_calls.functions.reminders.answers import numbered_list, store_until_answer
from function_calls.language.messages import say
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import CallContext
from function_calls.tools.dispatch.execution import refusal_text
from services.kernel.errors import RequestRefused
from services.reminders.model import Reminder

MAX_UNCONFIRMED: Final = 5
"""A change of more reminders needs a confirmation."""

Change = Callable[[Reminder, CallContext], Awaitable[ToolResult]]


async def apply_to_each(chosen: Sequence[Reminder], change: Change, ctx: CallContext, *, none: str) -> ToolResult:
    """Apply `change` to the `chosen` reminders in order; without any, answer with the message key `none`."""
    if not chosen:
        return ToolResult.refused("no_reminders", say(ctx.language, none))
    results = [
        await _apply(reminder, change, replace(ctx, call_id=f"{ctx.call_id}/{reminder.id}")) for reminder in chosen
    ]
    return merge_results(results)


async def confirm_bulk(
    name: str, arguments: Mapping[str, object], chosen: Sequence[Reminder], ctx: CallContext, *, ask: str
) -> ToolResult:
    """Ask the question with the message key `ask` about `chosen`; a yes calls the tool `name` with `arguments`."""
    await store_until_answer(ToolCall(id=ctx.call_id, name=name, arguments=arguments), (), ctx)
    return ToolResult.question("\n".join([say(ctx.language, ask), numbered_list(chosen, ctx)]))


def merge_results(results: Sequence[ToolResult]) -> ToolResult:
    """Combine the results of several changes into one; it is ok if any of them is.

    The text of a change comes first, because its first line names the change in the question about an undo.
    """
    shown = sorted(results, key=lambda result: not result.receipts)
    failed = next((result for result in results if not result.ok), None)
    return ToolResult(
        ok=any(result.ok for result in results),
        text="\n".join(dict.fromkeys(result.text for result in shown)),
        error="" if failed is None else failed.error,
        cause="" if failed is None else failed.cause,
        ending="question" if any(result.ending == "question" for result in results) else "",
        value={"changed": [receipt.subject for result in results for receipt in result.receipts]},
        receipts=tuple(receipt for result in results for receipt in result.receipts),
        is_unchanged=all(result.is_unchanged for result in results if result.ok),
    )


async def _apply(reminder: Reminder, change: Change, ctx: CallContext) -> ToolResult:
    try:
        return await change(reminder, ctx)
    except RequestRefused as refusal:
        return ToolResult.refused(refusal.code, refusal_text(ctx.language, refusal, ctx.now))
