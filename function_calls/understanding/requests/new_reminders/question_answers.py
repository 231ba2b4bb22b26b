"""Set the reminder that the bot has asked about, with the time or the content of the answer."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import Interpretation
from function_calls.understanding.open_questions import OpenQuestion, ReminderRequest
from function_calls.understanding.reading.repair.event_repair import names_event_for_clock, names_vague_time
from function_calls.understanding.reading.slots.small_words import are_function_words, tidy
from function_calls.understanding.reading.times import (
    TimeWords,
    is_clock_alone,
    list_halves,
    move_to_day,
    names_hour,
    set_clock,
    subtract_lead,
)
from function_calls.understanding.requests.new_reminders.pieces import open_time_of_event
from function_calls.understanding.requests.new_reminders.same_day import move_open_time_to_day
from function_calls.understanding.requests.reminder_answers import merge_or_none
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.day_halves import choose_usual_half
from function_calls.understanding.requests.times.leads import parse_lead
from function_calls.understanding.requests.times.repeated_times import repeat_clock
from function_calls.understanding.requests.times.request_times import find_times
from services.time_expressions import Reading

_NOON_HOUR = 12
_AFTERNOON_HOURS = range(13, 18)
"""The hours of the afternoon, of which a bare figure is one."""
_DAY = timedelta(days=1)


def answer_when(request: RequestContext) -> Interpretation | None:
    """Set the reminder that was asked about at the time of the answer."""
    question, times = request.question, find_times(request)
    is_event = not times and names_event_for_clock(request.reading, request.words)
    if question is None or question.asks == "reminder" or not (len(times) == 1 or is_event):
        return None
    is_vague = is_event or (names_vague_time(request.reading, request.words) and not times[0].best.has_clock)
    time = None if is_vague else _read_answered_time(times[0], question, request)
    content = question.content or request.content or _find_text_beside_times(request)
    person = question.person and question.person.replace("@", "")  # who was mentioned before is known by name
    reminder = ReminderRequest(content=content, person=person, time=time, event=question.event, lead=question.lead)
    reminder = open_time_of_event(reminder, request)
    if content or question.asks == "option":
        return request.answers.set_reminders([reminder, *question.rest])
    return request.answers.ask_content([reminder])


def _read_answered_time(time: TimeWords, question: OpenQuestion, request: RequestContext) -> TimeWords | None:
    """Return when to remind, where `time` answers `question`; None where it leaves that open.

    A lead counts back from the time of an event, but not where `time` is a correction ("Sunday at 10, I mean") or the
    day of an event that people have named, less the lead.
    """
    time = _complete_by_question(time, question, request)
    lead = parse_lead(question.lead, request) if question.event else None
    if lead is None:
        return None if question.event else time
    is_final = request.has_word(request.words.slips) or _counts_back_from_named_day(time, lead[0], request)
    return time if is_final else subtract_lead(time, *lead)


def _counts_back_from_named_day(time: TimeWords, lead: timedelta, request: RequestContext) -> bool:
    """Return whether people have lately named the day from which `time` already counts back, but not its own day."""
    messages = (each for each in request.turn.recent if not each.sender.is_bot)
    readings = [time.best for each in messages for time in request.read_times(each.text, each.sent_at)]
    days = {best.start.date() for best in readings if best is not None and best.has_day}
    day = time.best.start.date()
    return time.best.has_day and lead >= _DAY and day + lead in days and day not in days


def _complete_by_question(time: TimeWords, question: OpenQuestion, request: RequestContext) -> TimeWords:
    """Return an answer with what is known of the time that was asked for."""
    if question.asks != "time" or not question.options:
        return _complete_by_options(time, question.options, request)
    if question.options[0].has_clock:  # "every lunar month at 7", then "every 1st and 15th"
        clock = replace(time, readings=question.options)
        return time if names_hour(time.best) or question.event else repeat_clock(clock, time.best, request)
    moved = move_open_time_to_day(time, question.options[0].start.date(), request)
    if time.best.has_day or not is_clock_without_half(time.words):
        return moved
    halves = _list_possible_halves(moved.best)
    return choose_usual_half(replace(moved, readings=halves, is_ambiguous=len(halves) > 1), request)


def _complete_by_options(time: TimeWords, options: Sequence[Reading], request: RequestContext) -> TimeWords:
    """Return an answer with the day, or the clock, of the `options` where it names none."""
    best, days = time.best, {option.start.date() for option in options}
    if not options:
        return time
    if is_clock_alone(best) and len(days) == 1:
        readings = tuple(move_to_day(reading, min(days)) for reading in time.readings)
        if is_clock_without_half(time.words):
            # Only for alarms are these hours asked about.
            is_alarm = any(option.start.hour in _AFTERNOON_HOURS for option in options)
            halves = list_halves(readings[0]) if is_alarm else _list_possible_halves(readings[0])
            readings = _keep_offered_half(options[0], halves)
        time = replace(time, readings=readings, is_ambiguous=len(readings) > 1)
        return time if options[0].rrule is None else repeat_clock(time, options[0], request)  # "every day"
    if names_hour(best):
        return time
    readings = tuple(set_clock(best, option) for option in options)
    return replace(time, readings=readings, is_ambiguous=len(readings) > 1)


def _list_possible_halves(reading: Reading) -> tuple[Reading, ...]:
    """Return a clock without a half of the day in both; one from 1 to 5 is of the afternoon."""
    halves = list_halves(reading)
    return tuple(half for half in halves if half.start.hour in _AFTERNOON_HOURS) or halves


def _keep_offered_half(offered: Reading, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Return those of `readings` in the half of the day of the part that was `offered`: "8" of the morning."""
    same = tuple(
        reading for reading in readings if (reading.start.hour < _NOON_HOUR) == (offered.start.hour < _NOON_HOUR)
    )
    return same if offered.part and not offered.has_clock else readings


def _find_text_beside_times(request: RequestContext) -> str:
    """Return the words of an answer outside of its times, which are the content where that was asked as well."""
    text = request.reading.text
    for start, end in reversed(request.reading.spans("WHEN")):
        text = f"{text[:start]} {text[end:]}"
    rest = tidy(" ".join(text.split()), request.words.before_content)
    parts = rest.casefold().split() if request.words.joint else list(rest)
    return "" if are_function_words(parts, request.words) else rest


def answer_content(request: RequestContext) -> Interpretation | None:
    """Set the reminder that was asked about with the content of the answer."""
    question, content = request.question, request.content
    if question is None or not content or question.content or question.asks == "reminder":
        return None
    if not question.options:
        return request.answers.set_reminders([ReminderRequest(content=content, person=question.person, time=None)])
    return merge_or_none(
        [request.answers.set_reminder(content, question.person, option) for option in question.options]
    )
