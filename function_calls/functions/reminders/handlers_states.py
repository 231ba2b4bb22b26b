"""Handle the function that pauses, ends, joins and leaves reminders."""

from datetime import timedelta
from functools import partial

from function_calls.functions.reminders.answers import ask_which_reminder, revert_step
from function_calls.functions.reminders.bulk import apply_to_each
from function_calls.functions.reminders.models import ReminderStateArgs
from function_calls.functions.reminders.people import change_own_copy, everyone_except
from function_calls.functions.reminders.references import (
    find_mentioned,
    may_mean_all,
    resolve_reference,
    resolve_several,
)
from function_calls.functions.reminders.suspensions import (
    change_text,
    inverse_step,
    pause,
    requested_suspension,
    resume,
    suspend_reminders,
)
from function_calls.language.messages import say
from function_calls.registry import tool_function
from function_calls.tools.calls import SILENT, Receipt, ToolResult
from function_calls.tools.context import CallContext
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.reminders.lookup.finder import is_for_everyone, is_joined
from services.reminders.lookup.references import means_all
from services.reminders.model import Reminder, ReminderState
from services.reminders.service import ReminderService

_JUST_SENT = timedelta(seconds=10)  # by then the platform has reported the message's id
_ACKNOWLEDGED_WITHIN = timedelta(hours=1)
"""The time after a delivery in which "done" is taken as an answer to it."""


@tool_function(name="reminder_state", returns="reply", changes_state=True, uses_state=True)
async def reminder_state(
    args: ReminderStateArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """暂停、恢复、完成、加入、退出提醒 / Pause, resume or finish a reminder; join or leave somebody's reminder."""

    async def change_one(reminder: Reminder, ctx: CallContext) -> ToolResult:
        return await _change(reminder.id, args, ctx, reminders, history)

    try:
        several = await resolve_several(args.reminder_id, ctx, reminders, history)
        if several:
            return await apply_to_each(several, change_one, ctx, none="reminder.none")
        if may_mean_all(args.reminder_id):
            return await _change("all", args, ctx, reminders, history)
        return await _change(await _resolve_target(args, ctx, reminders, history), args, ctx, reminders, history)
    except RequestRefused as refusal:
        sent = await _last_sent(ctx, reminders) if refusal.code == "nothing_to_finish" else None
        if sent is not None:
            done = say(ctx.language, "reminder.done_noted", content=sent.content)
            return ToolResult(ok=True, text=done, value={"id": sent.id}, is_unchanged=True)
        if refusal.code in {"nothing_to_finish", "nothing_meant"} and not ctx.message.is_for_bot:
            return SILENT
        return await ask_which_reminder(refusal, args.reminder_id, ctx, reminders)


async def _change(
    reference: str, args: ReminderStateArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    if args.action == "pause":
        suspension = requested_suspension(args, ctx)
        stop = pause if suspension is None else partial(suspend_reminders, suspension)
        found = None if means_all(reference) else await reminders.find(ctx.chat, ctx.sender, reference)
        if found is not None and is_joined(found, ctx.sender) and found.state is ReminderState.ACTIVE:
            return await change_own_copy(found, lambda own: stop(own.id, ctx, reminders), ctx, reminders)
        return await stop(reference, ctx, reminders)
    if args.action == "resume":
        return await resume(reference, ctx, reminders)
    return await finish_join_or_leave(args.action, reference, ctx, reminders, history)


async def _resolve_target(
    args: ReminderStateArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> str:
    """Return the reference of the reminder named or replied to, else of the one delivered, set or changed last.

    Raises:
        RequestRefused: `nothing_meant`: the message is not for the bot ("me too" among people).
    """
    reference = await resolve_reference(args.reminder_id, ctx, reminders, history)
    if reference:
        return reference
    if args.action == "done":
        return (await _find_unfinished(ctx, reminders, history)).id
    if args.reminder_id is None and not ctx.message.is_for_bot:
        raise RequestRefused("nothing_meant")
    if args.action == "join":
        here = await reminders.open_in(ctx.chat)
        return max(here, key=lambda reminder: reminder.created_at).id if here else ""
    return (await find_mentioned(ctx, reminders)).id


async def _find_unfinished(ctx: CallContext, reminders: ReminderService, history: HistoryService) -> Reminder:
    """Return the unfinished reminder for "done"; for a reply to an unknown message only one sent just now."""
    replied_to = ctx.message.reply_to
    if replied_to is None or ctx.message.is_for_bot:
        return await reminders.recent_deliveries.latest_unfinished(ctx.chat, ctx.sender)
    if await history.find(ctx.chat, replied_to) is not None:
        raise RequestRefused("nothing_meant")
    return await reminders.recent_deliveries.latest_unfinished(ctx.chat, ctx.sender, within=_JUST_SENT)


async def _last_sent(ctx: CallContext, reminders: ReminderService) -> Reminder | None:
    """Return the last reminder sent to the sender within the hour; None if their message is a reply."""
    if ctx.message.reply_to is not None:
        return None
    return next(iter(await reminders.recent_deliveries.recent_for(ctx.chat, ctx.sender, _ACKNOWLEDGED_WITHIN)), None)


async def finish_join_or_leave(
    action: str, reference: str, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """Finish, join or leave the reminder of `reference`."""
    before = await reminders.find(ctx.chat, ctx.sender, reference)
    if action == "done":
        is_over = before.state not in {ReminderState.ACTIVE, ReminderState.PAUSED}
        after = before if is_over else await reminders.finish(ctx.chat, ctx.sender, before.id)
    elif action == "join":
        after = await reminders.join(ctx.chat, ctx.sender, before.id)
    else:
        others = await everyone_except((ctx.sender,), ctx, history) if is_for_everyone(before) else ()
        after = await reminders.leave(ctx.chat, ctx.sender, before.id, others)
    if (after.targets, after.schedule, after.state) == (before.targets, before.schedule, before.state):
        same = say(ctx.language, f"reminder.{action}_already", id=after.id, content=after.content)
        return ToolResult(ok=True, text=same, value={"id": after.id}, is_unchanged=True)
    undo = revert_step(before, is_ended=True) if action == "done" else inverse_step(action, after)
    receipt = Receipt(action=action, subject=after.id, name=after.content, undo=undo)
    return ToolResult(ok=True, text=change_text(action, after, ctx), value={"id": after.id}, receipts=(receipt,))
