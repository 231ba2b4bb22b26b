"""Ask which times of a repeating reminder are meant, with numbered answers."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from function_calls.language import recurrence_text
from function_calls.language.messages import say
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.confirmation.buttons import numbered_buttons
from function_calls.tools.confirmation.pending_calls import PendingCall
from function_calls.tools.context import CallContext
from services.reminders.model import Reminder


class Option(Struct, frozen=True, kw_only=True):
    """A possible meaning in words, and its call. `answers` pick it as well as its number does."""

    label: str
    call: str
    arguments: Mapping[str, object]
    answers: tuple[str, ...] = ()


async def which_times(reminder: Reminder, options: Sequence[Option], ctx: CallContext) -> ToolResult:
    """Ask which of `options` is meant, and store their calls until the answer."""
    asked = say(
        ctx.language,
        "reminder.which_times",
        id=reminder.id,
        content=reminder.content,
        rule=recurrence_text.rule(ctx.language, reminder),
    )
    for number, option in enumerate(options, start=1):
        call = ToolCall(id=ctx.call_id, name=option.call, arguments=option.arguments)
        await let_wait(call, (str(number), *option.answers), ctx)
    lines = [f"{number}. {option.label}" for number, option in enumerate(options, start=1)]
    return ToolResult(
        ok=False,
        text="\n".join([asked, *lines]),
        error="it comes on other days too; the person has been asked, wait for the answer",
        is_question=True,
        choices=numbered_buttons([option.label for option in options], ctx.sender, ctx.clock.now()),
    )


async def let_wait(call: ToolCall, answers: tuple[str, ...], ctx: CallContext) -> None:
    """Store `call` until one of `answers`, or without them a yes."""
    if ctx.policy is not None:
        await ctx.policy.confirmations.ask(PendingCall.of(call, ctx, answers=answers))
