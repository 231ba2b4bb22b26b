"""Read the reminders of one piece of a request: its content at each of its times."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace

from function_calls.language.recognized_phrases import phrases
from function_calls.tools.calls import ToolCall
from function_calls.understanding.open_questions import ReminderRequest
from function_calls.understanding.reading.message import NO_TAG, MessageReading
from function_calls.understanding.reading.repair.event_repair import names_event_for_clock
from function_calls.understanding.reading.slots.contents import extract_content
from function_calls.understanding.reading.slots.small_words import are_function_words, tidy
from function_calls.understanding.reading.times import TimeWords, names_hour, names_single_day, set_clock
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.requests.earlier_messages import read_event_before, refers_to_that
from function_calls.understanding.requests.last_reminder import (
    copy_clock,
    count_back,
    counts_back_from_unnamed_event,
    find_call_to_repeat,
    read_times_of_copy,
)
from function_calls.understanding.requests.new_reminders.copies import choose_people_of_copy
from function_calls.understanding.requests.new_reminders.same_day import (
    find_same_day_time,
    move_open_time_to_day,
    untag_name_of_day,
)
from function_calls.understanding.requests.people import find_people, says_remind_me
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.lead_events import (
    find_event_name_beside_lead,
    find_event_without_time,
    find_reminder_counted_from,
    separate_event_from_clock,
    tag_day_of_event,
)
from function_calls.understanding.requests.times.leads import find_leads
from function_calls.understanding.requests.times.repeated_times import add_end, find_end
from function_calls.understanding.requests.times.request_times import are_listed_times, find_times
from function_calls.understanding.requests.times.unclear_times import find_day_without_clock


def read_piece(request: RequestContext, piece: MessageReading) -> list[ReminderRequest]:
    """Return the reminders of one piece: its content at each of its times."""
    as_read = request.with_reading(piece)
    part = separate_event_from_clock(tag_day_of_event(as_read))
    content = _strip_bot_name(extract_content(piece, request.words), request)
    is_sign = not any(map(str.isalnum, content)) and part.has_part(request.words.waking)  # "wake me up at 6 🙏"
    is_pronoun = content.casefold() in {*request.words.itself, *request.words.indefinites}
    content = "" if is_sign or is_pronoun else content
    person = find_people(part) or _find_people_of_event(part)
    content = tidy(content, request.words.before_appointment) if person is None else content
    times = _share_repetition(_add_event_itself(_read_times(part), as_read), request)
    if times and not content:
        event = find_reminder_counted_from(part)
        content = _find_name_of_event(part) if event is None else event.content
    if times and (len(times) == 1 or are_listed_times(part)):
        return [ReminderRequest(content=content, person=person, time=time) for time in times]
    event_name, lead = find_event_without_time(part)
    same_day = find_same_day_time(part)
    day = find_day_without_clock(part) or (same_day and same_day._replace(has_clock=False))
    return [ReminderRequest(content=content, person=person, day=day, event=event_name, lead=lead)]


def _find_name_of_event(request: RequestContext) -> str:
    """Return the only name among the words tagged as an event, between its times: "the 4pm town hall today"."""
    tagged = request.reading.tagged
    untimed = request.with_tags(NO_TAG if tag == "EVENT" and is_time(token) else tag for token, tag in tagged)
    names = [piece for piece in untimed.reading.pieces("EVENT") if not request.read_times(piece)]
    names = [name for name in names if not are_function_words(request.words.fold(name).split(), request.words)]
    return names[0] if len(names) == 1 else ""


def _strip_bot_name(content: str, request: RequestContext) -> str:
    """Return a content without the bot's name at its end, nor courtesies in front of that."""
    name = request.words.fold(request.turn.bot_name)
    text = request.words.fold(request.reading.text).rstrip(" .!?。！？~～")
    if not request.words.fold(content).endswith(f" {name}") or not text.endswith(f" {name}") or text.count(name) > 1:
        return content
    parts = content[: -len(name)].split()
    while len(parts) > 1 and parts[-1].casefold().strip(",，") in request.words.polite:
        parts.pop()
    return " ".join(parts).rstrip(",，")


def _read_times(request: RequestContext) -> list[TimeWords]:
    """Return the times of a request, with what they take from an earlier reminder or message."""
    if counts_back_from_unnamed_event(request):
        counted = _count_back_from_earlier_event(request)
        if counted is not None:
            return counted
    event = find_same_day_time(request)
    times = find_times(request if event is None else untag_name_of_day(request))
    if request.reading.has("UNTIL") and find_end(request) and not any(time.best.rrule for time in times):
        return _repeat_weekly(request) or _repeat_daily(times, request)
    if request.has_word(request.words.same_time):
        return _set_to_same_time(times, request)
    if event is None:
        return times
    return [move_open_time_to_day(each, event.start.date(), request, event) for each in times]


