"""Snooze reminders: repeat recently delivered ones, and postpone the next occurrence of others."""

import re
from collections.abc import Awaitable, Callable
from datetime import datetime, time, timedelta
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from function_calls.functions.reminders.all_of_them import MOST_UNASKED, asked_first, own_reminders, to_each
from function_calls.functions.reminders.answers import changed_told, set_confirmed
from function_calls.functions.reminders.models import ReminderSnoozeArgs, ReminderUpdateArgs
from function_calls.functions.reminders.moves import begun_at, move_to
from function_calls.functions.reminders.occurrences import NEXT
from function_calls.functions.reminders.several import is_of, several_meant
from function_calls.functions.reminders.undo import delete, put_back
from function_calls.functions.reminders.which import spoken_of
from function_calls.language.messages import say
from function_calls.tools.calls import Receipt, ToolResult
from function_calls.tools.context import CallContext
from function_calls.understanding.reading.lexicon import language_of, load_lexicon
from function_calls.understanding.reading.slots import amount
from function_calls.understanding.reminder_times import moment_of, time_reader
from services.history.service import HistoryService
from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule
from services.reminders.model import NewReminder, Reminder, ReminderEdit
from services.reminders.service import ReminderService, once_at

_USUAL: Final = timedelta(minutes=10)
_SAID_TOGETHER: Final = timedelta(hours=1)
"""The age of the reminders that "snooze all" means."""
_SAID_LATELY: Final = timedelta(days=1)
_SHIFT: Final = re.compile(r"[+-]\d{1,4}:[0-5]\d")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")

Change = Callable[..., Awaitable[ToolResult]]


class Until(Struct, frozen=True, kw_only=True):
    """The target of a snooze: `moment`, or `length` after the due time.

    `keeps_clock` says that it is the day of `moment` at the time that the reminder has, `is_again` that a pending
    reminder comes then as well.
    """

    moment: datetime
    length: timedelta | None = None
    keeps_clock: bool = False
    is_again: bool = False

    def of(self, schedule: Schedule, coming: datetime | None, now: datetime) -> datetime:
        """Return the new time of a reminder of `schedule` due at `coming`; None for a delivered one."""
        if self.keeps_clock:
            zone = ZoneInfo(schedule.zone)
            day = self.moment.astimezone(zone).date()
            return datetime.combine(day, clock_of(schedule, now), zone)
        return self.moment if coming is None or self.length is None else coming + self.length


def until_of(words: str | None, ctx: CallContext, *, is_again: bool = False) -> Until:
    """Read the argument `time`: a moment, a length, or the day on which it comes at its own time.

    Raises:
        RequestRefused: `time_not_understood`.
    """
    if not words:
        return Until(moment=ctx.message_time + _USUAL, length=_USUAL, is_again=is_again)
    return Until(
        moment=moment_of(words, ctx),
        length=_length_of(words, ctx),
        keeps_clock=_DATE.fullmatch(words.strip()) is not None,
        is_again=is_again,
    )


