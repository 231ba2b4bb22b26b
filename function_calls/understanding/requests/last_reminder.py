"""Read what a request takes from an earlier reminder: its time, day, repetition or people."""

import re
from collections.abc import Sequence
from datetime import timedelta
from itertools import accumulate, islice

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import ToolCall
from function_calls.understanding.open_questions import ReminderRequest
from function_calls.understanding.reading.segments.reminder_splits import find_asking_words
from function_calls.understanding.reading.slots.people import EVERYONE_ARGUMENT
from function_calls.understanding.reading.times import (
    TimeWords,
    carry_days,
    choose_nearer_half,
    is_clock_alone,
    keep_clock_in_part,
    move_to_day,
    names_hour,
    names_single_day,
    set_clock,
    subtract_lead,
)
from function_calls.understanding.requests.earlier_messages import refers_to_that
from function_calls.understanding.requests.known_reminders import find_old_lead
from function_calls.understanding.requests.references.named_reminders import find_named_reminder, find_references
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.day_halves import choose_half_of_part
from function_calls.understanding.requests.times.lead_events import find_reminder_counted_from
from function_calls.understanding.requests.times.leads import Lead, find_leads
from function_calls.understanding.requests.times.request_times import find_times
from services.recurrence.rules import WEEKDAYS
from services.time_expressions import Reading

_CLOCK_AT_END = re.compile(r"(\d{1,2}):(\d\d)$")
_DAY = timedelta(days=1)
_DAYS_A_WEEK = 7


def is_repeating(call: ToolCall) -> bool:
    """Return whether `call` sets a reminder that comes more than once."""
    return call.arguments.get("type") != "once" or "rrule" in call.arguments


def find_call_to_repeat(request: RequestContext) -> ToolCall | None:
    """Return the call that set the reminder to repeat: the one that is named, or the last one for the sender."""
    named = find_named_reminder(request) if find_references(request) else find_reminder_counted_from(request)
    if named is not None and request.chat_reminders is not None:
        return request.chat_reminders.make_set_call(named)
    return (_find_call_to_join(request) if named is None else None) or request.last_set


def _find_call_to_join(request: RequestContext) -> ToolCall | None:
    """Return the call that another person has just made for the sender, or the last one for everybody who joins.

    "Same for me at 8" joins, but not somebody who has set a reminder.
    """
    last, of_other, own = request.last_here, request.last_set_by_other, request.turn.message.sender.name
    is_for_sender = of_other is not None and of_other.arguments.get("person") in {EVERYONE_ARGUMENT, own}
    if of_other is not None and is_for_sender:
        return replace(of_other, arguments={**of_other.arguments, "person": None})
    if request.last_set is not None or last is None:
        return None
    if not request.has_word(request.words.oneself) and last.arguments.get("person") != own:
        return None
    return replace(last, arguments={key: each for key, each in last.arguments.items() if key != "person"})


def _find_continued_call(request: RequestContext) -> ToolCall | None:
    """Return the call that set a reminder for one day last, where the words go on with it: "and Ben at 11 to sweep"."""
    last = request.last_set
    joints = filter(None, request.words.and_words)
    goes_on = request.begins_with(request.folded_text, joints) and not find_asking_words(
        request.reading.tokens, request.words
    )
    return last if goes_on and last is not None and not is_repeating(last) else None


def read_times_of_copy(request: RequestContext, last: ToolCall) -> list[TimeWords]:
    """Return the times of another reminder like `last`, a lead counting back from the event of that.

    Return none where the event has no known time.
    """
    leads = find_leads(request, has_event=True)
    event = _read_event_of_call(last, request)
    if not leads or request.reading.has("EVENT"):
        return find_times(request)
    if not request.reading.has("WHEN") and not request.has_phrase((*request.words.ahead, *request.words.earlier)):
        return find_times(request)  # "and 40 minutes for the buns"
    if event is None:
        return []
    return count_back(event, leads, request)


def count_back(event: TimeWords, leads: Sequence[Lead], request: RequestContext) -> list[TimeWords]:
    """Return the times that lie `leads` before `event`, at the clock that the request names."""
    is_apart = request.reading.has("LEAD")
    clock = request.parse_time(request.reading.pieces("WHEN")) if is_apart else None
    if clock is not None and is_clock_without_half(clock.words):
        nearer = choose_nearer_half(clock.best, event.best.start)
        is_same = nearer.start.time() == event.best.start.time()
        clock = replace(clock, readings=(nearer,)) if is_same else clock
    clocks = [choose_half_of_part(clock, own.words, request) if clock and own else clock or own for _, own in leads]
    times = [subtract_lead(event, length, own) for (length, _), own in zip(leads, clocks, strict=True)]
    return [each for each in times if each is not None]


