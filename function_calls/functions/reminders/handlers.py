"""Handle the functions that change and snooze reminders, and their inverses."""

from datetime import timedelta
from functools import partial

from msgspec.structs import replace

from function_calls.functions.reminders.answers import (
    ask_which_reminder,
    confirm_change,
    confirmation_text,
    delete_step,
    revert_step,
)
from function_calls.functions.reminders.bulk import MAX_UNCONFIRMED, apply_to_each, confirm_bulk
from function_calls.functions.reminders.models import (
    ReminderPutBackArgs,
    ReminderRestoreArgs,
    ReminderSnoozeArgs,
    ReminderUpdateArgs,
)
from function_calls.functions.reminders.moves import move_occurrence
from function_calls.functions.reminders.occurrences import NEXT, skip_fires
from function_calls.functions.reminders.people import change_own_copy, change_targets, resolve_people
from function_calls.functions.reminders.references import (
    append_others_count,
    find_mentioned,
    may_mean_all,
    own_reminders,
    resolve_reference,
    resolve_several,
)
from function_calls.functions.reminders.repetition import (
    ask_once_or_always,
    change_repetition,
    convert_recurring_skip,
    skips_every_day,
)
from function_calls.functions.reminders.schedule_changes import is_shift, new_schedule
from function_calls.functions.reminders.snooze import (
    read_snooze_target,
    shift_all,
    snooze,
    snooze_all,
    snooze_several,
)
from function_calls.functions.reminders.suspensions import names_one_moment, read_suspension, suspend_reminders
from function_calls.language.messages import say
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import add_follow_up
from services.history.service import HistoryService
from services.kernel.chat import Person
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.schedule import Schedule, read_schedule
from services.reminders.lookup.finder import is_joined
from services.reminders.model import CatchUp, Reminder, ReminderEdit, ReminderState
from services.reminders.service import ReminderService

_DAY = timedelta(days=1)


