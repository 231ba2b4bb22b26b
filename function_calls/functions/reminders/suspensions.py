"""Pause and resume reminders, indefinitely or for a period."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from msgspec.structs import replace

from function_calls.functions.reminders.answers import (
    apply_schedule,
    confirmation_text,
    delete_step,
    reminder_fields,
    revert_step,
)
from function_calls.functions.reminders.bulk import apply_to_each, merge_results
from function_calls.functions.reminders.creation import draft_reminder
from function_calls.functions.reminders.models import ReminderStateArgs
from function_calls.functions.reminders.references import own_reminders
from function_calls.language import date_format, recurrence_text
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import LANGUAGES, phrases
from function_calls.tools.calls import Receipt, ToolResult, UndoStep
from function_calls.tools.context import CallContext
from function_calls.understanding.reading.lexicon import load_lexicon
from function_calls.understanding.reminder_times import parse_moment, time_reader, zone_name
from services.kernel.errors import RequestRefused
from services.recurrence.edits import (
    Suspension,
    can_suspend,
    drop_follow_up,
    resume_suspended,
    suspend,
    suspended_fires,
)
from services.recurrence.fires import just_before, next_fires
from services.recurrence.rules import WEEKDAYS
from services.recurrence.schedule import Schedule
from services.reminders.lookup.due_words import is_weekend
from services.reminders.lookup.references import is_moved_from, means_all
from services.reminders.model import Reminder, ReminderEdit, ReminderState
from services.reminders.service import ReminderService
from services.time_expressions import Grain, Reading

_DAY: Final = timedelta(days=1)
_DAYS_A_WEEK: Final = 7
_WEEKLY: Final = re.compile("FREQ=WEEKLY;BYDAY=(?P<days>[A-Z]{2}(?:,[A-Z]{2})*)")
_MONTHS: Final = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.YEAR: 12}
_INVERSES: Final[Mapping[str, str]] = {"pause": "resume", "resume": "pause", "join": "leave", "leave": "join"}


def read_suspension_until(words: str, ctx: CallContext) -> Suspension:
    """Return the period from now until `words`; "until Monday" ends when Monday begins.

    Raises:
        RequestRefused: `time_not_understood`, `time_in_past`.
    """
    until = parse_moment(words, ctx)
    reading = _reading(words, ctx)
    if reading is not None and not reading.has_clock and not reading.part:
        until = _midnight(until)
    if until <= ctx.now:
        raise RequestRefused("time_in_past", due=until, now=ctx.now)
    return Suspension(since=ctx.now, until=until)


def read_suspension(words: str, ctx: CallContext) -> Suspension:
    """Return the period that `words` name: "next week", "tomorrow", "Dec 20 to Jan 3", or a length from now.

    Raises:
        RequestRefused: `time_not_understood`, `time_in_past`.
    """
    words = _complete_length(words, ctx)
    reading = _reading(words, ctx)
    stretch = _consecutive_days(reading)
    if stretch is not None:
        return Suspension(since=max(stretch.since, ctx.now), until=stretch.until)
    is_part = reading is not None and bool(reading.part) and not reading.has_day
    if _names_end(words) or reading is None or reading.has_clock or is_part or reading.rrule:
        return read_suspension_until(words, ctx)
    since = _midnight(reading.start)
    return Suspension(since=max(since, ctx.now), until=_end(reading, since, words))


def names_one_moment(words: str, ctx: CallContext) -> bool:
    """Return whether `words` name a clock on a day and no period: "friday's 4pm"."""
    reading = _reading(words, ctx)
    is_moment = reading is not None and reading.has_day and reading.has_clock and reading.end is None
    return is_moment and not _names_end(words)


def _names_end(words: str) -> bool:
    """Return whether `words` begin with "until" or the like, in any language."""
    return any(phrases(language).until.match(words) for language in LANGUAGES)


def resume_question_time(suspension: Suspension, ctx: CallContext) -> datetime:
    """Return the time to ask about resuming; at the default clock time if the suspension ends at midnight."""
    local = suspension.until.astimezone(ctx.zone)
    return parse_moment(f"{local:%Y-%m-%d}", ctx) if local == _midnight(local) else local


def suspension_text(reminder: Reminder, suspension: Suspension, missed: Sequence[datetime], ctx: CallContext) -> str:
    """Return the text of a confirmed suspension: the skipped days and the next fires after it."""
    language = ctx.language
    coming = next_fires(drop_follow_up(reminder.schedule), just_before(suspension.until))
    dates = tuple(dict.fromkeys(date_format.date(language, fire) for fire in (missed[0], missed[-1])))
    key = "reminder.rest_day" if len(dates) == 1 else "reminder.rest_span"
    return say(
        language,
        "reminder.rest_told",
        **reminder_fields(reminder, ctx),
        rule=recurrence_text.rule(language, reminder),
        span=say(language, key, first=dates[0], last=dates[-1]),
        fires=date_format.moments(language, coming, ctx.now),
    )


def _complete_length(words: str, ctx: CallContext) -> str:
    """Return `words`, or "in a week" for "a week", which alone may mean "per week" and is read as no time."""
    ahead = load_lexicon(ctx.language).amount_ahead[0].format(amount=words)
    return ahead if _reading(words, ctx) is None and _reading(ahead, ctx) is not None else words


def _reading(words: str, ctx: CallContext) -> Reading | None:
    return time_reader(ctx).parse(words, ctx.message_time.astimezone(ctx.zone), language=ctx.language).best


def _consecutive_days(reading: Reading | None) -> Suspension | None:
    """Return the next period of consecutive weekdays ("Monday to Friday"); None for another reading."""
    rule = _WEEKLY.fullmatch(reading.rrule or "") if reading is not None else None
    if reading is None or rule is None or reading.has_clock or reading.part:
        return None
    places = [WEEKDAYS.index(day) for day in rule["days"].split(",")]
    if places != list(range(places[0], places[-1] + 1)):
        return None
    first = _midnight(reading.start)
    first += (places[0] - first.weekday()) % _DAYS_A_WEEK * _DAY  # on a Tuesday "Monday to Friday" is next week
    return Suspension(since=first, until=first + len(places) * _DAY)


def _end(reading: Reading, since: datetime, words: str) -> datetime:
    """Return the first moment after the named days."""
    if reading.end is not None:
        return reading.end
    if is_weekend(reading, words):
        return since + 2 * _DAY
    if reading.grain is Grain.WEEK:
        return since + (_DAYS_A_WEEK - since.weekday()) * _DAY
    months = _MONTHS.get(reading.grain)
    if months is None:
        return since + _DAY
    month = since.month - 1 + months
    return since.replace(year=since.year + month // 12, month=month % 12 + 1, day=1)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def requested_suspension(args: ReminderStateArgs, ctx: CallContext) -> Suspension | None:
    """Return the requested period of a pause; None for an indefinite one.

    Raises:
        RequestRefused: `time_not_understood`, `time_in_past`.
    """
    if args.during:
        return read_suspension(args.during, ctx)
    return read_suspension_until(args.until, ctx) if args.until else None


async def pause(reference: str, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Pause reminders indefinitely; one that is paused stays so."""
    own = await _find_all_or_one(reference, ctx, reminders)
    if not means_all(reference) and own[0].state is ReminderState.PAUSED:
        return _unchanged("pause", own[0], ctx)
    return _confirm_switch("pause", await reminders.pause(ctx.chat, ctx.sender, reference), ctx)


