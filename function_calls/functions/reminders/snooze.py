"""Snooze reminders: repeat recently delivered ones, and postpone the next occurrence of others."""

import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from function_calls.functions.reminders.answers import apply_schedule, confirm_change, delete_step, revert_step
from function_calls.functions.reminders.bulk import MAX_UNCONFIRMED, apply_to_each, confirm_bulk
from function_calls.functions.reminders.creation import draft_reminder
from function_calls.functions.reminders.models import ReminderSnoozeArgs, ReminderUpdateArgs
from function_calls.functions.reminders.moves import move_fire, start_interval_at
from function_calls.functions.reminders.occurrences import NEXT
from function_calls.functions.reminders.people import change_own_copy
from function_calls.functions.reminders.references import find_mentioned, may_refer_to, own_reminders, resolve_several
from function_calls.functions.reminders.schedule_changes import add_length
from function_calls.language.messages import say
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reading.lexicon import detect_language, load_lexicon
from function_calls.understanding.reading.slots.time_words import parse_amount
from function_calls.understanding.reminder_times import parse_moment, time_reader
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule, schedule_once
from services.reminders.lookup.finder import is_joined
from services.reminders.lookup.several import several_in
from services.reminders.model import Reminder
from services.reminders.service import ReminderService

_DEFAULT_LENGTH: Final = timedelta(minutes=10)
_SENT_FOR_ALL: Final = timedelta(hours=1)
"""The age of deliveries that "snooze all" includes."""
_SENT_LATELY: Final = timedelta(days=1)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")

Change = Callable[..., Awaitable[ToolResult]]


class SnoozeTarget(Struct, frozen=True, kw_only=True):
    """The target of a snooze: `moment`, or `length` after the due time.

    With `keeps_clock` only the day of `moment` counts, and the reminder keeps its clock time. With `is_again` a pending
    reminder is delivered at both times.
    """

    moment: datetime
    length: timedelta | None = None
    keeps_clock: bool = False
    is_again: bool = False

    def time_for(self, schedule: Schedule, coming: datetime | None, now: datetime) -> datetime:
        """Return the new time of a reminder with `schedule` that is due at `coming`, or delivered (None)."""
        if self.keeps_clock:
            zone = ZoneInfo(schedule.zone)
            day = self.moment.astimezone(zone).date()
            return datetime.combine(day, clock_time(schedule, now), zone)
        return self.moment if coming is None or self.length is None else add_length(coming, self.length)


def read_snooze_target(words: str | None, ctx: CallContext, *, is_again: bool = False) -> SnoozeTarget:
    """Parse the argument `time`: a moment, a length, or a day.

    Raises:
        RequestRefused: `time_not_understood`.
    """
    if not words:
        moment = add_length(ctx.message_time, _DEFAULT_LENGTH)
        return SnoozeTarget(moment=moment, length=_DEFAULT_LENGTH, is_again=is_again)
    return SnoozeTarget(
        moment=parse_moment(words, ctx),
        length=_length_of(words, ctx),
        keeps_clock=_DATE.fullmatch(words.strip()) is not None,
        is_again=is_again,
    )


