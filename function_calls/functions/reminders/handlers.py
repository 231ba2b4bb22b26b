"""Handle the functions that change and snooze reminders, and their inverses."""

from datetime import timedelta
from functools import partial

from msgspec.structs import replace

from function_calls.functions.reminders.all_of_them import MOST_UNASKED, asked_first, own_reminders, to_each
from function_calls.functions.reminders.answers import changed_told, which_reminder
from function_calls.functions.reminders.changes import changed_schedule
from function_calls.functions.reminders.models import (
    ReminderPutBackArgs,
    ReminderRestoreArgs,
    ReminderSnoozeArgs,
    ReminderUpdateArgs,
)
from function_calls.functions.reminders.moves import moved_once
from function_calls.functions.reminders.occurrences import NEXT, with_skipped
from function_calls.functions.reminders.pausing import at_rest
from function_calls.functions.reminders.people import changed_people
from function_calls.functions.reminders.putting_off import (
    is_shift,
    put_off,
    put_off_all,
    put_off_several,
    shifted_all,
    until_of,
)
from function_calls.functions.reminders.repetition import is_only_day, repeated, which_of_those_days, with_days_for_good
from function_calls.functions.reminders.replies import meant
from function_calls.functions.reminders.rests import rest_during
from function_calls.functions.reminders.several import (
    may_mean_all,
    several_meant,
    which_asked,
    with_others_told,
)
from function_calls.functions.reminders.undo import delete, put_back
from function_calls.functions.reminders.which import spoken_of
from function_calls.language.messages import say
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import nagging
from services.history.service import HistoryService
from services.kernel.chat import Person
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.schedule import Schedule, read_schedule
from services.reminders.model import CatchUp, Reminder, ReminderEdit, ReminderState
from services.reminders.service import ReminderService

_DAY = timedelta(days=1)


