"""Summarize the chat, and set, list and end its regular summary."""

import re

from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.tools.calls import Interpretation
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.slots.small_words import match_any
from function_calls.understanding.reading.times import TimeWords
from function_calls.understanding.reminder_times import make_schedule_arguments
from function_calls.understanding.requests.changes import moves
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.request_times import find_times
from services.reminders.model import ReminderAction
from services.time_expressions import Reading


def summarize(request: RequestContext) -> Interpretation | None:
    """Summarize the chat at once or at the time that is named; end or list its regular summary where that is asked."""
    moment = _find_moment_ahead(request)
    if moment is not None:
        return request.answers.call_tool("summary_schedule", make_schedule_arguments(moment, request.now))
    is_ended = request.has_word(request.words.ending)
    may_be_regular = is_ended or request.has_word(request.words.asking_when)
    regular = _find_regular_summary(request) if may_be_regular and not find_times(request) else ""
    if regular and is_ended:
        return _end_summary(request, is_paused=False)
    if regular:
        return request.answers.call_tool("reminder_list", {"filter": regular})
    person, topic = request.reading.words("SPEAKER"), request.reading.words("TOPIC")
    person, topic = (topic, "") if not person and request.is_member(topic) else (person, topic)
    person = person or ("" if topic else _find_only_speaker(request))
    return request.answers.call_tool("summary", {"window": _find_window(request), "topic": topic, "person": person})


def _find_moment_ahead(request: RequestContext) -> Reading | None:
    """Return the only time ahead, at which to sum up: "at 6pm"; None for "since 6pm" and for a time that was missed."""
    if request.has_word(request.words.since) or request.has_part(request.words.missed):
        return None
    times = [request.parse_time([request.reading.text_of(token)]) for token in request.reading.times]
    ahead = [time.best for time in times if time is not None and _is_clear_future_time(time, request)]
    return ahead[0] if len(ahead) == 1 else None


def _find_window(request: RequestContext) -> str:
    """Return the words for the span of time to sum up, with "since" beside them; "" for none."""
    joint = request.words.joint
    window = request.reading.words("WHEN")
    window = window or (request.folded_text if request.has_part(request.words.missed) else "")
    for since in request.words.since if window else ():
        phrases = (f"{since}{joint}{window}", f"{window}{joint}{since}")
        window = next((phrase for phrase in phrases if phrase.casefold() in request.folded_text), window)
    return window


def _find_only_speaker(request: RequestContext) -> str:
    """Return the only member that a request names, but not as the one for whom it is: "a summary for Ben"."""
    words, name = request.words, request.find_members_named()
    recipient_phrases = [words.fold(f"{link}{words.joint}{name}") for link in words.task_links]
    is_only = words.joint and " & " not in name and not request.has_word(words.own)
    return name if is_only and not request.has_phrase(recipient_phrases) else ""


def _is_clear_future_time(time: TimeWords, request: RequestContext) -> bool:
    """Return whether a time is one clear moment that is still to come, or a repetition with a clock."""
    best, is_clear = time.best, len(time.readings) == 1 and time.best.end is None
    return is_clear and best.has_clock and (best.rrule is not None or best.start > request.now)


def schedule_summary(request: RequestContext) -> Interpretation | None:
    """Schedule a regular summary; resume, pause, end or move the one that the chat has."""
    words = request.words
    if request.has_word(words.resuming):
        summary = _find_regular_summary(request) or say(request.turn.language, "summary.scheduled")
        return request.answers.call_tool("reminder_state", {"action": "resume", "reminder_id": summary})
    is_ended = request.has_word(words.ending)
    is_paused = request.has_word((*words.pausing, *words.holding, *words.skipping))
    if _refuses_summary(request) != (is_ended or is_paused):
        return _end_summary(request, is_paused=is_paused and not is_ended)
    if is_ended or is_paused:  # "don't stop the daily summary"
        return None
    times = _read_separate_repetition(request) or find_times(request)
    rules = [token for token in request.reading.tokens if token.form.startswith("@rule")]
    has_exception = len(rules) > 1 and request.has_word((*words.refusals, *words.without))  # "…, not on Sundays"
    if len(times) != 1 or has_exception:
        return None
    summary = _find_regular_summary(request) if request.has_word(words.change_it) else ""
    if summary:
        reminders = request.resolve(summary)
        unnamed = request.retag("REF", NO_TAG)
        return moves.move(replace(unnamed, discussed_reminder=reminders[0])) if len(reminders) == 1 else None
    return request.answers.call_tool("summary_schedule", make_schedule_arguments(times[0].best, request.now))


def _refuses_summary(request: RequestContext) -> bool:
    """Return whether a request says "not" before the summary is named or timed: "I don't want the daily summary"."""
    words = request.words
    names = match_any(words.help_topics["summary"])
    beginning = re.split(rf"@|{names}", words.joint.join(request.reading.forms))[0]
    return words.has_any(words.refusals, beginning.strip()) and not beginning.startswith(words.dont_forget_phrases)


def _end_summary(request: RequestContext, *, is_paused: bool) -> Interpretation:
    """Delete or pause the regular summary; where an end or a single day is named, pause it until then or on it."""
    summary = _find_regular_summary(request)
    if not summary:
        return request.answers.say("offline.no_regular_summary")
    for piece in request.reading.pieces("WHEN"):
        bare = request.strip_leading_word(piece, request.words.until_words)
        if bare != piece or request.names_single_day(bare):
            span = {"until" if bare != piece else "during": bare}
            return request.answers.call_tool("reminder_state", {"action": "pause", "reminder_id": summary, **span})
    if is_paused:
        return request.answers.call_tool("reminder_state", {"action": "pause", "reminder_id": summary})
    return request.answers.call_tool("reminder_delete", {"reminder_id": summary})


def _find_regular_summary(request: RequestContext) -> str:
    """Return the id of the only regular summary of the chat, or the content of several; "" for none."""
    summaries = [reminder for reminder in request.reminders if reminder.action is ReminderAction.SUMMARY]
    return "" if not summaries else summaries[0].id if len(summaries) == 1 else summaries[0].content


def _read_separate_repetition(request: RequestContext) -> list[TimeWords]:
    """Return a repetition whose words are separated: "weekly summary at 6pm"."""
    pieces = [request.reading.text_of(token) for token in request.reading.times]
    time = request.parse_time(pieces) if len(pieces) > 1 else None
    return [time] if time is not None and time.best.rrule is not None else []
