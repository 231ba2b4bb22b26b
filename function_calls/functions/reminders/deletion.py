"""Delete reminders, or skip single days of repeating reminders that are named by a day."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from function_calls.functions.reminders.answers import (
    Option,
    apply_schedule,
    ask_which_reminder,
    ask_which_times,
    restore_step,
)
from function_calls.functions.reminders.bulk import apply_to_each
from function_calls.functions.reminders.handlers import skip_day
from function_calls.functions.reminders.handlers_states import finish_join_or_leave
from function_calls.functions.reminders.occurrences import EVERY, NAME_OF_ALL, day_words, read_due_day
from function_calls.functions.reminders.references import (
    append_others_count,
    find_just_deleted,
    find_only_mentioned,
    is_pronoun,
    may_mean_all,
    resolve_reference,
    resolve_several,
    which_question_key,
)
from function_calls.language import date_format
from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reminder_times import FROM_THEN, has_words_outside
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.recurrence.edits import end_before
from services.recurrence.fires import next_fires
from services.reminders.lookup.finder import is_joined
from services.reminders.lookup.references import all_of, is_in, means_all
from services.reminders.lookup.several import several_in
from services.reminders.model import Reminder
from services.reminders.service import ReminderService
from services.time_expressions import Reading

_DELETE: Final = "reminder_delete"
_MAX_DAYS: Final = 8
_NOT_FOUND: Final = frozenset({"no_reminders", "reminder_unknown"})


async def delete_named(
    reference: str, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult:
    """Delete the reminders that `reference` names: one, several, or all of the sender's own.

    The sender only leaves one that they joined. For a repeating reminder and a day ("tomorrow's standup") only that
    day is skipped.
    """

    async def delete_one(reminder: Reminder, ctx: CallContext) -> ToolResult:
        if is_joined(reminder, ctx.sender):
            return await finish_join_or_leave("leave", reminder.id, ctx, reminders, history)
        return confirm_deletion(await reminders.delete(ctx.chat, ctx.sender, reminder.id), ctx)

    try:
        several = await resolve_several(reference, ctx, reminders, history)
        if several:
            result = await apply_to_each(several, delete_one, ctx, none="reminder.none")
            return await append_others_count(result, reference, several, ctx, reminders)
        found = await resolve_reference(reference, ctx, reminders, history)
        gone = await find_just_deleted(ctx) if found is None else ()
        if gone:
            return ToolResult.failed("deleted already", text=say(ctx.language, "reminder.gone", ids=", ".join(gone)))
        found = "all" if may_mean_all(found) else found or (await find_only_mentioned(ctx, reminders)).id
        day_only = await delete_day_only(found, ctx, reminders, history)
        named = () if day_only or means_all(found) else await reminders.find_named(ctx.chat, ctx.sender, found)
        if len(named) == 1:
            return await delete_one(named[0], ctx)
        return day_only or confirm_deletion(await reminders.delete(ctx.chat, ctx.sender, found), ctx)
    except RequestRefused as refusal:
        return await _explain_failure(refusal, reference, ctx, reminders)


async def _explain_failure(
    refusal: RequestRefused, reference: str, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Return the answer to a refused deletion: the reminder is over, unknown, or one of several."""
    if is_pronoun(reference) or several_in(reference) is not None:
        return await ask_which_reminder(refusal, "", ctx, reminders, ask=which_question_key(reference))
    ended = await reminders.recent_deliveries.find_ended(ctx.chat, reference) if refusal.code in _NOT_FOUND else None
    if ended is not None:
        return ToolResult.failed("over", text=say(ctx.language, "reminder.over", id=ended.id, content=ended.content))
    return await ask_which_reminder(refusal, reference, ctx, reminders, ask="reminder.which")


async def delete_day_only(
    reference: str, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult | None:
    """Skip the day in "cancel the standup tomorrow" if the standup repeats; None if `reference` names no day of it.

    "The Monday meeting" of every Monday is ambiguous and leads to a question. A confirmed call is not questioned again.

    Raises:
        RequestRefused: `not_on_that_day(day, next)`, and as `ReminderService.find_named`.
    """
    if ctx.approved is not None or ctx.is_undoing:
        return None
    words, read = all_of(reference) or reference, read_due_day(reference, ctx)
    if read is None:
        return None
    named = await reminders.find_named(ctx.chat, ctx.sender, reference)
    if not named or not all(reminder.schedule.rule is not None for reminder in named):
        return None
    if any(is_in(reminder.content, reference) for reminder in named):
        return None

    async def skip_or_end(reminder: Reminder, ctx: CallContext) -> ToolResult:
        day = read.readings[0]
        if has_words_outside(FROM_THEN, words, reminder.content):
            return await _end_before(day, reminder, ctx, reminders)
        if may_mean_every(day_words(day, words), words, reminder):
            return await ask_which_days(reminder, [day], ctx)
        return await skip_day(day_words(day, words) or words, reminder, ctx, reminders, history)

    return await apply_to_each(named, skip_or_end, ctx, none="reminder.none")


async def _end_before(day: Reading, old: Reminder, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """End `old` before `day`; delete it if no occurrence is left."""
    if has_nothing_before(day.start.date(), old, ctx):
        return confirm_deletion(await reminders.delete(ctx.chat, ctx.sender, old.id), ctx)
    return await apply_schedule(end_before(old.schedule, day.start.date()), old, ctx, reminders)


def has_nothing_before(day: date, old: Reminder, ctx: CallContext) -> bool:
    """Return whether `old` is deleted if it ends before `day`: no fire is left, or its rule counts its fires."""
    rule = old.schedule.rule
    return rule is None or rule.count is not None or not next_fires(end_before(old.schedule, day), ctx.now, 1)


def confirm_deletion(gone: Sequence[Reminder], ctx: CallContext) -> ToolResult:
    """Confirm the deletion of reminders, or the undoing of their creation."""
    key = "reminder.took_back" if ctx.is_undoing else "reminder.deleted"
    return ToolResult(
        ok=True,
        text="\n".join(say(ctx.language, key, id=reminder.id, content=reminder.content) for reminder in gone),
        value={"deleted": [reminder.id for reminder in gone]},
        receipts=tuple(
            Receipt(action="deleted", subject=reminder.id, name=reminder.content, undo=restore_step(reminder))
            for reminder in gone
        ),
    )


def may_mean_every(day: str, words: str, reminder: Reminder) -> bool:
    """Return whether `words` with a `day` may mean every such day: "the Monday meeting", "the daily … tomorrow"."""
    is_of_one_weekday = len({fire.weekday() for fire in reminder.next_fires}) == 1
    return has_words_outside(EVERY, words, reminder.content) or (
        is_of_one_weekday and NAME_OF_ALL.fullmatch(day) is not None
    )


async def ask_which_days(reminder: Reminder, days: Sequence[Reading], ctx: CallContext) -> ToolResult:
    """Ask the person to choose between skipping one of `days` and deleting the reminder."""
    once = ("once",) if len(days) == 1 else ()
    options = [
        Option(
            label=say(ctx.language, "reminder.only_that_day", day=date_format.date(ctx.language, day.start)),
            call="reminder_update",
            arguments={"reminder_id": reminder.id, "skip": f"{day.start:%Y-%m-%d}"},
            answers=once,
        )
        for day in days[:_MAX_DAYS]
    ]
    delete_all = Option(
        label=say(ctx.language, "reminder.all_of_it"),
        call=_DELETE,
        arguments={"reminder_id": reminder.id},
        answers=("always",),
    )
    return await ask_which_times(reminder, [*options, delete_all], ctx)