@tool_function(name="reminder_update", returns="reply", changes_state=True, uses_state=True)
async def reminder_update(
    args: ReminderUpdateArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """修改提醒 / Change the time, the text or the manners of one reminder, of several, or of all of one's own."""
    try:
        several = await several_meant(args.reminder_id, ctx, reminders, history)
        if several:
            told = await _update_each(several, args, ctx, reminders)
            return await with_others_told(told, args.reminder_id, several, ctx, reminders)
        if may_mean_all(args.reminder_id):
            return await _update_all(args, ctx, reminders)
        reference = await meant(args.reminder_id, ctx, reminders, history)
        old = await (reminders.find(ctx.chat, ctx.sender, reference) if reference else spoken_of(None, ctx, reminders))
    except RequestRefused as refusal:
        if refusal.code == "no_reminders":
            return ToolResult.refused(refusal.code, say(ctx.language, "reminder.none"))
        return which_reminder(refusal, args.reminder_id or "", ctx, ask=which_asked(args.reminder_id))
    return await _update(args, reminders, old, ctx)


async def _update_all(args: ReminderUpdateArgs, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    if is_shift(args.time):
        return await shifted_all(args, partial(_update, reminders=reminders, may_ask=False), ctx, reminders)
    return await _update_each(await own_reminders(ctx, reminders), args, ctx, reminders)


async def _update_each(
    chosen: tuple[Reminder, ...], args: ReminderUpdateArgs, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Change every one of `chosen`; many only after confirmation."""
    if len(chosen) > MOST_UNASKED and ctx.approved is None:
        named = args.model_copy(update={"reminder_id": ", ".join(each.id for each in chosen)})
        arguments = named.model_dump(exclude_none=True)
        return await asked_first("reminder_update", arguments, chosen, ctx, ask="reminder.change_these")

    async def one(reminder: Reminder, inner: CallContext) -> ToolResult:
        wish = args.model_copy(update={"reminder_id": reminder.id})
        return await _update(wish, reminders, reminder, inner, may_ask=False)

    return await to_each(chosen, one, ctx, none="reminder.none")


async def _update(
    args: ReminderUpdateArgs, reminders: ReminderService, old: Reminder, ctx: CallContext, *, may_ask: bool = True
) -> ToolResult:
    args = with_days_for_good(args, ctx)
    is_over = old.state is ReminderState.DONE
    moved = None if is_over else await moved_once(args, old, ctx, reminders, may_ask=may_ask)
    if moved is not None:
        return moved
    if args.skip and args.days:
        if may_ask and not is_only_day(args, edits.drop_follow_up(old.schedule), ctx):
            return await which_of_those_days(args, old, ctx)
        args = args.model_copy(update={"days": None})
    if args.skip and args.skip.strip().lower() != NEXT:
        rest = rest_during(args.skip, ctx)
        if rest.until - rest.since > _DAY:
            return await at_rest(rest, old.id, ctx, reminders)
    people = await changed_people(args.person, old, ctx, ctx.services.get(HistoryService)) if args.person else None
    edit = replace(_edit(args, old, ctx), targets=people)
    if edit == ReminderEdit():
        asked = say(ctx.language, "reminder.nothing_to_change")
        return ToolResult(ok=False, text=asked, error="neither time nor content was given", is_question=True)
    if is_over:
        edit = edit if edit.schedule is not None else replace(edit, schedule=old.schedule)
        revived = await reminders.revert(ctx.chat, ctx.sender, old.id, edit, asked_at=ctx.message_time)
        return changed_told(revived, ctx, "changed", delete(revived))
    changed = await reminders.edit(ctx.chat, ctx.sender, old.id, edit, asked_at=ctx.message_time)
    return changed_told(changed, ctx, "skipped" if args.skip else "changed", put_back(old))


async def leave_out(day: str, reminder: Reminder, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Skip the day named by `day` of a repeating reminder.

    Raises:
        RequestRefused: `nothing_to_skip`, `not_on_that_day`, `not_your_reminder`.
    """
    return await _update(ReminderUpdateArgs(skip=day), reminders, reminder, ctx)


@tool_function(name="reminder_snooze", returns="reply", changes_state=True, uses_state=True)
async def reminder_snooze(
    args: ReminderSnoozeArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """推迟提醒 / Put off a reminder: say again later what was just said, or move one that has not fired yet."""
    until = until_of(args.time, ctx, is_again=bool(args.again))
    try:
        several = await put_off_several(until, args, ctx, reminders, history)
        if several is not None:
            return several
        if may_mean_all(args.reminder_id):
            return await put_off_all(until, args, ctx, reminders)
        reference = await meant(args.reminder_id, ctx, reminders, history)
        return await put_off(reference or "", until, ctx, reminders)
    except RequestRefused as refusal:
        if refusal.code == "no_reminders":
            return ToolResult.refused(refusal.code, say(ctx.language, "reminder.none_to_snooze"))
        return which_reminder(refusal, args.reminder_id or "", ctx, ask=which_asked(args.reminder_id))


@tool_function(name="reminder_restore", returns="reply", changes_state=True, is_only_for_undo=True)
async def reminder_restore(args: ReminderRestoreArgs, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Take a delete back."""
    restored = await reminders.restore(ctx.chat, ctx.sender, args.reminder_id)
    return changed_told(restored, ctx, "back", None)


@tool_function(name="reminder_put_back", returns="reply", changes_state=True, is_only_for_undo=True)
async def reminder_put_back(args: ReminderPutBackArgs, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Give a reminder the words, people and times that it had."""
    edit = ReminderEdit(
        content=args.content,
        schedule=read_schedule(args.local_start(), args.zone, args.rule),
        targets=tuple(Person(id=each.id, name=each.name) for each in args.targets),
        is_urgent=args.urgent,
        catch_up=CatchUp(args.missed),
    )
    reminder = await reminders.revert(ctx.chat, ctx.sender, args.reminder_id, edit, is_undo=True, was_ended=args.ended)
    return changed_told(reminder, ctx, "restored", None)


def _edit(args: ReminderUpdateArgs, old: Reminder, ctx: CallContext) -> ReminderEdit:
    """Return the requested change; a new time keeps the repeating until it is done."""
    bare = edits.drop_follow_up(old.schedule)
    schedule = with_skipped(args.skip, bare, ctx) if args.skip else changed_schedule(args, bare, ctx)
    schedule = repeated(args, schedule or bare, ctx) or schedule
    until_done = 0 if _stops_repeating(args, bare) else args.until_done
    if until_done is not None:
        schedule = nagging(schedule or bare, until_done)
    elif schedule is not None:
        schedule = replace(schedule, follow_up=schedule.follow_up or old.schedule.follow_up)
    return ReminderEdit(
        content=args.content or _with_added(args.added, old, ctx),
        schedule=schedule,
        is_urgent=args.urgent,
        catch_up=None if args.missed is None else CatchUp(args.missed),
    )


def _stops_repeating(args: ReminderUpdateArgs, bare: Schedule) -> bool:
    """Return whether "once" is requested for a reminder that only repeats until done."""
    return args.type == "once" and args.time is None and bare.rule is None


def _with_added(words: str | None, old: Reminder, ctx: CallContext) -> str | None:
    return say(ctx.language, "reminder.with_added", content=old.content, added=words) if words else None
