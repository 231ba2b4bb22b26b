"""The function that pauses and ends reminders, and lets people join and leave them."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec.structs import replace

from function_calls.calls import Receipt, ToolResult, UndoStep
from function_calls.context import CallContext
from function_calls.registry import tool_function
from function_calls.reminder_times import moment_of, zone_name
from function_calls.reminders.answers import set_confirmed, which_reminder
from function_calls.reminders.models import ReminderStateArgs
from function_calls.reminders.replies import meant
from function_calls.reminders.undo import delete, put_back
from function_calls.reminders.which import spoken_of
from function_calls.wording import say
from services.errors import RequestRefused
from services.history.service import HistoryService
from services.reminders.model import NewReminder, Reminder, ReminderState, Schedule
from services.reminders.service import ReminderService

_JUST_SAID = timedelta(seconds=10)  # by then the platform has told which message it is
_INVERSES: Mapping[str, str] = {"pause": "resume", "resume": "pause", "join": "leave", "leave": "join"}


@tool_function(name="reminder_state", returns="reply", changes_state=True)
async def reminder_state(
    args: ReminderStateArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """暂停、恢复、完成、加入、退出提醒 / Pause, resume or finish a reminder; join or leave somebody's reminder."""
    try:
        reference = await _reference(args, ctx, reminders, history)
        if args.action in {"pause", "resume"}:
            until = _end_of_pause(args.until, ctx) if args.until else None
            switched = await _switched(args.action, reference, ctx, reminders)
            return switched if until is None else await _with_question(until, switched, ctx, reminders)
        return await _taken_part(args.action, reference, ctx, reminders)
    except RequestRefused as refusal:
        if refusal.code in {"nothing_to_finish", "nothing_meant"} and not _is_addressed(ctx):
            return ToolResult(ok=True, is_answered=True)
        return which_reminder(refusal, args.reminder_id or "", ctx, ask="reminder.which_one")


async def _reference(
    args: ReminderStateArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> str:
    """Which reminder is meant: what is named or replied to, else what was said, set or changed last.

    Raises:
        RequestRefused: `nothing_meant`: people say "me too" and "done" to each other as well.
    """
    reference = await meant(args.reminder_id, ctx, reminders, history)
    if reference:
        return reference
    if args.action == "done":
        return (await _awaited(ctx, reminders, history)).id
    if not _is_addressed(ctx):
        raise RequestRefused("nothing_meant")
    if args.action == "join":
        here = await reminders.list(ctx.chat, ctx.sender)
        return max(here, key=lambda each: each.created_at).id if here else ""
    return (await spoken_of(None, ctx, reminders)).id


async def _awaited(ctx: CallContext, reminders: ReminderService, history: HistoryService) -> Reminder:
    """What waits for "done"; as a reply to a message that is not known, only what is being said this very moment."""
    replied_to = ctx.message.reply_to
    if replied_to is None or _is_addressed(ctx):
        return await reminders.said.awaited(ctx.chat, ctx.sender)
    if await history.find(ctx.chat, replied_to) is not None:
        raise RequestRefused("nothing_meant")
    return await reminders.said.awaited(ctx.chat, ctx.sender, within=_JUST_SAID)


async def _switched(action: str, reference: str, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    if action == "pause":
        changed = await reminders.pause(ctx.chat, ctx.sender, reference)
    else:
        changed = await reminders.resume(ctx.chat, ctx.sender, reference)
    return ToolResult(
        ok=True,
        text="\n".join(_told(action, each, ctx) for each in changed),
        value={"ids": [each.id for each in changed]},
        receipts=tuple(Receipt(action=action, subject=each.id, undo=_inverse(action, each)) for each in changed),
    )


def _end_of_pause(words: str, ctx: CallContext) -> datetime:
    until = moment_of(words, ctx)
    if until <= ctx.now:
        raise RequestRefused("time_in_past", due=until, now=ctx.now)
    return until


async def _with_question(
    until: datetime, paused: ToolResult, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """`paused`, and a reminder at the end of the pause that asks whether they are to go on."""
    ids = [receipt.subject for receipt in paused.receipts]
    which = ids[0] if len(ids) == 1 else say(ctx.language, "reminder.resume_all")
    asked = await reminders.create(
        NewReminder(
            request_key=f"{ctx.call_id}/until",
            address=ctx.chat,
            creator=ctx.sender,
            content=say(ctx.language, "reminder.pause_over", which=which),
            schedule=Schedule(start=until.replace(tzinfo=None), zone=zone_name(ctx.zone)),
            language=ctx.language,
            is_private=ctx.message.is_private,
        )
    )
    receipt = Receipt(action="set", subject=asked.id, undo=delete(asked))
    text = "\n".join([paused.text, set_confirmed(asked, ctx)])
    return replace(paused, text=text, receipts=(*paused.receipts, receipt))


async def _taken_part(action: str, reference: str, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    before = await reminders.find(ctx.chat, ctx.sender, reference)
    if action == "done":
        is_over = before.state not in {ReminderState.ACTIVE, ReminderState.PAUSED}
        after = before if is_over else await reminders.finish(ctx.chat, ctx.sender, before.id)
    elif action == "join":
        after = await reminders.join(ctx.chat, ctx.sender, before.id)
    else:
        after = await reminders.leave(ctx.chat, ctx.sender, before.id)
    if (after.targets, after.schedule, after.state) == (before.targets, before.schedule, before.state):
        same = say(ctx.language, f"reminder.{action}_already", id=after.id, content=after.content)
        return ToolResult(ok=True, text=same, value={"id": after.id})
    undo = put_back(before, is_ended=True) if action == "done" else _inverse(action, after)
    receipt = Receipt(action=action, subject=after.id, undo=undo)
    return ToolResult(ok=True, text=_told(action, after, ctx), value={"id": after.id}, receipts=(receipt,))


def _told(action: str, reminder: Reminder, ctx: CallContext) -> str:
    if action == "resume" or (action in {"join", "leave", "done"} and reminder.next_fires):
        return set_confirmed(reminder, ctx, verb=action)
    return say(ctx.language, f"reminder.{action}_told", id=reminder.id, content=reminder.content)


def _inverse(action: str, reminder: Reminder) -> UndoStep:
    arguments: dict[str, object] = {"action": _INVERSES[action], "reminder_id": reminder.id}
    return UndoStep(name="reminder_state", arguments=arguments)


def _is_addressed(ctx: CallContext) -> bool:
    return ctx.message.is_addressed or ctx.message.is_private