def _count_back_from_earlier_event(request: RequestContext) -> list[TimeWords] | None:
    """Return the times ahead of a coming reminder, or of an event that was named before; None where there is none.

    Return no times where the event has no known time, or is "that" and no reminder of the sender.
    """
    events = [time for time in request.parse_times([request.content]) if names_single_day(time.best)]
    if len(events) == 1:  # "… the day before that the plumber comes on Friday"
        return count_back(events[0], find_leads(request, has_event=True), request)
    event = find_reminder_counted_from(request)
    if event is None:
        if find_event_name_beside_lead(request):
            return []
        earlier = read_event_before(request)
        if earlier is not None:
            return count_back(earlier, find_leads(request, has_event=True), request)
    has_earlier = request.may_point or event is not None or request.last_set_by_other is not None
    last = find_call_to_repeat(request) if has_earlier else None
    if last is None:
        return None
    is_of_other = refers_to_that(request) and request.last_set is None
    return [] if is_of_other else read_times_of_copy(request, last)


def _find_people_of_event(request: RequestContext) -> str | None:
    """Return the people of the last reminder, for one ahead of it that names nobody: "and the day before, pack"."""
    if not (request.may_point and counts_back_from_unnamed_event(request)) or says_remind_me(request):
        return None
    last = find_call_to_repeat(request)
    return None if last is None else choose_people_of_copy(last, request)


def _repeat_weekly(request: RequestContext) -> list[TimeWords]:
    """Return the weekdays of a request as those of every week until its end; empty for a single one, or other times."""
    days = request.strip_time_words(request.reading.words("WHEN"))
    weekly = request.parse_time([phrases(request.language).each.format(days=days)])
    is_weekly = weekly is not None and (weekly.best.rrule or "").startswith("FREQ=WEEKLY")
    return [add_end(weekly, find_end(request, weekly.best))] if weekly is not None and is_weekly else []


def _repeat_daily(times: Sequence[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` on each of the days that are counted: "at 9 for 5 days"; empty for "3 times tomorrow"."""
    days = (request.parse_amount("UNTIL") or timedelta()).days
    rule = f"FREQ=DAILY;COUNT={days}"
    daily = (replace(each, readings=(set_clock(each.best._replace(rrule=rule), each.best),)) for each in times)
    return list(daily) if days > 1 else []


def _set_to_same_time(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` at "the same time" as an earlier reminder, or that time itself; empty where there is none."""
    if request.reading.has("LEAD") and any(time.best.has_clock for time in times):
        return times  # "at 10 on the 1st, and at the same time on the day before"
    earlier = _find_call_with_same_time(request)
    if earlier is None:
        return []
    if not times:
        return request.parse_times([str(earlier.arguments.get("time", ""))])
    return [copy_clock(each, earlier, request, is_same=True) for each in times]


def _find_call_with_same_time(request: RequestContext) -> ToolCall | None:
    """Return the call with the time that "the same time" means: that of a reminder with the same content.

    Else it is the last one of the sender, for "me too" the last one in the chat.
    """
    content, fold = request.content, request.words.fold
    # "And me to pay the gas …" goes on with what another person has written.
    goes_on = request.set_call_before is None and request.begins_with(request.folded_text, request.words.beside)
    is_me_too = (goes_on or request.has_word(request.words.too)) and find_people(request) is None
    same = [reminder for reminder in request.reminders if content and fold(reminder.content) == fold(content)]
    if len(same) == 1 and request.chat_reminders is not None:
        return request.chat_reminders.make_set_call(same[0])
    latest = request.last_here if content and content.casefold() not in request.words.itself else None
    return (latest or request.last_set) if is_me_too else (request.last_set or latest)


def _add_event_itself(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` and the day of an event that they are ahead of: "the day before and on the day"."""
    words, text = request.words, request.words.fold(request.turn.message.text).rstrip(" .!")
    joined = [f"{each}{words.joint}{day}" for each in words.and_words if each for day in words.same_day_phrases]
    ahead = [f"{each}{words.joint}{word}" for each in joined for word in words.ahead]  # "and on the day before"
    is_both = request.reading.has("LEAD") and words.has_any(joined, text) and not words.has_any(ahead, text)
    event = request.parse_time(request.reading.pieces("EVENT")) if is_both else None
    days = [each.best.start.date() for each in times]
    is_ahead = event is not None and bool(days) and max(days) < event.best.start.date()
    return [*times, event] if event is not None and is_ahead else times


def _share_repetition(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` with the repetition behind the last: "Monday at 9 and Thursday at 6pm every week"."""
    words = times[-1].words.split() if times else []
    at = next((at for at, word in enumerate(words) if at and request.words.fold(word) in request.words.each), 0)
    are_days = len(times) > 1 and all(names_single_day(each.best) for each in times[:-1])
    if not at or not are_days or times[-1].best.rrule is None:
        return times
    repeated = (request.parse_time([" ".join([each.words, *words[at:]])]) for each in times[:-1])
    return [*(each or time for each, time in zip(repeated, times[:-1], strict=True)), times[-1]]


def open_time_of_event(reminder: ReminderRequest, request: RequestContext) -> ReminderRequest:
    """Return `reminder` with the day alone where an event names its time: "tomorrow when I leave work"."""
    best = None if reminder.time is None else reminder.time.best
    if best is None or best.rrule is not None or names_hour(best):
        return reminder
    has_event = names_event_for_clock(request.reading, request.words)
    return replace(reminder, time=None, day=best) if has_event else reminder