@tool_function(name="reminder_update", returns="reply", changes_state=True, uses_state=True)
async def reminder_update(
    args: ReminderUpdateArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """修改提醒 / Change the time, the text or the options of one reminder, of several, or of all of one's own."""
    try:
        several = await resolve_several(args.reminder_id, ctx, reminders, history)
        if several:
            result = await _update_each(several, args, ctx, reminders, history)
            return await append_others_count(result, args.reminder_id, several, ctx, reminders)
        if may_mean_all(args.reminder_id):
            return await _update_all(args, ctx, reminders, history)
        reference = await resolve_reference(args.reminder_id, ctx, reminders, history)
        old = await (reminders.find(ctx.chat, ctx.sender, reference) if reference else find_mentioned(ctx, reminders))
    except RequestRefused as refusal:
        return await ask_which_reminder(refusal, args.reminder_id, ctx, reminders, none="reminder.none")
    return await _update(args, old, ctx, reminders, history)


async def _update_all(
    args: ReminderUpdateArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    if is_shift(args.time):
        change = partial(_update, reminders=reminders, history=history, may_ask=False)
        return await shift_all(args, change, ctx, reminders)
    return await _update_each(await own_reminders(ctx, reminders), args, ctx, reminders, history)


async def _update_each(
    chosen: tuple[Reminder, ...],
    args: ReminderUpdateArgs,
    ctx: CallContext,
    reminders: ReminderService,
    history: HistoryService,
) -> ToolResult:
    """Update each of the `chosen` reminders; more than `MAX_UNCONFIRMED` only after a confirmation."""
    if len(chosen) > MAX_UNCONFIRMED and ctx.approved is None:
        named = args.model_copy(update={"reminder_id": ", ".join(reminder.id for reminder in chosen)})
        arguments = named.model_dump(exclude_none=True)
        return await confirm_bulk("reminder_update", arguments, chosen, ctx, ask="reminder.change_these")

    async def update_one(reminder: Reminder, inner: CallContext) -> ToolResult:
        own_args = args.model_copy(update={"reminder_id": reminder.id})
        return await _update(own_args, reminder, inner, reminders, history, may_ask=False)

    return await apply_to_each(chosen, update_one, ctx, none="reminder.none")


async def _update(
    args: ReminderUpdateArgs,
    old: Reminder,
    ctx: CallContext,
    reminders: ReminderService,
    history: HistoryService,
    *,
    may_ask: bool = True,
) -> ToolResult:
    if await _is_for_sender_alone(args, old, ctx, history):
        args = args.model_copy(update={"person": None})
        change = partial(_update, args, ctx=ctx, reminders=reminders, history=history, may_ask=may_ask)
        return await change_own_copy(old, change, ctx, reminders)
    args = convert_recurring_skip(args, ctx)
    done = await _move_or_suspend(args, old, ctx, reminders, may_ask=may_ask)
    if done is not None:
        return done
    if args.skip:
        args = args.model_copy(update={"days": None})
    people = await change_targets(args.person, old, ctx, history)
    return await _apply_edit(replace(_edit(args, old, ctx), targets=people), args, old, ctx, reminders)


async def _move_or_suspend(
    args: ReminderUpdateArgs, old: Reminder, ctx: CallContext, reminders: ReminderService, *, may_ask: bool
) -> ToolResult | None:
    """Move an occurrence, skip a period, or ask about the skipped day; None for any other change."""
    if old.state is not ReminderState.DONE:
        moved = await move_occurrence(args, old, ctx, reminders, may_ask=may_ask)
        if moved is not None:
            return moved
    if not args.skip:
        return None
    if args.days and may_ask and not skips_every_day(args, edits.drop_follow_up(old.schedule), ctx):
        return await ask_once_or_always(args, old, ctx)
    if args.skip.strip().lower() == NEXT or names_one_moment(args.skip, ctx):
        return None
    suspension = read_suspension(args.skip, ctx)
    is_period = suspension.until - suspension.since > _DAY
    return await suspend_reminders(suspension, old.id, ctx, reminders) if is_period else None


async def _apply_edit(
    edit: ReminderEdit, args: ReminderUpdateArgs, old: Reminder, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    if edit == ReminderEdit():
        error = "neither time nor content was given"
        return ToolResult.question(say(ctx.language, "reminder.nothing_to_change"), error=error)
    if old.state is ReminderState.DONE:
        edit = edit if edit.schedule is not None else replace(edit, schedule=old.schedule)
        revived = await reminders.revert(ctx.chat, ctx.sender, old.id, edit, asked_at=ctx.message_time)
        return confirm_change(revived, ctx, "changed", delete_step(revived))
    changed = await reminders.edit(ctx.chat, ctx.sender, old.id, edit, asked_at=ctx.message_time)
    if changed.next_fires and _is_same(changed, old):
        return ToolResult(ok=True, text=confirmation_text(changed, ctx, verb="same"), is_unchanged=True)
    return confirm_change(changed, ctx, "skipped" if args.skip else "changed", revert_step(old))


def _is_same(reminder: Reminder, old: Reminder) -> bool:
    return reminder.recipients == old.recipients and replace(reminder, targets=old.targets) == old


async def _is_for_sender_alone(
    args: ReminderUpdateArgs, old: Reminder, ctx: CallContext, history: HistoryService
) -> bool:
    """Return whether only the sender is to be reminded otherwise, as they have joined the reminder or say "me"."""
    if old.state is not ReminderState.ACTIVE:
        return False
    if not args.person:
        return is_joined(old, ctx.sender)
    people = {person.id for person in old.recipients} - {ctx.sender.id}
    changes = args.model_dump(exclude_none=True).keys() - {"reminder_id", "person"}
    if not people or not changes or args.person[0] in "+-":
        return False
    return not await resolve_people(args.person, ctx, history)


async def skip_day(
    day: str, reminder: Reminder, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """Skip the `day` (in words) of a repeating reminder.

    Raises:
        RequestRefused: `nothing_to_skip`, `not_on_that_day`, `not_your_reminder`.
    """
    return await _update(ReminderUpdateArgs(skip=day), reminder, ctx, reminders, history)


@tool_function(name="reminder_snooze", returns="reply", changes_state=True, uses_state=True)
async def reminder_snooze(
    args: ReminderSnoozeArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """推迟提醒 / Put off a reminder: say again later what was just said, or move one that has not fired yet."""
    until = read_snooze_target(args.time, ctx, is_again=bool(args.again))
    try:
        several = await snooze_several(until, args, ctx, reminders, history)
        if several is not None:
            return several
        if may_mean_all(args.reminder_id):
            return await snooze_all(until, args, ctx, reminders)
        reference = await resolve_reference(args.reminder_id, ctx, reminders, history)
        return await snooze(reference or "", until, ctx, reminders)
    except RequestRefused as refusal:
        return await ask_which_reminder(refusal, args.reminder_id, ctx, reminders, none="reminder.none_to_snooze")


@tool_function(name="reminder_restore", returns="reply", changes_state=True, is_only_for_undo=True)
async def reminder_restore(args: ReminderRestoreArgs, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Restore a deleted reminder."""
    restored = await reminders.restore(ctx.chat, ctx.sender, args.reminder_id)
    return confirm_change(restored, ctx, "back", None)


@tool_function(name="reminder_put_back", returns="reply", changes_state=True, is_only_for_undo=True)
async def reminder_put_back(args: ReminderPutBackArgs, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Restore the text, people, schedule and options that a reminder had before a change."""
    edit = ReminderEdit(
        content=args.content,
        schedule=read_schedule(args.local_start(), args.zone, args.rule),
        targets=tuple(Person(id=person.id, name=person.name) for person in args.targets),
        is_urgent=args.urgent,
        catch_up=CatchUp(args.missed),
    )
    reminder = await reminders.revert(ctx.chat, ctx.sender, args.reminder_id, edit, is_undo=True, was_ended=args.ended)
    return confirm_change(reminder, ctx, "restored", None)


def _edit(args: ReminderUpdateArgs, old: Reminder, ctx: CallContext) -> ReminderEdit:
    """Return the requested edit; a new time keeps the follow-ups."""
    bare = edits.drop_follow_up(old.schedule)
    schedule = skip_fires(args.skip, bare, ctx) if args.skip else new_schedule(args, bare, ctx)
    schedule = change_repetition(args, schedule or bare, ctx) or schedule
    until_done = 0 if _stops_repeating(args, bare) else args.until_done
    if until_done is not None:
        schedule = add_follow_up(schedule or bare, until_done)
    elif schedule is not None:
        schedule = replace(schedule, follow_up=schedule.follow_up or old.schedule.follow_up)
    return ReminderEdit(
        content=args.content or _append_words(args.added, old, ctx),
        schedule=schedule,
        is_urgent=args.urgent,
        catch_up=None if args.missed is None else CatchUp(args.missed),
    )


def _stops_repeating(args: ReminderUpdateArgs, bare: Schedule) -> bool:
    """Return whether "once" ends the follow-ups of a one-time reminder."""
    return args.type == "once" and args.time is None and bare.rule is None


def _append_words(words: str | None, old: Reminder, ctx: CallContext) -> str | None:
    return say(ctx.language, "reminder.with_added", content=old.content, added=words) if words else None