def read_call_time(call: ToolCall, request: RequestContext) -> TimeWords | None:
    """Return the first time of the reminder that `call` sets."""
    return request.parse_time([str(call.arguments.get("time", ""))])


def _read_event_of_call(call: ToolCall, request: RequestContext) -> TimeWords | None:
    """Return the time from which a reminder counts back, or its own for "before that", repeated as the reminder is."""
    time = read_call_time(call, request)
    if time is None:
        return None
    best = _read_series(call, time.best) or time.best
    lead = find_old_lead(str(call.arguments.get("content", "")), best.start, request)
    event = replace(time, readings=(best,))
    return event if refers_to_that(request) else subtract_lead(event, -lead, None) or time


def _read_series(call: ToolCall, first: Reading) -> Reading | None:
    """Return the repetition that a call sets, from the `first` time on; None where it sets a single reminder."""
    if not is_repeating(call):
        return None
    clock, weekday = f"BYHOUR={first.start.hour};BYMINUTE={first.start.minute}", call.arguments.get("weekday")
    parts = [part for part in str(call.arguments.get("rrule") or "").split(";") if not part.startswith("EX")]
    if any(parts):
        return first._replace(rrule=";".join(parts))
    if not isinstance(weekday, int):
        return first._replace(rrule=f"FREQ=DAILY;{clock}")
    start = first.start + _DAY * ((weekday - first.start.weekday()) % _DAYS_A_WEEK)
    return first._replace(start=start, rrule=f"FREQ=WEEKLY;BYDAY={WEEKDAYS[weekday]};{clock}")


def complete_time(time: TimeWords, last: ToolCall, request: RequestContext) -> TimeWords:
    """Return `time` with the clock and the day of the last reminder where it names none of its own."""
    time = copy_clock(time, last, request, is_same=request.has_word(request.words.same_time))
    return _move_ahead_of_day(_copy_day(time, last, request), last, request)


def copy_clock(time: TimeWords, last: ToolCall, request: RequestContext, *, is_same: bool) -> TimeWords:
    """Return `time` at the clock of the last reminder, where it names a day alone, its part or "the same time"."""
    best, before = time.best, read_call_time(last, request)
    if before is None or (best.has_clock and not is_same):
        return time
    if best.part and not is_same:
        return replace(time, readings=(keep_clock_in_part(best, [before.best.start]),))
    clock = before.best._replace(start=before.best.start.replace(second=0))
    return replace(time, readings=(set_clock(best, clock),), is_ambiguous=False)


def _copy_day(time: TimeWords, last: ToolCall, request: RequestContext) -> TimeWords:
    """Return a clock without a day on the day of the last reminder, in its half of the day: "another one at 7:15".

    Where the last one repeats, or that time is over, it is the next such clock.
    """
    before, best = read_call_time(last, request), time.best
    lacks_day = best.rrule is None and not best.has_day
    if before is None or not lacks_day or not names_hour(best):
        return time
    lacks_half = before.best.has_clock and is_clock_without_half(time.words)
    readings = time.readings
    if lacks_half:
        near = move_to_day(choose_nearer_half(time.best, before.best.start), request.now.date())
        readings = (near if near.start > request.now else near._replace(start=near.start + _DAY),)
    dated = tuple(move_to_day(reading, before.best.start.date())._replace(has_day=True) for reading in readings)
    is_coming = not is_repeating(last) and all(reading.start > request.now for reading in dated)
    return replace(time, readings=dated if is_coming else readings, is_ambiguous=time.is_ambiguous and not lacks_half)


def _move_ahead_of_day(time: TimeWords, last: ToolCall, request: RequestContext) -> TimeWords:
    """Return a weekday with "before" behind it on the nearest such day before the day of the last reminder."""
    before, words = read_call_time(last, request), request.words
    end = max((end for _, end in request.reading.spans("WHEN")), default=0)
    is_ahead = words.fold(request.reading.text[end:]).strip(" .!?,") in words.ahead
    weekday = request.strip_time_words(time.words)
    if before is None or not is_ahead or not request.names_weekday(weekday):
        return time
    due = before.best.start.date()
    day = due - timedelta(days=(due.weekday() - time.best.start.weekday()) % _DAYS_A_WEEK or _DAYS_A_WEEK)
    return replace(time, readings=tuple(move_to_day(reading, day) for reading in time.readings))


