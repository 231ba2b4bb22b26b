"""Pause and resume reminders, indefinitely or for a time."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from function_calls.functions.reminders.all_of_them import joined, own_reminders, to_each
from function_calls.functions.reminders.answers import changed_told, set_confirmed
from function_calls.functions.reminders.models import ReminderStateArgs
from function_calls.functions.reminders.rests import morning_after, rest_during, rest_told, rest_until
from function_calls.functions.reminders.undo import delete, put_back
from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import zone_name
from services.kernel.errors import RequestRefused
from services.recurrence.edits import (
    Suspension,
    can_suspend,
    drop_follow_up,
    is_suspended,
    resume_suspended,
    suspend,
    suspended_fires,
)
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule
from services.reminders.lookup.references import means_all
from services.reminders.model import NewReminder, Reminder, ReminderEdit, ReminderState
from services.reminders.service import ReminderService

_INVERSES: Final[Mapping[str, str]] = {"pause": "resume", "resume": "pause", "join": "leave", "leave": "join"}


def rest_asked(args: ReminderStateArgs, ctx: CallContext) -> Suspension | None:
    """Return the requested length of a pause; None for an indefinite one.

    Raises:
        RequestRefused: `time_not_understood`, `time_in_past`.
    """
    if args.during:
        return rest_during(args.during, ctx)
    return rest_until(args.until, ctx) if args.until else None


async def paused(reference: str, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Pause reminders indefinitely."""
    return _confirm_switch("pause", await reminders.pause(ctx.chat, ctx.sender, reference), ctx)


async def at_rest(rest: Suspension, reference: str, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Skip the occurrences of repeating reminders in the `rest`; pause the one-time reminders in it."""
    if means_all(reference):
        chosen = await own_reminders(ctx, reminders)
    else:
        chosen = (await reminders.find(ctx.chat, ctx.sender, reference),)
    coming = [each for each in chosen if suspended_fires(each.schedule, rest)]
    if means_all(reference):
        coming = [each for each in coming if each.state is ReminderState.ACTIVE]
    elif not coming:
        fires = next_fires(chosen[0].schedule, ctx.now, 1)
        when = date_format.moment(ctx.language, fires[0], ctx.now) if fires else say(ctx.language, "reminder.never")
        raise RequestRefused("not_in_that_time", next=when)
    if not coming:
        raise RequestRefused("nothing_of_yours" if chosen else "no_reminders")
    repeating = [each for each in coming if can_suspend(each.schedule)]
    others = [each for each in coming if each not in repeating]
    if any(each.schedule.rule for each in others) and rest.since > ctx.now:
        raise RequestRefused("nothing_to_skip")

    async def one(reminder: Reminder, ctx: CallContext) -> ToolResult:
        return await rested(rest, reminder, ctx, reminders)

    results = [await to_each(repeating, one, ctx, none="reminder.none")] if repeating else []
    if others:
        stopped = [each for other in others for each in await reminders.pause(ctx.chat, ctx.sender, other.id)]
        results.append(
            await _with_question(morning_after(rest, ctx), _confirm_switch("pause", stopped, ctx), ctx, reminders)
        )
    return joined(results)


async def rested(rest: Suspension, reminder: Reminder, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Skip the occurrences of a repeating reminder in the `rest`.

    Raises:
        RequestRefused: `not_your_reminder`; `rule_never_fires`, nothing is left of it.
    """
    missed = suspended_fires(drop_follow_up(reminder.schedule), rest)
    edit = ReminderEdit(schedule=suspend(reminder.schedule, rest))
    changed = await reminders.edit(ctx.chat, ctx.sender, reminder.id, edit)
    receipts = [Receipt(action="pause", subject=changed.id, undo=put_back(reminder))]
    if changed.state is ReminderState.PAUSED:
        (changed,) = await reminders.resume(ctx.chat, ctx.sender, changed.id)
        receipts.append(Receipt(action="resume", subject=changed.id, undo=inverse("resume", changed)))
    value = {"id": changed.id, "next": [fire.isoformat() for fire in changed.next_fires]}
    return ToolResult(ok=True, text=rest_told(changed, rest, missed, ctx), value=value, receipts=tuple(receipts))


async def resumed(reference: str, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Resume paused reminders, and restore the skipped occurrences of suspended ones."""
    if means_all(reference):
        own = await own_reminders(ctx, reminders)
    else:
        own = (await reminders.find(ctx.chat, ctx.sender, reference),)
    woken = [each for each in own if each.state is ReminderState.ACTIVE and is_suspended(each.schedule, ctx.now)]

    async def one(reminder: Reminder, ctx: CallContext) -> ToolResult:
        edit = ReminderEdit(schedule=resume_suspended(reminder.schedule, ctx.now))
        changed = await reminders.edit(ctx.chat, ctx.sender, reminder.id, edit)
        return changed_told(changed, ctx, "resume", put_back(reminder))

    results = [await to_each(woken, one, ctx, none="reminder.none")] if woken else []
    if not woken or any(each.state is ReminderState.PAUSED for each in own):
        resumed = await reminders.resume(ctx.chat, ctx.sender, reference)
        results.append(_confirm_switch("resume", resumed, ctx))
    return joined(results)


def _confirm_switch(action: str, changed: Sequence[Reminder], ctx: CallContext) -> ToolResult:
    return ToolResult(
        ok=True,
        text="\n".join(told(action, each, ctx) for each in changed),
        value={"ids": [each.id for each in changed]},
        receipts=tuple(Receipt(action=action, subject=each.id, undo=inverse(action, each)) for each in changed),
    )


async def _with_question(
    until: datetime, paused: ToolResult, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Add to `paused` a reminder at the end of the pause that asks whether to resume."""
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


def told(action: str, reminder: Reminder, ctx: CallContext) -> str:
    """Word the change of one reminder, with its next time if there is one."""
    if action == "resume" or (action in {"join", "leave", "done"} and reminder.next_fires):
        return set_confirmed(reminder, ctx, verb=action)
    return say(ctx.language, f"reminder.{action}_told", id=reminder.id, content=reminder.content)


def inverse(action: str, reminder: Reminder) -> UndoStep:
    """Return the step that undoes `action`."""
    arguments: dict[str, object] = {"action": _INVERSES[action], "reminder_id": reminder.id}
    return UndoStep(name="reminder_state", arguments=arguments)