async def put_off(reference: str, until: Until, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Snooze the recently delivered reminder; without a reference and a delivery, the one mentioned last.

    Of a repeating reminder only the next occurrence is postponed.

    Raises:
        RequestRefused: as `ReminderService.snooze`.
    """
    if not reference:  # reminders delivered to others meanwhile are not meant
        own = await reminders.recent_deliveries.recent_for(ctx.chat, ctx.sender, _SAID_LATELY)
        reference = own[0].id if own else ""
    try:
        said = await reminders.recent_deliveries.find(ctx.chat, reference)
    except RequestRefused as refusal:
        if reference or refusal.code != "no_reminders":
            raise
        reference, said = (await spoken_of(None, ctx, reminders)).id, None
    try:
        old = await reminders.get(ctx.chat, ctx.sender, reference) if reference else None
    except RequestRefused:
        old = None  # it was delivered lately and is closed, or the service words the error
    if said is None and old is not None:
        return await _snooze_pending(old, until, ctx, reminders)
    schedule = old.schedule if said is None and old is not None else said.schedule if said is not None else None
    moment = until.moment if schedule is None else until.of(schedule, None, ctx.now)
    after = await reminders.snooze(
        ctx.chat, ctx.sender, reference, moment, request_key=ctx.call_id, asked_at=ctx.message_time
    )
    undo = put_back(old) if old is not None and old.id == after.id else delete(after)
    return changed_told(after, ctx, "snoozed", undo)


async def _snooze_pending(old: Reminder, until: Until, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Postpone a pending reminder, a repeating one once; "again … at the same time" delivers it both times."""
    coming = next_fires(old.schedule, ctx.now, 1)
    if until.is_again:
        return await _repeat(old, until.of(old.schedule, None, ctx.now), ctx, reminders)
    moment = until.of(old.schedule, coming[0] if coming else None, ctx.now)
    if coming and old.schedule.rule is not None:
        if old.schedule.rule.is_elapsed:
            schedule = begun_at(once_at(moment, old.schedule.zone), old.schedule)
            changed = await reminders.edit(ctx.chat, ctx.sender, old.id, ReminderEdit(schedule=schedule))
            return changed_told(changed, ctx, "snoozed", put_back(old))
        moved = await move_to(once_at(moment, old.schedule.zone), coming[0], old, ctx, reminders)
        if moved is not None:
            return moved
    after = await reminders.snooze(
        ctx.chat, ctx.sender, old.id, moment, request_key=ctx.call_id, asked_at=ctx.message_time
    )
    return changed_told(after, ctx, "snoozed", put_back(old))


async def put_off_all(
    until: Until, args: ReminderSnoozeArgs, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Snooze all recently delivered reminders, else one's own of today; many, or later ones, need confirmation."""
    change = partial(_snooze_each, until, reminders)
    said = await reminders.recent_deliveries.recent_for(ctx.chat, ctx.sender, _SAID_TOGETHER)
    if said:
        return await to_each(said, change, ctx, none="reminder.none_to_snooze")
    own = await own_reminders(ctx, reminders)
    chosen = todays(own, ctx)
    if own and ctx.approved is None and not 0 < len(chosen) <= MOST_UNASKED:
        arguments = args.model_dump(exclude_none=True)
        return await asked_first("reminder_snooze", arguments, chosen or own, ctx, ask="reminder.put_off_these")
    told = await to_each(chosen or own, change, ctx, none="reminder.none_to_snooze")
    return _with_rest(told, len(own) - len(chosen or own), ctx)


async def put_off_several(
    until: Until, args: ReminderSnoozeArgs, ctx: CallContext, reminders: ReminderService, history: HistoryService
) -> ToolResult | None:
    """Snooze each of "both" or "1 and 3": the recently delivered, if as many; None where one or all are named.

    Raises:
        RequestRefused: as `several_meant`.
    """
    said = await reminders.recent_deliveries.recent_for(ctx.chat, ctx.sender, _SAID_TOGETHER)
    chosen = said if is_of(args.reminder_id, said) else await several_meant(args.reminder_id, ctx, reminders, history)
    change = partial(_snooze_each, until, reminders)
    return await to_each(chosen, change, ctx, none="reminder.none_to_snooze") if chosen else None


async def shifted_all(
    args: ReminderUpdateArgs, change: Change, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Postpone each reminder due today once by an amount; without any, all that this person has set."""
    own = await own_reminders(ctx, reminders)
    chosen = todays(own, ctx)

    async def one(reminder: Reminder, inner: CallContext) -> ToolResult:
        repeats = bool(chosen) and reminder.schedule.rule is not None
        wish = args.model_copy(update={"occurrence": NEXT}) if repeats else args
        return await change(wish, old=reminder, ctx=inner)

    told = await to_each(chosen or own, one, ctx, none="reminder.none")
    return _with_rest(told, len(own) - len(chosen or own), ctx)


def is_shift(words: str | None) -> bool:
    """Return whether the argument `time` is an offset."""
    return _SHIFT.fullmatch(words or "") is not None


def todays(own: tuple[Reminder, ...], ctx: CallContext) -> tuple[Reminder, ...]:
    """Return those of `own` that are due today, in the person's zone."""
    today = ctx.now.astimezone(ctx.zone).date()
    return tuple(each for each in own if any(fire.astimezone(ctx.zone).date() == today for fire in each.next_fires))


async def _snooze_each(until: Until, reminders: ReminderService, said: Reminder, ctx: CallContext) -> ToolResult:
    return await put_off(said.id, until, ctx, reminders)


async def _repeat(old: Reminder, moment: datetime, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Repeat `old` at `moment`; a reminder of somebody else is repeated for the asker alone."""
    is_own = old.creator.id == ctx.sender.id
    again = await reminders.create(
        NewReminder(
            request_key=ctx.call_id,
            address=ctx.chat,
            creator=ctx.sender,
            content=old.content,
            schedule=once_at(moment, old.schedule.zone),
            language=old.language,
            targets=old.targets if is_own else (),
            is_private=ctx.message.is_private,
            is_urgent=old.is_urgent,
            asked_at=ctx.message_time,
        )
    )
    receipt = Receipt(action="set", subject=again.id, undo=delete(again))
    return ToolResult(ok=True, text=set_confirmed(again, ctx), value={"id": again.id}, receipts=(receipt,))


def _with_rest(told: ToolResult, rest: int, ctx: CallContext) -> ToolResult:
    """Append to `told` how many later ones stay unchanged."""
    if not told.receipts or rest <= 0:
        return told
    return replace(told, text="\n".join([told.text, say(ctx.language, "reminder.later_stay", count=rest)]))


def _length_of(words: str, ctx: CallContext) -> timedelta | None:
    """Return the length of time that `words` name; None where they name a moment."""
    language = language_of(words, ctx.language)
    read = partial(time_reader(ctx).parse_all, language=language)
    return amount(words, load_lexicon(language), read, ctx.message_time)


def clock_of(schedule: Schedule, now: datetime) -> time:
    """Return the clock time of a reminder, to the minute."""
    coming = next_fires(schedule, now, 1) if schedule.rule is not None else ()
    start = coming[0].astimezone(ZoneInfo(schedule.zone)) if coming else schedule.start
    return start.time().replace(second=0, microsecond=0, tzinfo=None)