async def suspend_reminders(
    suspension: Suspension, reference: str, ctx: CallContext, reminders: ReminderService
) -> ToolResult:
    """Skip the occurrences of repeating reminders in the period `suspension`, and pause one-time reminders due in it.

    Raises:
        RequestRefused: `not_in_that_time(next)`, `nothing_of_yours`, `no_reminders`, `nothing_to_skip`.
    """
    chosen = await _find_all_or_one(reference, ctx, reminders)
    coming = [reminder for reminder in chosen if _comes_in(suspension, reminder)]
    if means_all(reference):
        coming = [reminder for reminder in coming if reminder.state is ReminderState.ACTIVE]
    elif not coming:
        fires = next_fires(chosen[0].schedule, ctx.now, 1)
        when = date_format.moment(ctx.language, fires[0], ctx.now) if fires else say(ctx.language, "reminder.never")
        raise RequestRefused("not_in_that_time", next=when)
    if not coming:
        raise RequestRefused("nothing_of_yours" if chosen else "no_reminders")
    repeating = [reminder for reminder in coming if can_suspend(reminder.schedule)]
    others = [reminder for reminder in coming if reminder not in repeating]
    if any(reminder.schedule.rule for reminder in others) and suspension.since > ctx.now:
        raise RequestRefused("nothing_to_skip")

    change = partial(_suspend_one, suspension=suspension, reminders=reminders)
    results = [await apply_to_each(repeating, change, ctx, none="reminder.none")] if repeating else []
    if others:
        stopped = [paused for one_time in others for paused in await reminders.pause(ctx.chat, ctx.sender, one_time.id)]
        results.append(
            await _ask_at_end(
                resume_question_time(suspension, ctx), _confirm_switch("pause", stopped, ctx), ctx, reminders
            )
        )
    return merge_results(results)


def _comes_in(suspension: Suspension, reminder: Reminder) -> bool:
    """Return whether `reminder` fires in the period `suspension`; False if its rule or its zone cannot be read."""
    with suppress(RequestRefused):
        return bool(suspended_fires(reminder.schedule, suspension))
    return False


async def _find_all_or_one(reference: str, ctx: CallContext, reminders: ReminderService) -> tuple[Reminder, ...]:
    if means_all(reference):
        return await own_reminders(ctx, reminders)
    return (await reminders.find(ctx.chat, ctx.sender, reference),)


