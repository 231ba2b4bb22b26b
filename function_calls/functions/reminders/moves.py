"""Move one occurrence of a repeating reminder."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from function_calls.functions.reminders.answers import (
    Option,
    apply_schedule,
    ask_which_times,
    confirmation_text,
    delete_step,
    reminder_fields,
    revert_step,
)
from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.functions.reminders.occurrences import (
    MAX_PER_DAY,
    Occurrences,
    find_occurrences,
    fires_from,
    fires_of_day,
    may_move_one,
    next_fire,
    read_times,
    single_day,
)
from function_calls.functions.reminders.schedule_changes import move_every_fire, new_schedule, split_clock
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolResult
from function_calls.tools.context import CallContext
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.fires import next_fires
from services.recurrence.rules import with_exceptions
from services.recurrence.schedule import Schedule, schedule_once
from services.reminders.lookup.references import means_all
from services.reminders.model import Reminder
from services.reminders.service import ReminderService

_MAX_PER_WEEK: Final = 7
_WEEK: Final = timedelta(days=7)


async def move_occurrence(
    args: ReminderUpdateArgs, old: Reminder, ctx: CallContext, reminders: ReminderService, *, may_ask: bool = True
) -> ToolResult | None:
    """Handle "move tomorrow's standup to 4pm" if the standup repeats; None if the whole series is to be moved.

    With `may_ask`, an ambiguous request leads to a question.

    Raises:
        RequestRefused: `not_on_that_day(day, next)`, and as `ReminderService.reschedule_occurrence`.
    """
    bare = edits.drop_follow_up(old.schedule)
    restarted = await _restart_interval(args, old, bare, ctx, reminders)
    if restarted is not None:
        return restarted
    split = await _move_from_day(args, old, bare, ctx, reminders) or await _split_clock(args, old, bare, ctx, reminders)
    if split is not None:
        return split
    found = find_occurrences(args, bare, old.content, ctx)
    if found is None:
        return None
    question = await ask_which_occurrence(args, old, found, ctx) if may_ask else None
    return question or await move_fire(_new_time(args, found.fires[0], bare, ctx), found.fires[0], old, ctx, reminders)


async def ask_which_occurrence(
    args: ReminderUpdateArgs, old: Reminder, found: Occurrences, ctx: CallContext
) -> ToolResult | None:
    """Ask whether to move one of the occurrences or all; None if only one can be meant."""
    bare = edits.drop_follow_up(old.schedule)
    fires = found.fires
    always = move_every_fire(args, bare, ctx) if found.is_doubtful else None
    if found.is_doubtful and always is None:  # it repeats on several days of the week, so offer each of them
        fires = tuple(fire for fire in next_fires(bare, ctx.now, _MAX_PER_WEEK) if fire - fires[0] < _WEEK) or fires
    goals = [_new_time(args, fire, bare, ctx) for fire in fires]
    if always is None and len(goals) == 1:
        return None
    return await _ask(args, old, list(zip(fires, goals, strict=True)), always, ctx)


async def move_fire(
    goal: Schedule, fire: datetime, old: Reminder, ctx: CallContext, reminders: ReminderService
) -> ToolResult | None:
    """Move the occurrence of `old` at `fire` to `goal`; None if it is the last one.

    Raises:
        RequestRefused: as `ReminderService.reschedule_occurrence`.
    """
    bare = edits.drop_follow_up(old.schedule)
    if bare.rule is None:
        return None
    at = goal.start.replace(tzinfo=ZoneInfo(goal.zone))
    fields = {"id": old.id, "content": old.content, "rule": recurrence_text.rule(ctx.language, old)}
    if at.astimezone(UTC) == fire.astimezone(UTC):
        when = date_format.moment(ctx.language, fire, ctx.now)
        return ToolResult(
            ok=True, text=say(ctx.language, "reminder.comes_then", **fields, when=when), is_unchanged=True
        )
    left = replace(bare, rule=with_exceptions(bare.rule, [fire], days_only=False))
    if not next_fires(left, ctx.now, 1):
        return None
    series, single = await _set_apart(goal, left, old, "once", ctx, reminders)
    text = say(
        ctx.language,
        "reminder.moved_once",
        **{**reminder_fields(single, ctx), **fields},
        once=single.id,
        when=date_format.moment(ctx.language, at, ctx.now),
        old=date_format.moment(ctx.language, fire, ctx.now),
        fires=date_format.moments(ctx.language, next_fires(left, ctx.now, 2), ctx.now),
    )
    return ToolResult(
        ok=True,
        text=text,
        value={"id": single.id, "next": [fire.isoformat() for fire in single.next_fires], "series": series.id},
        receipts=_list_receipts(series, single, old, action="skipped"),
    )


async def _restart_interval(
    args: ReminderUpdateArgs, old: Reminder, bare: Schedule, ctx: CallContext, reminders: ReminderService
) -> ToolResult | None:
    """Restart a reminder that counts elapsed time at the new time; None for a wall-clock rule."""
    if bare.rule is None or not args.time or args.rrule is not None or args.type is not None or args.skip:
        return None
    coming = next_fire(bare, ctx)
    if not coming or not bare.rule.is_elapsed:
        return None
    schedule = start_interval_at(_new_time(args, coming[0], bare, ctx), old.schedule)
    return await apply_schedule(schedule, old, ctx, reminders)


def start_interval_at(start: Schedule, schedule: Schedule) -> Schedule:
    """Return `schedule`, whose rule counts elapsed time, with its first fire at `start`."""
    first = start.start.replace(tzinfo=ZoneInfo(start.zone)).astimezone(ZoneInfo(schedule.zone))
    return replace(schedule, start=first.replace(tzinfo=None))


async def _move_from_day(
    args: ReminderUpdateArgs, old: Reminder, bare: Schedule, ctx: CallContext, reminders: ReminderService
) -> ToolResult | None:
    """Change the clock time from a day on ("from tomorrow on at 4pm"); None if no such day is given."""
    if not may_move_one(args.model_copy(update={"rrule": None}) if args.since else args, bare, ctx):
        return None
    if args.since:
        day = single_day(args.since, ctx)
        if day is None:
            raise RequestRefused("time_not_understood", time=args.since)
    else:  # "every one" to "4pm tomorrow" starts tomorrow
        day = single_day(args.time or "", ctx) if means_all(args.occurrence or "") else None
        day = day if day is not None and fires_of_day(day, bare, ctx) else None
    clocks = [reading.wall.time() for reading in read_times(args.time or "", ctx) if reading.has_clock]
    if day is None or len(clocks) != 1:
        return None
    everything = args.model_copy(update={"time": f"{clocks[0]:%H:%M}", "type": None})
    new = new_schedule(everything, bare, ctx)
    then = fires_from(day, bare, ctx)
    if new is None or not then:
        return None
    # Start at its own first day, so that a rule for every second week keeps its weeks.
    start = datetime.combine(then[0].date(), clocks[0].replace(tzinfo=None))
    new = replace(new, start=start, follow_up=old.schedule.follow_up)
    before = [fire for fire in next_fires(bare, ctx.now, MAX_PER_DAY) if fire.date() < day]
    if not before or bare.rule is None or bare.rule.count is not None:
        return await apply_schedule(new, old, ctx, reminders)
    series, single = await _set_apart(new, edits.end_before(bare, day), old, "then", ctx, reminders)
    coming = date_format.moments(ctx.language, before[:3], ctx.now)
    until_then = say(ctx.language, "reminder.until_then", id=series.id, fires=coming)
    return ToolResult(
        ok=True,
        text="\n".join([confirmation_text(single, ctx, verb="changed"), until_then]),
        value={"id": single.id, "until_then": series.id},
        receipts=_list_receipts(series, single, old),
    )


async def _set_apart(
    single: Schedule, left: Schedule, old: Reminder, key: str, ctx: CallContext, reminders: ReminderService
) -> tuple[Reminder, Reminder]:
    """Set a reminder at `single` and leave `old` at `left`, both with its follow-ups; return `old` and the new one.

    `key` tells it apart from other reminders of the same call.
    """
    once, rest = (replace(schedule, follow_up=old.schedule.follow_up) for schedule in (single, left))
    request_key = f"{ctx.call_id}/{key}"
    return await reminders.reschedule_occurrence(
        ctx.chat, ctx.sender, old.id, once=once, left=rest, request_key=request_key
    )


def _list_receipts(
    series: Reminder, single: Reminder, old: Reminder, *, action: str = "changed"
) -> tuple[Receipt, Receipt]:
    """Return the receipts of the reminder `single` that was set apart from `old`, and of the rest, the `series`."""
    return (
        Receipt(action="set", subject=single.id, name=single.content, undo=delete_step(single)),
        Receipt(action=action, subject=series.id, name=old.content, undo=revert_step(old)),
    )


async def _split_clock(
    args: ReminderUpdateArgs, old: Reminder, bare: Schedule, ctx: CallContext, reminders: ReminderService
) -> ToolResult | None:
    """Set a reminder of its own for a new clock that one rule cannot have beside the others; None for any other change.

    10:50 and 17:30 every day are two rules: hours and minutes of a rule are all combined.
    """
    if not may_move_one(args, bare, ctx) or args.occurrence or args.since:
        return None
    parted = split_clock(args.time or "", bare, ctx)
    if parted is None:
        return None
    series, single = await _set_apart(*parted, old, "clock", ctx, reminders)
    texts = [confirmation_text(each, ctx, verb="changed") for each in (single, series)]
    return ToolResult(
        ok=True,
        text="\n".join(texts),
        value={"id": single.id, "series": series.id},
        receipts=_list_receipts(series, single, old),
    )


def _new_time(args: ReminderUpdateArgs, fire: datetime, old: Schedule, ctx: CallContext) -> Schedule:
    """Return the new time of the occurrence at `fire`, computed as for a one-time reminder."""
    once = schedule_once(fire, old.zone)
    return new_schedule(args.model_copy(update={"type": None, "occurrence": None}), once, ctx) or once


async def _ask(
    args: ReminderUpdateArgs,
    old: Reminder,
    once: Sequence[tuple[datetime, Schedule]],
    always: Schedule | None,
    ctx: CallContext,
) -> ToolResult:
    """Ask the person to choose one of the moves in `once`, or `always` for every occurrence."""
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
    return await ask_which_times(old, options, ctx)
