"""Compare calls that change, delete, snooze or list reminders with the message."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from msgspec.structs import replace

from function_calls.functions.reminders.deletion import ask_which_days, has_nothing_before, may_mean_every
from function_calls.functions.reminders.models import ReminderSnoozeArgs, ReminderStateArgs, ReminderUpdateArgs
from function_calls.functions.reminders.moves import ask_which_occurrence
from function_calls.functions.reminders.occurrences import (
    EVERY,
    LONG_SHIFT,
    NAME_OF_ALL,
    NEXT,
    Occurrences,
    day_words,
    fires_of_day,
    has_fire_on,
    is_on_one_weekday,
    may_move_one,
    named_days,
    next_fire,
    occurrences_on,
    read_due_day,
    read_times,
    single_day,
)
from function_calls.functions.reminders.references import may_mean_all
from function_calls.functions.reminders.schedule_changes import add_length, choose_nearer_half, is_shift, names_last_day
from function_calls.functions.reminders.snooze import read_snooze_target
from function_calls.grounding.corrections import READ, Grounded, as_written, correct_arguments
from function_calls.grounding.leftovers import ask_about_leftover
from function_calls.grounding.message import PART, ReadMessage
from function_calls.grounding.new_reminders import names_only_a_day, names_same_time
from function_calls.grounding.references import correct_name, name_together, resolve_target, with_days_of_message
from function_calls.grounding.times import cross_check
from function_calls.language.recognized_phrases import (
    change_words,
    every_language,
    folded,
    is_clock,
    is_clock_without_half,
)
from function_calls.models import ReminderArgs, ReminderDeleteArgs, ReminderListArgs
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import CallContext
from function_calls.understanding.reading.named_weekdays import names_weekday
from function_calls.understanding.reminder_times import (
    FROM_THEN,
    format_time,
    has_words_outside,
    parse_clock,
    parse_moment,
    schedule_of_call,
    time_reader,
)
from services.kernel.errors import RequestRefused
from services.recurrence import edits
from services.recurrence.schedule import Schedule
from services.reminders.lookup.references import means_all
from services.reminders.model import Reminder

_DELETE: Final = "reminder_delete"
_UPDATE: Final = "reminder_update"
_DAY: Final = timedelta(days=1)
_EXACT: Final = timedelta(minutes=1)


async def ground_list(call: ToolCall, args: ReminderListArgs, message: ReadMessage, _: CallContext) -> Grounded:
    """Limit a list to one's own reminders, where the message asks for "my reminders"."""
    text = folded(message.text)
    every = tuple(every_language())
    is_own = any(each.own.search(text) for each in every) and not any(each.common.search(text) for each in every)
    return Grounded(call=correct_arguments(call, {"whose": "mine"}) if is_own and args.whose is None else call)


async def ground_state(call: ToolCall, args: ReminderStateArgs, message: ReadMessage, ctx: CallContext) -> Grounded:
    """Correct the reminder of a `reminder_state` call."""
    return Grounded(call=correct_arguments(call, {"reminder_id": await correct_name(args.reminder_id, message, ctx)}))


async def ground_delete(call: ToolCall, args: ReminderDeleteArgs, message: ReadMessage, ctx: CallContext) -> Grounded:
    """Correct which reminders are deleted, or which day of a repeating one: then the call becomes a change of it."""
    target = await resolve_target(_DELETE, args.reminder_id, message, ctx)
    reference = target.reference or ""
    if may_mean_all(reference) and (target.one is None or means_all(reference)):
        reference = with_days_of_message(reference, _DELETE, message, ctx)
        return Grounded(call=correct_arguments(call, {"reminder_id": reference}))
    call = correct_arguments(call, {"reminder_id": reference})
    if not target.reminders or read_due_day(reference, ctx) is not None:
        return Grounded(call=call)
    if any(each.schedule.rule is None for each in target.reminders):
        return Grounded(call=call)
    return await _ground_day(call, target.reminders, message.parts_for(_DELETE), ctx)


async def _ground_day(call: ToolCall, olds: tuple[Reminder, ...], clauses: Sequence[str], ctx: CallContext) -> Grounded:
    """Limit the deletion of repeating reminders to the day that the message names."""
    old = olds[0]
    named = [(day, words) for words in clauses for day in named_days(words, old.content, ctx)]
    if not named:
        return Grounded(call=call)
    day, words = named[0]
    if any(has_words_outside(FROM_THEN, each, old.content) for each in clauses):
        last = day.start.date() - _DAY
        is_ended = any(has_nothing_before(day.start.date(), each, ctx) for each in olds)
        return Grounded(call=call if is_ended else _as_update(call, "until", last))
    if len(named) > 1 or may_mean_every(day_words(day, words), words, old):
        coming = [each for each, _ in named if has_fire_on(each.start.date(), old, ctx)]
        question = await ask_which_days(old, coming, ctx) if coming and len(olds) == 1 else None
        return Grounded(call=call, instead_of_call=question)
    return Grounded(call=_as_update(call, "skip", day.start.date()))