async def _suspend_one(
    reminder: Reminder, ctx: CallContext, suspension: Suspension, reminders: ReminderService
) -> ToolResult:
    """Skip the occurrences of a repeating reminder in the period `suspension`.

    Raises:
        RequestRefused: `not_your_reminder`; `rule_never_fires` where no occurrence is left.
    """
    missed = suspended_fires(drop_follow_up(reminder.schedule), suspension)
    edit = ReminderEdit(schedule=suspend(reminder.schedule, suspension))
    changed = await reminders.edit(ctx.chat, ctx.sender, reminder.id, edit)
    receipts = [Receipt(action="pause", subject=changed.id, name=changed.content, undo=revert_step(reminder))]
    if changed.state is ReminderState.PAUSED:
        (changed,) = await reminders.resume(ctx.chat, ctx.sender, changed.id)
        receipts.append(Receipt(action="resume", subject=changed.id, undo=inverse_step("resume", changed)))
    value = {"id": changed.id, "next": [fire.isoformat() for fire in changed.next_fires]}
    return ToolResult(
        ok=True, text=suspension_text(changed, suspension, missed, ctx), value=value, receipts=tuple(receipts)
    )


async def resume(reference: str, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Resume paused reminders, and restore the skipped occurrences of suspended ones, but not those that were moved."""
    own = await _find_all_or_one(reference, ctx, reminders)
    here = await reminders.open_in(ctx.chat)

    def resume_schedule(reminder: Reminder) -> Schedule:
        has_moved = any(is_moved_from(each, reminder) for each in here)
        return resume_suspended(reminder.schedule, ctx.now, days_only=has_moved)

    active = [reminder for reminder in own if reminder.state is ReminderState.ACTIVE]
    suspended = [reminder for reminder in active if resume_schedule(reminder) != reminder.schedule]

    async def resume_one(reminder: Reminder, inner: CallContext) -> ToolResult:
        return await apply_schedule(resume_schedule(reminder), reminder, inner, reminders, verb="resume")

    if not means_all(reference) and active and not suspended:
        return _unchanged("resume", active[0], ctx)
    results = [await apply_to_each(suspended, resume_one, ctx, none="reminder.none")] if suspended else []
    if not suspended or any(reminder.state is ReminderState.PAUSED for reminder in own):
        changed = await reminders.resume(ctx.chat, ctx.sender, reference)
        results.append(_confirm_switch("resume", changed, ctx))
    return merge_results(results)


def _unchanged(action: str, reminder: Reminder, ctx: CallContext) -> ToolResult:
    text = say(ctx.language, f"reminder.{action}_already", id=reminder.id, content=reminder.content)
    return ToolResult(ok=True, text=text, value={"ids": [reminder.id]}, is_unchanged=True)


def _confirm_switch(action: str, changed: Sequence[Reminder], ctx: CallContext) -> ToolResult:
    return ToolResult(
        ok=True,
        text="\n".join(change_text(action, reminder, ctx) for reminder in changed),
        value={"ids": [reminder.id for reminder in changed]},
        receipts=tuple(
            Receipt(action=action, subject=each.id, name=each.content, undo=inverse_step(action, each))
            for each in changed
        ),
    )


async def _ask_at_end(until: datetime, paused: ToolResult, ctx: CallContext, reminders: ReminderService) -> ToolResult:
    """Create a reminder at the end of the pause that asks about resuming, and add it to the result `paused`."""
    ids = [receipt.subject for receipt in paused.receipts]
    which = ids[0] if len(ids) == 1 else say(ctx.language, "reminder.resume_all")
    schedule = Schedule(start=until.replace(tzinfo=None), zone=zone_name(ctx.zone))
    draft = draft_reminder(say(ctx.language, "reminder.pause_over", which=which), schedule, ctx)
    created = await reminders.create(replace(draft, request_key=f"{ctx.call_id}/until"))
    receipt = Receipt(action="set", subject=created.id, undo=delete_step(created))
    text = "\n".join([paused.text, confirmation_text(created, ctx)])
    return replace(paused, text=text, receipts=(*paused.receipts, receipt))


def change_text(action: str, reminder: Reminder, ctx: CallContext) -> str:
    """Return the text of a changed state, with the next fire if there is one."""
    if action == "resume" or (action in {"join", "leave", "done"} and reminder.next_fires):
        return confirmation_text(reminder, ctx, verb=action)
    return say(ctx.language, f"reminder.{action}_told", id=reminder.id, content=reminder.content)


def inverse_step(action: str, reminder: Reminder) -> UndoStep:
    """Return the step that undoes `action`."""
    arguments: dict[str, object] = {"action": _INVERSES[action], "reminder_id": reminder.id}
    return UndoStep(name="reminder_state", arguments=arguments)