def copy_rule(call: ToolCall, last: ToolCall) -> ToolCall:
    """Return `call` with the repetition of the `last` one at its own clock: "also at 9pm"."""
    rule, clock = str(last.arguments.get("rrule", "")), _CLOCK_AT_END.search(str(call.arguments.get("time", "")))
    if not rule or clock is None:
        return call
    days = [part for part in rule.split(";") if not part.startswith(("BYHOUR=", "BYMINUTE=", "BYSECOND="))]
    copied = {"rrule": ";".join([*days, f"BYHOUR={int(clock[1])}", f"BYMINUTE={int(clock[2])}"])}
    if "INTERVAL=" in rule:  # every second week begins in the same week
        copied["time"] = f"{str(last.arguments['time']).partition(' ')[0]} {clock[0]}"
    return replace(call, arguments={**call.arguments, **copied})


def counts_back_from_unnamed_event(request: RequestContext) -> bool:
    """Return whether a lead counts back from an event that the request does not name: "the night before at 8"."""
    if request.reading.has("EVENT") or not request.reading.has("LEAD"):
        return False
    has_time = request.reading.has("WHEN")
    if has_time and not request.is_clock(request.reading.pieces("WHEN")):
        return False
    says_before = not has_time and request.has_word(request.words.ahead)
    return says_before or all(length >= _DAY for length, _ in find_leads(request, has_event=True))


def _repeat_like_call_before(
    before: ToolCall, first: Reading, reminder: ReminderRequest, request: RequestContext
) -> ReminderRequest:
    """Return a reminder at a clock alone every day or week like the one `before`, which comes at the `first` time.

    每天早上八点提醒我吃药，晚上九点提醒我散步 asks for both every day. So does a weekday alone behind a weekly one.
    """
    time, series, is_weekly = reminder.time, _read_series(before, first), before.arguments.get("type") == "weekly"
    if time is not None and is_weekly and names_single_day(time.best) and request.names_weekday(time.words):
        weekly = [each._replace(rrule=f"FREQ=WEEKLY;BYDAY={WEEKDAYS[each.start.weekday()]}") for each in time.readings]
        return replace(reminder, time=replace(time, readings=tuple(weekly)))
    if time is None or series is None or "rrule" in before.arguments or not is_clock_alone(time.best):
        return reminder
    return replace(reminder, time=replace(time, readings=tuple(set_clock(series, each) for each in time.readings)))


def share_time_between_people(reminders: Sequence[ReminderRequest], request: RequestContext) -> list[ReminderRequest]:
    """Return `reminders` with the time of the one in front where somebody else is named without a time.

    "Tomorrow at 9 remind Ben to open the gate and Kim to lock it" asks for both at 9.
    """
    calls = [] if request.set_call_before is None else [_read_call(request.set_call_before, request)]
    return list(accumulate([*calls, *reminders], _share_time))[len(calls) :]


def _read_call(call: ToolCall, request: RequestContext) -> ReminderRequest:
    """Return the reminder that a call sets, with its time and repetition."""
    time, person = read_call_time(call, request), call.arguments.get("person")
    if time is not None:
        time = replace(time, readings=(_read_series(call, time.best) or time.best,), is_ambiguous=False)
    return ReminderRequest(content="", person=person if isinstance(person, str) else None, time=time)


def _share_time(before: ReminderRequest, reminder: ReminderRequest) -> ReminderRequest:
    """Return `reminder` at the time of the one `before` where it is for somebody else and names no time or event."""
    is_open = reminder.time is None and reminder.day is None and not reminder.event
    return replace(reminder, time=before.time) if is_open and reminder.person != before.person else reminder


def carry_days_to_reminders(reminders: Sequence[ReminderRequest], request: RequestContext) -> list[ReminderRequest]:
    """Return `reminders` with the day of a time carried on to the times after it.

    "Another one" is on the day of the last reminder.
    """
    if request.last_set is not None and request.has_phrase(request.words.another):
        copied = [each.time and _copy_day(each.time, request.last_set, request) for each in reminders]
        return [replace(each, time=time) for each, time in zip(reminders, copied, strict=True)]
    named = [(reminder.time.words, reminder.time.readings) for reminder in reminders if reminder.time is not None]
    call_before = request.set_call_before
    last = call_before or _find_continued_call(request)
    before = None if last is None else read_call_time(last, request)
    if call_before is not None and before is not None and is_repeating(call_before):
        return [_repeat_like_call_before(call_before, before.best, reminder, request) for reminder in reminders]
    if before is not None:
        named = [(before.words, before.readings), *named]
    if len(named) < 2:
        return list(reminders)
    carried = islice(carry_days(named, request.now), 0 if before is None else 1, None)
    return [
        reminder if reminder.time is None else replace(reminder, time=replace(reminder.time, readings=next(carried)))
        for reminder in reminders
    ]