def _as_update(call: ToolCall, argument: str, day: date) -> ToolCall:
    """Return the deletion `call` as a change of the reminder's days."""
    arguments = {**call.arguments, argument: f"{day:%Y-%m-%d}"}
    steps = (*call.repairs, f"/name: {_UPDATE}, for one day", f"/{argument}: {READ}")
    return replace(call, name=_UPDATE, arguments=arguments, repairs=steps)


async def ground_snooze(call: ToolCall, args: ReminderSnoozeArgs, message: ReadMessage, ctx: CallContext) -> Grounded:
    """Correct which reminder is snoozed, and whether for a length, to the same clock, or in addition."""
    reference = await correct_name(name_together(args.reminder_id, message), message, ctx)
    text = ctx.message.text
    is_again = change_words().again.search(text) is not None
    changes: dict[str, object] = {"reminder_id": reference}
    if is_again:
        changes["again"] = True
    if args.time:
        moment = parse_moment(args.time, ctx)
        if names_same_time(ctx) or (is_again and names_only_a_day(ctx)):
            changes["time"] = f"{moment:%Y-%m-%d}"
        else:
            pieces = message.pieces("snooze", "LATER", "WHEN")
            changes["time"] = next((words for words in pieces if _is_length(words, moment, ctx)), args.time)
    return Grounded(call=correct_arguments(call, changes))


def _is_length(words: str, moment: datetime, ctx: CallContext) -> bool:
    """Return whether `words` name the length of time until `moment`."""
    try:
        length = read_snooze_target(words, ctx).length
    except RequestRefused:
        return False
    return length is not None and abs(add_length(ctx.message_time, length) - moment.astimezone(UTC)) <= _EXACT


async def ground_update(call: ToolCall, args: ReminderUpdateArgs, message: ReadMessage, ctx: CallContext) -> Grounded:
    """Correct which reminder is changed, its new time, and which of its occurrences get it."""
    question = await ask_about_leftover(call, args.content or args.added, None, (), ctx)
    if question is not None:
        return Grounded(call=call, instead_of_call=question)
    target = await resolve_target(_UPDATE, args.reminder_id, message, ctx)
    old, text = target.one, ctx.message.text
    changes: dict[str, object] = {"reminder_id": target.reference, "person": as_written(args.person, text)}
    args = args.model_copy(update=changes)
    if args.time and args.type == "once" and not has_words_outside(change_words().only, text, ""):
        changes["type"] = None
    if args.time and not args.skip:
        changes["time"] = _new_time(args, old, message, ctx)
    args = args.model_copy(update=changes)
    if old is not None and args.time:
        occurrences = _occurrences(args, old, ctx)
        if isinstance(occurrences, Occurrences):
            question = await ask_which_occurrence(args, old, occurrences, ctx)
            return Grounded(call=correct_arguments(call, changes), instead_of_call=question)
        changes |= occurrences
    elif args.time and target.reminders:
        changes |= _days_of_change(args, ctx)
    return Grounded(call=correct_arguments(call, changes))


def _new_time(args: ReminderUpdateArgs, old: Reminder | None, message: ReadMessage, ctx: CallContext) -> str | None:
    """Return the new time, as far as the message names it: a day or a clock alone, and the day that it says."""
    time = args.time or ""
    named = [each for each in read_times(time, ctx) if each.has_day and each.rrule is None]
    if len(named) == 1 and names_same_time(ctx):
        return f"{named[0].start:%Y-%m-%d}"
    if is_shift(time) or parse_clock(time) or args.rrule is not None or args.type in {"daily", "weekly"}:
        return args.time
    if old is None or message.pieces("move", "LATER"):  # "an hour later" than the reminder, not than now
        return args.time
    if len(named) == 1 and named[0].has_clock and _is_day_of_content(named[0].start.date(), old.content, ctx):
        return f"{named[0].wall:%H:%M}"
    words = _words_of_time(args, message)
    clock = "" if is_clock(time) else _only_clock(words, old.schedule, ctx)
    if clock:
        return clock
    if len(named) == 1 and not (named[0].has_clock or named[0].part):
        return _last_day_of_month(words, ctx) or args.time
    return _time_of_message(args, words, ctx)


def _is_day_of_content(day: date, content: str, ctx: CallContext) -> bool:
    """Return whether the message names `day` only within `content`: "the Monday report … to 5pm"."""
    text = ctx.message.text
    named = [each for each in read_times(text, ctx) if each.has_day and each.start.date() == day]
    return bool(named) and all(each.start.date() != day for each in named_days(text, content, ctx))


def _words_of_time(args: ReminderUpdateArgs, message: ReadMessage) -> str:
    """Return the words of the new time, or else the message without the reminder's reference.

    "Reminder 1 to 6pm" and "the lift one to 12:30" are no times from one; "make it 4, they close at 5" means 4.
    """
    parts = message.parts_for(_UPDATE)
    times = message.pieces("move", "WHEN") if parts == (message.text,) else []
    if times:
        return ", ".join(times)
    words = parts[0] if len(parts) == 1 else message.text
    return words.replace(args.reminder_id, " ", 1) if args.reminder_id else words