async def snooze(reference: str, until: SnoozeTarget, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Snooze a recently delivered reminder; without a reference and a delivery, the one mentioned last.

    Postpone only the next occurrence of a repeating reminder.

    Raises:
        RequestRefused: as `ReminderService.snooze`.
    """
    if not reference:  # exclude reminders delivered to other people meanwhile
        own = await reminders.recent_deliveries.recent_for(ctx.chat, ctx.sender, _SENT_LATELY)
        reference = own[0].id if own else ""
    try:
        delivered = await reminders.recent_deliveries.find(ctx.chat, reference)
    except RequestRefused as refusal:
        if reference or refusal.code != "no_reminders":
            raise
        reference, delivered = (await find_mentioned(ctx, reminders)).id, None
    try:
        old = await reminders.get(ctx.chat, ctx.sender, reference) if reference else None
    except RequestRefused:
        old = None  # it was delivered and is closed, or `ReminderService.snooze` raises the error
    if delivered is None and old is not None:
        change = partial(_snooze_pending, until=until, ctx=ctx, reminders=reminders)
        is_apart = is_joined(old, ctx.sender) and not until.is_again
        return await (change_own_copy(old, change, ctx, reminders) if is_apart else change(old))
    schedule = None if delivered is None else delivered.schedule
    moment = until.moment if schedule is None else until.time_for(schedule, None, ctx.now)
    after = await reminders.snooze(
        ctx.chat, ctx.sender, reference, moment, request_key=ctx.call_id, asked_at=ctx.message_time
    )
    undo = revert_step(old) if old is not None and old.id == after.id else delete_step(after)
    return confirm_change(after, ctx, "snoozed", undo)


async def _snooze_pending(
    old: Reminder, until: SnoozeTarget, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Postpone a pending reminder (once, if it repeats), or deliver it a second time if `until.is_again`."""
    coming = next_fires(old.schedule, ctx.now, 1)
    if until.is_again:
        return await _repeat(old, until.time_for(old.schedule, None, ctx.now), ctx, reminders)
    moment = until.time_for(old.schedule, coming[0] if coming else None, ctx.now)
    if coming and old.schedule.rule is not None:
        if old.schedule.rule.is_elapsed:
            schedule = start_interval_at(schedule_once(moment, old.schedule.zone), old.schedule)
            return await apply_schedule(schedule, old, ctx, reminders, verb="snoozed")
        moved = await move_fire(schedule_once(moment, old.schedule.zone), coming[0], old, ctx, reminders)
        if moved is not None:
            return moved
    after = await reminders.snooze(
        ctx.chat, ctx.sender, old.id, moment, request_key=ctx.call_id, asked_at=ctx.message_time
    )
    return confirm_change(after, ctx, "snoozed", revert_step(old))


async def snooze_all(
    until: SnoozeTarget, args: ReminderSnoozeArgs, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Snooze all recently delivered reminders, else the sender's own of today; many need a confirmation."""
    change = partial(_snooze_each, until, reminders)
    delivered = await reminders.recent_deliveries.recent_for(ctx.chat, ctx.sender, _SENT_FOR_ALL)
    if delivered:
        return await apply_to_each(delivered, change, ctx, none="reminder.none_to_snooze")
    own = await own_reminders(ctx, reminders)
    chosen = due_today(own, ctx)
    if own and ctx.approved is None and not 0 < len(chosen) <= MAX_UNCONFIRMED:
        arguments = args.model_dump(exclude_none=True)
        return await confirm_bulk("reminder_snooze", arguments, chosen or own, ctx, ask="reminder.put_off_these")
    result = await apply_to_each(chosen or own, change, ctx, none="reminder.none_to_snooze")
    return _append_unchanged_count(result, len(own) - len(chosen or own), ctx)


async def snooze_several(
    until: SnoozeTarget, args: ReminderSnoozeArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult | None:
    """Snooze the reminders in "both" or "1 and 3", recently delivered ones first; None if one or all are named.

    Raises:
        RequestRefused: as `resolve_several`.
    """
    if several_in(args.reminder_id or "") is None:
        return None
    delivered = await reminders.recent_deliveries.recent_for(ctx.chat, ctx.sender, _SENT_FOR_ALL)
    chosen = (
        delivered
        if may_refer_to(args.reminder_id, delivered)
        else await resolve_several(args.reminder_id, ctx, reminders, history)
    )
    change = partial(_snooze_each, until, reminders)
    return await apply_to_each(chosen, change, ctx, none="reminder.none_to_snooze") if chosen else None


async def shift_all(
    args: ReminderUpdateArgs, change: Change, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Shift the sender's reminders due today once; if none is due, shift all of them."""
    own = await own_reminders(ctx, reminders)
    chosen = due_today(own, ctx)

    async def shift_one(reminder: Reminder, inner: CallContext) -> ToolResult:
        is_once = bool(chosen) and reminder.schedule.rule is not None
        own_args = args.model_copy(update={"occurrence": NEXT}) if is_once else args
        return await change(own_args, old=reminder, ctx=inner)

    result = await apply_to_each(chosen or own, shift_one, ctx, none="reminder.none")
    return _append_unchanged_count(result, len(own) - len(chosen or own), ctx)


def due_today(own: tuple[Reminder, ...], ctx: CallContext) -> tuple[Reminder, ...]:
    """Return the reminders of `own` that are due today in the sender's zone."""
    today = ctx.now.astimezone(ctx.zone).date()
    return tuple(
        reminder for reminder in own if any(fire.astimezone(ctx.zone).date() == today for fire in reminder.next_fires)
    )


async def _snooze_each(
    until: SnoozeTarget, reminders: ReminderService, reminder: Reminder, ctx: CallContext
) -> ToolResult:
    return await snooze(reminder.id, until, ctx, reminders)


async def _repeat(old: Reminder, moment: datetime, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Create a copy of `old` at `moment`; a copy of somebody else's reminder is for the sender alone."""
    copy = replace(
        draft_reminder(old.content, schedule_once(moment, old.schedule.zone), ctx),
        language=old.language,
        targets=old.targets if old.creator.id == ctx.sender.id else (),
        is_urgent=old.is_urgent,
        asked_at=ctx.message_time,
    )
    again = await reminders.create(copy)
    return confirm_change(again, ctx, "set", delete_step(again))


def _append_unchanged_count(result: ToolResult, count: int, ctx: CallContext) -> ToolResult:
    """Add the number of later reminders that stay unchanged to `result`."""
    if not result.receipts or count <= 0:
        return result
    return replace(result, text="\n".join([result.text, say(ctx.language, "reminder.later_stay", count=count)]))


def _length_of(words: str, ctx: CallContext) -> timedelta | None:
    """Parse `words` as a length of time; None if they name a moment."""
    language = detect_language(words, ctx.language)
    read = partial(time_reader(ctx).parse_all, language=language)
    # In a zone without clock changes, which would lengthen or shorten it.
    return parse_amount(words, load_lexicon(language), read, ctx.message_time.astimezone(UTC))


def clock_time(schedule: Schedule, now: datetime) -> time:
    """Return the clock time of the next fire, to the minute."""
    coming = next_fires(schedule, now, 1) if schedule.rule is not None else ()
    start = coming[0].astimezone(ZoneInfo(schedule.zone)) if coming else schedule.start
    return start.time().replace(second=0, microsecond=0, tzinfo=None)
