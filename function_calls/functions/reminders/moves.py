"""Move one occurrence of a repeating reminder."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from function_calls.functions.reminders.answers import changed_told, named, set_confirmed
from function_calls.functions.reminders.changes import changed_schedule, every_time
from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.functions.reminders.occurrences import (
    MOST_A_DAY,
    Occurrences,
    day_of,
    find_occurrences,
    fires_from,
    may_be_one,
    next_of,
    on_day,
    readings_in,
)
from function_calls.functions.reminders.options import Option, which_times
from function_calls.functions.reminders.undo import delete, put_back
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolResult
from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.fires import next_fires
from services.recurrence.rules import with_exceptions
from services.recurrence.schedule import Schedule
from services.reminders.lookup.references import means_all
from services.reminders.model import Reminder, ReminderEdit
from services.reminders.service import ReminderService

_MOST_A_WEEK: Final = 7
_WEEK: Final = timedelta(days=7)


async def moved_once(
    args: ReminderUpdateArgs, old: Reminder, ctx: CallContext, reminders: ReminderService, *, may_ask: bool = True
) -> ToolResult | None:
    """Handle "move tomorrow's standup to 4pm" where the standup repeats; None where all of it is meant.

    An ambiguous request is asked about once, if it `may_ask`.

    Raises:
        RequestRefused: `not_on_that_day(day, next)`, and what `ReminderService.reschedule_occurrence` refuses.
    """
    bare = edits.drop_follow_up(old.schedule)
    counted = await _restart_interval(args, old, bare, ctx, reminders)
    if counted is not None:
        return counted
    from_then = await _move_from_day(args, old, bare, ctx, reminders)
    if from_then is not None:
        return from_then
    found = find_occurrences(args, bare, old.content, ctx)
    if found is None:
        return None
    asked = await ask_which_occurrence(args, old, found, ctx) if may_ask else None
    return asked or await move_to(_goal(args, found.fires[0], bare, ctx), found.fires[0], old, ctx, reminders)


async def ask_which_occurrence(
    args: ReminderUpdateArgs, old: Reminder, found: Occurrences, ctx: CallContext
) -> ToolResult | None:
    """Ask which occurrence is moved, or whether all are; None where one is meant for certain."""
    bare = edits.drop_follow_up(old.schedule)
    fires = found.fires
    always = every_time(args, bare, ctx) if found.is_doubtful else None
    if found.is_doubtful and always is None:  # on several days of the week: which of them is moved?
        fires = tuple(each for each in next_fires(bare, ctx.now, _MOST_A_WEEK) if each - fires[0] < _WEEK) or fires
    goals = [_goal(args, fire, bare, ctx) for fire in fires]
    if always is None and len(goals) == 1:
        return None
    return await _ask(args, old, list(zip(fires, goals, strict=True)), always, ctx)


async def move_to(
    goal: Schedule, fire: datetime, old: Reminder, ctx: CallContext, reminders: ReminderService
) -> ToolResult | None:
    """Move the occurrence of `old` at `fire` to `goal`; None where none follows it.

    Raises:
        RequestRefused: as `ReminderService.reschedule_occurrence`.
    """
    bare = edits.drop_follow_up(old.schedule)
    if bare.rule is None:
        return None
    at = goal.start.replace(tzinfo=ZoneInfo(goal.zone))
    told = {"id": old.id, "content": old.content, "rule": recurrence_text.rule(ctx.language, old)}
    if at.astimezone(UTC) == fire.astimezone(UTC):
        when = date_format.moment(ctx.language, fire, ctx.now)
        return ToolResult(ok=True, text=say(ctx.language, "reminder.comes_then", **told, when=when), is_unchanged=True)
    left = replace(bare, rule=with_exceptions(bare.rule, [fire], days_only=False))
    if not next_fires(left, ctx.now, 1):
        return None
    follow_up = old.schedule.follow_up
    once, kept = replace(goal, follow_up=follow_up), replace(left, follow_up=follow_up)
    series, single = await reminders.reschedule_occurrence(
        ctx.chat, ctx.sender, old.id, once=once, left=kept, request_key=f"{ctx.call_id}/once"
    )
    coming = [date_format.moment(ctx.language, each, ctx.now) for each in next_fires(left, ctx.now, 2)]
    text = say(
        ctx.language,
        "reminder.moved_once",
        **{**named(single, ctx), **told},
        once=single.id,
        when=date_format.moment(ctx.language, at, ctx.now),
        old=date_format.moment(ctx.language, fire, ctx.now),
        fires=say(ctx.language, "rule.joint").join(coming),
    )
    return ToolResult(
        ok=True,
        text=text,
        value={"id": single.id, "next": [each.isoformat() for each in single.next_fires], "series": series.id},
        receipts=(
            Receipt(action="set", subject=single.id, undo=delete(single)),
            Receipt(action="skipped", subject=series.id, undo=put_back(old)),
        ),
    )


async def _restart_interval(
    args: ReminderUpdateArgs, old: Reminder, bare: Schedule, ctx: CallContext, reminders: ReminderService
) -> ToolResult | None:
    """Start a reminder in elapsed hours at the new time; None for a wall-clock rule."""
    if bare.rule is None or not args.time or args.rrule is not None or args.type is not None or args.skip:
        return None
    coming = next_of(bare, ctx)
    if not coming or not bare.rule.is_elapsed:
        return None
    changed = await reminders.edit(
        ctx.chat, ctx.sender, old.id, ReminderEdit(schedule=begun_at(_goal(args, coming[0], bare, ctx), old.schedule))
    )
    return changed_told(changed, ctx, "changed", put_back(old))


def begun_at(start: Schedule, schedule: Schedule) -> Schedule:
    """Return `schedule`, which counts elapsed time, with its first fire at `start`."""
    first = start.start.replace(tzinfo=ZoneInfo(start.zone)).astimezone(ZoneInfo(schedule.zone))
    return replace(schedule, start=first.replace(tzinfo=None))


async def _move_from_day(
    args: ReminderUpdateArgs, old: Reminder, bare: Schedule, ctx: CallContext, reminders: ReminderService
) -> ToolResult | None:
    """Change the clock "from tomorrow on", keeping earlier occurrences; None where that is not requested."""
    if not may_be_one(args, bare, ctx):
        return None
    if args.since:
        day = day_of(args.since, ctx)
        if day is None:
            raise RequestRefused("time_not_understood", time=args.since)
    else:  # "every one" to "4pm tomorrow" starts tomorrow
        day = day_of(args.time or "", ctx) if means_all(args.occurrence or "") else None
        day = day if day is not None and on_day(day, bare, ctx) else None
    clocks = [each.wall.time() for each in readings_in(args.time or "", ctx) if each.has_clock]
    if day is None or len(clocks) != 1:
        return None
    everything = args.model_copy(update={"time": f"{clocks[0]:%H:%M}", "type": None})
    new = changed_schedule(everything, bare, ctx)
    then = fires_from(day, bare, ctx)
    if new is None or not then:
        return None
    # From its own first day on, so that every second week stays the same weeks.
    follow_up = old.schedule.follow_up
    new = replace(new, start=datetime.combine(then[0].date(), clocks[0].replace(tzinfo=None)), follow_up=follow_up)
    before = [fire for fire in next_fires(bare, ctx.now, MOST_A_DAY) if fire.date() < day]
    if not before or bare.rule is None or bare.rule.count is not None:
        changed = await reminders.edit(ctx.chat, ctx.sender, old.id, ReminderEdit(schedule=new))
        return changed_told(changed, ctx, "changed", put_back(old))
    series, single = await reminders.reschedule_occurrence(
        ctx.chat,
        ctx.sender,
        old.id,
        once=new,
        left=replace(edits.end_before(bare, day), follow_up=follow_up),
        request_key=f"{ctx.call_id}/then",
    )
    coming = say(ctx.language, "rule.joint").join(
        date_format.moment(ctx.language, each, ctx.now) for each in before[:3]
    )
    until_then = say(ctx.language, "reminder.until_then", id=series.id, fires=coming)
    return ToolResult(
        ok=True,
        text="\n".join([set_confirmed(single, ctx, verb="changed"), until_then]),
        value={"id": single.id, "until_then": series.id},
        receipts=(
            Receipt(action="set", subject=single.id, undo=delete(single)),
            Receipt(action="changed", subject=series.id, undo=put_back(old)),
        ),
    )


def _goal(args: ReminderUpdateArgs, fire: datetime, old: Schedule, ctx: CallContext) -> Schedule:
    """Return the new time of the occurrence at `fire`, as if the reminder fired only then."""
    once = Schedule(start=fire.astimezone(ZoneInfo(old.zone)).replace(tzinfo=None), zone=old.zone)
    return changed_schedule(args.model_copy(update={"type": None, "occurrence": None}), once, ctx) or once


async def _ask(
    args: ReminderUpdateArgs,
    old: Reminder,
    once: Sequence[tuple[datetime, Schedule]],
    always: Schedule | None,
    ctx: CallContext,
) -> ToolResult:
    """Ask which of `once`, or `always`, is meant; the answer is a number."""
    given = {**args.model_dump(exclude_none=True), "reminder_id": old.id}
    options: list[Option] = []
    for fire, goal in once:
        when = date_format.moment(ctx.language, goal.start.replace(tzinfo=ZoneInfo(goal.zone)), ctx.now)
        options.append(
            Option(
                label=say(
                    ctx.language, "reminder.only_once", when=when, old=date_format.moment(ctx.language, fire, ctx.now)
                ),
                call="reminder_update",
                arguments={**given, "occurrence": f"{fire:%Y-%m-%d %H:%M}"},
                answers=("once",) if len(once) == 1 else (),
            )
        )
    if always is not None:
        rule = recurrence_text.rule(ctx.language, replace(old, schedule=always))
        label = say(ctx.language, "reminder.every_time", rule=rule)
        everything = {**given, "occurrence": "all"}
        options.append(Option(label=label, call="reminder_update", arguments=everything, answers=("always",)))
    return await which_times(old, options, ctx)
