"""Ground the calls of a round: compare each with the message that it was chosen for, and correct or withhold it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace
from pydantic import ValidationError

from function_calls.functions.reminders.models import ReminderSnoozeArgs, ReminderStateArgs, ReminderUpdateArgs
from function_calls.functions.summary.windows import window_words
from function_calls.grounding.changed_reminders import (
    ground_delete,
    ground_list,
    ground_snooze,
    ground_state,
    ground_update,
)
from function_calls.grounding.corrections import Grounded, correct_arguments
from function_calls.grounding.message import ReadMessage
from function_calls.grounding.new_reminders import ask_about_words, ground_set
from function_calls.models import Arguments, ReminderArgs, ReminderDeleteArgs, ReminderListArgs, SummaryArgs
from function_calls.tools.calls import SILENT, Interpretation, ToolCall, ToolResult, Turn
from function_calls.tools.context import CallContext, is_for_bot
from function_calls.tools.dispatch.execution import report_crash
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.reminders.service import ReminderService

_STATEMENTS: Final = {"time_zone": "zone", "quiet_hours": "hours"}
"""Functions that people call by a statement to nobody ("my time zone is Berlin"), and the argument that it gives."""
_CERTAIN: Final = 0.9
_QUESTION: Final = ("?", "？", "吗", "呢", "么")
_SUMMARY: Final = "summary"


async def ground_all(
    turn: Turn, made: Interpretation, contexts: Sequence[CallContext]
) -> tuple[tuple[ToolCall, ...], list[CallContext]]:
    """Return the calls of `made` as the message supports them, with their contexts, which may have a result instead."""
    called = replace(turn.message, is_addressed=True)  # somebody has decided already that it is for the bot
    message = ReadMessage(replace(turn, message=called))
    grounded = [await ground(call, message, context) for call, context in zip(made.calls, contexts, strict=True)]
    changed = [
        replace(context, instead_of_call=each.instead_of_call) for each, context in zip(grounded, contexts, strict=True)
    ]
    return tuple(each.call for each in grounded), changed


async def ground_deadlines(made: Interpretation, contexts: Sequence[CallContext]) -> list[CallContext]:
    """Return the contexts of the rules' calls; one that would remind at the end of a deadline is asked about first."""
    return [
        replace(context, instead_of_call=await _deadline_of(call, context))
        for call, context in zip(made.calls, contexts, strict=True)
    ]


async def _deadline_of(call: ToolCall, ctx: CallContext) -> ToolResult | None:
    if call.name != "reminder_set" or not _has_services(call.name, ctx):
        return None
    try:
        return await ask_about_words(call, ReminderArgs.model_validate(dict(call.arguments)), ctx)
    except (ValidationError, RequestRefused):
        return None  # it is refused when it runs


async def ground(call: ToolCall, message: ReadMessage, ctx: CallContext) -> Grounded:
    """Compare `call` with the `message` that it was chosen for; invalid arguments are left to the router.

    A change that the rules make of the message as well stays as it is.
    """
    if call.name != "reminder_set" and message.agrees(call):
        return Grounded(call=call)
    if call.name in _STATEMENTS and not await _is_for_bot(call, message, ctx):
        return Grounded(call=call, instead_of_call=SILENT)
    kind, compare = _TOOLS.get(call.name, (None, None))
    if kind is None or compare is None or not _has_services(call.name, ctx):
        return Grounded(call=call)
    try:
        return await compare(call, kind.model_validate(dict(call.arguments)), message, ctx)
    except (ValidationError, RequestRefused):
        return Grounded(call=call)  # it is refused when it runs
    except Exception as error:  # noqa: BLE001 - like an exception of the tool, it must not end the turn
        return Grounded(call=call, instead_of_call=report_crash(call.name, error, ctx))


async def _is_for_bot(call: ToolCall, message: ReadMessage, ctx: CallContext) -> bool:
    """Return whether a message is for the bot, or certainly a statement for it and no answer to another person."""
    if ctx.message.is_for_bot:
        return True
    history = ctx.services.get(HistoryService)
    if await is_for_bot(ctx, history):
        return True
    is_statement = bool(call.arguments.get(_STATEMENTS[call.name]))
    before = await history.before(ctx.message, 1)
    is_asked = any(each.text.rstrip().endswith(_QUESTION) and each.sender.id != ctx.sender.id for each in before)
    is_answer = ctx.message.reply_to is not None or is_asked
    overheard = ReadMessage(replace(message.turn, message=ctx.message))
    return is_statement and not is_answer and overheard.share_of(call.name) >= _CERTAIN


def _has_services(name: str, ctx: CallContext) -> bool:
    """Return whether the function of that name can be the bot's own; another one may have the same name."""
    return name == _SUMMARY or ctx.services.has(ReminderService, HistoryService)


async def _ground_summary(call: ToolCall, args: SummaryArgs, message: ReadMessage, ctx: CallContext) -> Grounded:
    """Add the words of the message that say which messages are summarised."""
    if args.window:
        return Grounded(call=call)
    window = window_words(message.text, ctx, is_narrowed=bool(args.topic or args.person))
    return Grounded(call=correct_arguments(call, {"window": window}))


_TOOLS: Final[Mapping[str, tuple[type[Arguments], Callable[..., Awaitable[Grounded]]]]] = {
    "reminder_set": (ReminderArgs, ground_set),
    "reminder_list": (ReminderListArgs, ground_list),
    "reminder_delete": (ReminderDeleteArgs, ground_delete),
    "reminder_update": (ReminderUpdateArgs, ground_update),
    "reminder_snooze": (ReminderSnoozeArgs, ground_snooze),
    "reminder_state": (ReminderStateArgs, ground_state),
    _SUMMARY: (SummaryArgs, _ground_summary),
}