def _only_clock(words: str, old: Schedule, ctx: CallContext) -> str:
    """Return the clock that `words` name, where they name nothing else; a bare one in the half nearer to `old`."""
    found = read_times(words, ctx)
    if len(found) != 1:
        return ""
    reading = found[0]
    clock_words = "".join(words[start:end] for start, end in reading.spans).strip()
    if reading.rrule or not is_clock(clock_words):
        return ""
    clock = reading.start.time().replace(tzinfo=None)
    return f"{choose_nearer_half(clock, old.start.time()) if is_clock_without_half(clock_words) else clock:%H:%M}"


def _last_day_of_month(words: str, ctx: CallContext) -> str:
    """Return the words of the last day of a month, where the message names it."""
    if not names_last_day(words, ctx):
        return ""
    return next((day_words(each, words) for each in read_times(words, ctx) if each.has_day), "")


def _time_of_message(args: ReminderUpdateArgs, words: str, ctx: CallContext) -> str | None:
    """Return the time of the message where that is clear and another one than the call's."""
    wish = ReminderArgs(type="once", time=args.time or "", content="")
    proposed = schedule_of_call(wish, ctx)
    verdict = cross_check(
        proposed, words, now=ctx.message_time, zone=ctx.zone, language=ctx.language, times=time_reader(ctx)
    )
    if verdict.schedule == proposed or verdict.schedule.rule is not None:
        return args.time
    return format_time(verdict.schedule.start)


def _occurrences(args: ReminderUpdateArgs, old: Reminder, ctx: CallContext) -> Occurrences | dict[str, object]:
    """Return the arguments that say which occurrences of `old` get the new time, or those that may be meant."""
    bare = edits.drop_follow_up(old.schedule)
    is_settled = args.occurrence or args.since or bare.rule is None or bare.rule.is_elapsed
    if is_settled or not may_move_one(args, bare, ctx):
        return {}
    text, content = ctx.message.text, old.content
    if has_words_outside(FROM_THEN, text, content):
        return _days_of_change(args, ctx, content)
    words = _words_with_day(args, content, ctx)
    new_day = single_day(args.time or "", ctx)
    named = named_days(words, content, ctx)
    others = [day for day in named if new_day is None or day.start.date() != new_day]
    is_only, is_every = (has_words_outside(pattern, text, content) for pattern in (change_words().only, EVERY))
    if not (new_day or others):
        return {"occurrence": NEXT} if LONG_SHIFT.fullmatch(args.time or "") and is_only else {}
    is_name = any(_is_weekday(day_words(day, words), ctx) for day in named) and is_on_one_weekday(bare, ctx)
    if is_name and not is_only:  # "the Monday one at 10", "move it to Tuesday"
        return {"occurrence": "all"}
    if others:
        fires, is_doubtful = occurrences_on(others[0], bare, ctx), False
    else:
        fires = fires_of_day(new_day, bare, ctx) if new_day else ()
        is_doubtful = is_every or not fires
    fires = fires or next_fire(bare, ctx)
    if is_doubtful and not is_only:
        return Occurrences(fires=fires, is_doubtful=True)
    return {"occurrence": f"{fires[0]:%Y-%m-%d %H:%M}" if len(fires) == 1 else f"{fires[0]:%Y-%m-%d}"}


def _is_weekday(words: str, ctx: CallContext) -> bool:
    """Return whether `words` name a weekday, with or without a clock, and not one of a certain week."""
    read = time_reader(ctx).parse_all
    return NAME_OF_ALL.fullmatch(words) is not None or names_weekday(words, ctx.message_time, ctx.language, read)


def _days_of_change(args: ReminderUpdateArgs, ctx: CallContext, content: str = "") -> dict[str, object]:
    """Return from which day on the new time holds, or the day of the occurrence that gets it."""
    text = ctx.message.text
    days = {each.start.date() for each in named_days(text, content, ctx)}
    if has_words_outside(FROM_THEN, text, content):
        return {"since": f"{days.pop():%Y-%m-%d}"} if len(days) == 1 else {"occurrence": "all"}
    new_day = single_day(args.time or "", ctx)
    others = sorted(day for day in days if day != new_day)
    return {"occurrence": f"{others[0]:%Y-%m-%d}"} if others and not (args.occurrence or args.since) else {}


def _words_with_day(args: ReminderUpdateArgs, content: str, ctx: CallContext) -> str:
    """Return the words that may name the day of an occurrence: the reference, or the rest of the message.

    Of a message with several requests it is the part with this new time.
    """
    reference, text = args.reminder_id or "", ctx.message.text
    if named_days(reference, content, ctx):
        return reference
    clocks = [each for each in read_times(text, ctx) if each.has_clock and each.rrule is None]
    wanted = [each.start.time() for each in read_times(args.time or "", ctx) if each.has_clock]
    if len(clocks) < 2 or not wanted:
        return text
    parts = PART.split(text)
    return next((part for part in parts if any(each.start.time() in wanted for each in read_times(part, ctx))), text)
