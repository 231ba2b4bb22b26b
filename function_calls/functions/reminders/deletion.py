"""Delete reminders; of a repeating reminder named by a day only that day is skipped."""

from collections.abc import Sequence
from typing import Final

from function_calls.functions.reminders.all_of_them import to_each
from function_calls.functions.reminders.answers import changed_told, which_reminder
from function_calls.functions.reminders.handlers import leave_out
from function_calls.functions.reminders.occurrences import EVERY, NAME_OF_ALL, spoken
from function_calls.functions.reminders.options import Option, which_times
from function_calls.functions.reminders.replies import meant, points
from function_calls.functions.reminders.several import may_mean_all, several_meant, which_asked, with_others_told
from function_calls.functions.reminders.undo import put_back, restore
from function_calls.functions.reminders.which import just_deleted, the_one_spoken_of
from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import FROM_THEN, says, time_reader, zone_name
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.recurrence.edits import end_before
from services.recurrence.fires import next_fires
from services.reminders.lookup.due_words import due_words
from services.reminders.lookup.references import all_of, is_in
from services.reminders.lookup.several import several_in
from services.reminders.model import Reminder, ReminderEdit, row_key
from services.reminders.service import ReminderService
from services.time_expressions import Reading

_DELETE: Final = "reminder_delete"
_MOST_DAYS: Final = 8
_NOT_FOUND: Final = frozenset({"no_reminders", "reminder_unknown"})


async def delete_named(
    reference: str, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """Delete the reminders of `reference`: one, several, all of one's own, or a day of one that repeats."""

    async def one(reminder: Reminder, ctx: CallContext) -> ToolResult:
        return deleted(await reminders.delete(ctx.chat, ctx.sender, reminder.id), ctx)

    try:
        several = await several_meant(reference, ctx, reminders, history)
        if several:
            told = await to_each(several, one, ctx, none="reminder.none")
            return await with_others_told(told, reference, several, ctx, reminders)
        found = await meant(reference, ctx, reminders, history)
        gone = await just_deleted(ctx) if found is None else ()
        if gone:
            return ToolResult.failed("deleted already", text=say(ctx.language, "reminder.gone", ids=", ".join(gone)))
        found = "all" if may_mean_all(found) else found or (await the_one_spoken_of(ctx, reminders)).id
        day_only = await on_that_day_only(found, ctx, reminders)
        return day_only or deleted(await reminders.delete(ctx.chat, ctx.sender, found), ctx)
    except RequestRefused as refusal:
        return await _not_deleted(refusal, reference, ctx, reminders)


async def _not_deleted(
    refusal: RequestRefused, reference: str, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Return the reason why nothing was deleted: the reminder is closed, unknown, or one of several."""
    if points(reference) or several_in(reference) is not None:
        return which_reminder(refusal, "", ctx, ask=which_asked(reference))
    ended = await reminders.recent_deliveries.find_ended(ctx.chat, reference) if refusal.code in _NOT_FOUND else None
    if ended is not None:
        told = say(ctx.language, "reminder.over", id=ended.id, content=ended.content)
        return ToolResult.failed("over", text=told)
    return which_reminder(refusal, reference, ctx, ask="reminder.which")


async def on_that_day_only(reference: str, ctx: CallContext, reminders: ReminderService) -> ToolResult | None:
    """Handle "cancel the standup tomorrow" where the standup repeats; None where all of it is meant.

    Whether "the Monday meeting" of every Monday is to end, or one of them, is asked; an answer to that is not asked
    about again.

    Raises:
        RequestRefused: `not_on_that_day(day, next)`, and as `ReminderService.named` does.
    """
    if ctx.approved is not None or ctx.is_undoing:
        return None
    words = all_of(reference) or reference
    is_id = row_key(reference) is not None and not reference.isalpha()  # "x9h89x" is no hour, "sunday" no id
    read = None if is_id else due_words(words, ctx.message_time, zone_name(ctx.zone), time_reader(ctx))
    if read is None or not any(reading.has_day for reading in read.readings):
        return None
    named = await reminders.named(ctx.chat, ctx.sender, reference)
    if not named or not all(each.schedule.rule is not None for each in named):
        return None
    if any(is_in(each.content, reference) for each in named):
        return None

    async def one(reminder: Reminder, ctx: CallContext) -> ToolResult:
        day = read.readings[0]
        if says(FROM_THEN, words, reminder.content):
            return await _end_before(day, reminder, ctx, reminders)
        if may_mean_every(spoken(day, words), words, reminder):
            return await ask_which_days(reminder, [day], ctx)
        return await leave_out(spoken(day, words) or words, reminder, ctx, reminders)

    return await to_each(named, one, ctx, none="reminder.none")


async def _end_before(day: Reading, old: Reminder, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Let `old` come up to the day before `day`, and no more from then on."""
    left = end_before(old.schedule, day.start.date())
    rule = old.schedule.rule
    if rule is None or rule.count is not None or not next_fires(left, ctx.now, 1):
        return deleted(await reminders.delete(ctx.chat, ctx.sender, old.id), ctx)
    changed = await reminders.edit(ctx.chat, ctx.sender, old.id, ReminderEdit(schedule=left))
    return changed_told(changed, ctx, "changed", put_back(old))


def deleted(gone: Sequence[Reminder], ctx: CallContext) -> ToolResult:
    """Confirm that reminders were deleted, or that setting them was undone."""
    key = "reminder.took_back" if ctx.is_undoing else "reminder.deleted"
    return ToolResult(
        ok=True,
        text="\n".join(say(ctx.language, key, id=each.id, content=each.content) for each in gone),
        value={"deleted": [each.id for each in gone]},
        receipts=tuple(Receipt(action="deleted", subject=each.id, undo=restore(each)) for each in gone),
    )


def may_mean_every(day: str, words: str, reminder: Reminder) -> bool:
    """Return whether the words for a day may mean every such day: "the Monday meeting", "the daily … tomorrow"."""
    is_of_one_weekday = len({fire.weekday() for fire in reminder.next_fires}) == 1
    return says(EVERY, words, reminder.content) or (is_of_one_weekday and NAME_OF_ALL.fullmatch(day) is not None)


async def ask_which_days(reminder: Reminder, days: Sequence[Reading], ctx: CallContext) -> ToolResult:
    """Ask whether to skip one of `days` or to delete the reminder."""
    once = ("once",) if len(days) == 1 else ()
    options = [
        Option(
            label=say(ctx.language, "reminder.only_that_day", day=date_format.date(ctx.language, day.start)),
            call="reminder_update",
            arguments={"reminder_id": reminder.id, "skip": f"{day.start:%Y-%m-%d}"},
            answers=once,
        )
        for day in days[:_MOST_DAYS]
    ]
    gone = Option(
        label=say(ctx.language, "reminder.all_of_it"),
        call=_DELETE,
        arguments={"reminder_id": reminder.id},
        answers=("always",),
    )
    return await which_times(reminder, [*options, gone], ctx)
