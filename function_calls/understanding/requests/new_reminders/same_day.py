"""Read the day that a new reminder shares with another one: "that day", 体检那天."""

import re
from datetime import date

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import ToolCall
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.times import TimeWords, choose_nearer_half, move_to_day
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.requests.earlier_messages import read_event_before
from function_calls.understanding.requests.known_reminders import find_messages_of, find_old_lead
from function_calls.understanding.requests.last_reminder import read_call_time
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.lead_events import find_reminder_of_event
from services.reminders.model import Reminder
from services.time_expressions import Reading


def find_same_day_time(request: RequestContext) -> Reading | None:
    """Return the time of the reminder set last, where a request says "that day", or that of what "that" means.

    "The same day" may also be that of a reminder that another person has just set, and 体检那天 that of a named one.
    """
    words, named = request.words, _find_reminder_of_day(request)
    if named is not None and request.chat_reminders is not None:
        return _read_event_of_call(request.chat_reminders.make_set_call(named), request)
    whens = map(words.fold, request.reading.pieces("WHEN"))
    says_that_day = request.has_word(words.same_day_phrases) or any(
        when.startswith(words.same_day_phrases) for when in whens
    )
    last = request.last_set if request.may_point and says_that_day else None
    if request.last_set_by_other is not None and request.has_word(words.same_day):
        last = request.last_set_by_other
    event = read_event_before(request) if last is None else None
    if event is None and last is None and says_that_day:
        last = request.last_set_by_other
    if last is not None:
        return _read_event_of_call(last, request)
    return None if event is None else event.best


def _read_event_of_call(call: ToolCall, request: RequestContext) -> Reading | None:
    """Return the time of the event of the reminder that `call` sets, or its own for the same day."""
    time = read_call_time(call, request)
    if time is None:
        return None
    lead = find_old_lead(str(call.arguments.get("content", "")), time.best.start, request)
    return time.best._replace(start=time.best.start + lead)


def _find_reminder_of_day(request: RequestContext) -> Reminder | None:
    """Return the reminder that the words right in front of the Chinese "that day" name: 体检 of 体检那天.

    They may also name the event of the message that has set it: 公演那天 behind 12/20公演，前一天提醒我.
    """
    text = request.reading.text
    ahead = next((text.partition(phrase)[0] for phrase in request.words.same_day_phrases if phrase in text), "")
    name = "" if request.words.joint else re.split(r"[\s,，。；！？]", ahead)[-1]
    return (find_reminder_of_event(name, request) or _find_reminder_of_message(name, request)) if name else None


def _find_reminder_of_message(name: str, request: RequestContext) -> Reminder | None:
    """Return the reminder whose message has most of the last characters of `name`; None for none."""
    fold = request.words.fold
    texts = [
        (each, fold(message.text)) for each in request.reminders for message in find_messages_of(each.content, request)
    ]
    endings = (fold(name[at:]) for at in range(len(name) - 1))
    endings = (ending for ending in endings if not are_function_words(ending, request.words))
    return next((each for ending in endings for each, text in texts if ending in text), None)


def untag_name_of_day(request: RequestContext) -> RequestContext:
    """Return the request without the tags of "that day" and of the name in front of it as a time: 年会当天|下午三点."""
    if request.words.joint:
        return request
    text = request.reading.text
    end = max((text.find(each) + len(each) for each in request.words.same_day_phrases if each in text), default=0)
    return request.with_tags(
        NO_TAG if tag == "WHEN" and token.end <= end and not is_time(token) else tag
        for token, tag in request.reading.tagged
    )


def move_open_time_to_day(
    time: TimeWords, day: date, request: RequestContext, event: Reading | None = None
) -> TimeWords:
    """Return a time without a day of its own on `day`; 当天下午两点 has none either.

    "8" is in the half of the day that is nearer to the clock of `event`.
    """
    if time.best.has_day and not time.words.startswith(request.words.same_day_phrases):
        return time
    readings = [move_to_day(reading, day)._replace(has_day=True) for reading in time.readings]
    if event is not None and event.has_clock and is_clock_without_half(time.words):
        readings = [choose_nearer_half(readings[0], event.start)]
    return replace(time, readings=tuple(readings))
