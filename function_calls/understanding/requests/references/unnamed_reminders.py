"""Find the reminder that a request without a name is about."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import ToolCall
from function_calls.understanding.reading.times import list_halves
from function_calls.understanding.requests.chat_reminders import IT
from function_calls.understanding.requests.known_reminders import find_due
from function_calls.understanding.requests.people import list_own_reminders, reminds, reminds_only
from function_calls.understanding.requests.references.remarks import list_untagged_times
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.lookup.references import is_moved_from
from services.reminders.model import Reminder

_MINUTES_A_DAY = 24 * 60
JUST_NOW = timedelta(minutes=5)
"""The time within which people go on with what the bot has done."""
_SERIES_INTENTS = frozenset({"skip", "keep_days", "until", "pause"})
"""Intents of repeating reminders, which an occurrence that was moved is not."""


def find_default_reference(request: RequestContext) -> str:
    """Return the reference of a request without a name: "it", or an id where the reminder is not one of the sender's.

    It is the only one that the person has just asked about, or one that another person has set for them; for changes of
    the repetition the one that repeats, not an occurrence of it that was moved.
    """
    if request.discussed_reminder is not None:
        return request.discussed_reminder.id
    if request.chat_reminders is None:
        return IT
    set_last = list_set_by_call(request.last_set, request)
    has_moved = any(is_moved_from(each, series) for series in set_last for each in request.reminders)
    if has_moved and (request.reading.intent in _SERIES_INTENTS or request.has_word(request.words.always)):
        return set_last[0].id
    times = list_untagged_times(request) if len(set_last) > 1 else []
    ids = {each.id for words in times for each in request.filter_by_time(words, set_last)}
    if len(ids) == 1:
        return ids.pop()
    last = list_last_reminders(request) if len(list_set_by_other_person(request)) == 1 else []
    return last[0].id if len(last) == 1 else IT


def find_newest_shared(request: RequestContext) -> Reminder | None:
    """Return the reminder for the person who asks and others that the bot has mentioned last, or the newest of them."""
    sender = request.turn.message.sender
    own = [reminder for reminder in request.reminders if reminds(reminder, sender)]
    day = request.reading.only_time  # "don't wake me tomorrow"
    on_day = request.filter_by_time(day, own) if day else ()
    shared = [reminder for reminder in on_day or own if not reminds_only(reminder, sender)]
    answers = [message.text for message in reversed(request.turn.recent) if message.sender.is_bot]
    mentioned = [[each for each in shared if f"[{each.id}]" in answer] for answer in answers]
    last = next(filter(None, mentioned), [])
    return last[0] if len(last) == 1 else max(shared, key=lambda each: each.created_at, default=None)


def find_last_reminder(request: RequestContext) -> Reminder | None:
    """Return the reminder that a request without a name is about; None for none or several."""
    reminders = list_last_reminders(request)
    return reminders[0] if len(reminders) == 1 else None


def list_last_reminders(request: RequestContext) -> list[Reminder]:
    """Return the reminder just asked about, else the one set last by the person, or since then by another for them."""
    if request.discussed_reminder is not None:
        return [request.discussed_reminder]
    own, other = list_set_by_call(request.last_set, request), list_set_by_other_person(request)
    corrects_own = len(own) == 1 and request.has_word(request.words.slips)
    if corrects_own or len(other) != 1 or not reminds(other[0], request.turn.message.sender):
        return own
    return [_choose_by_clock(own[0], other[0], request)] if len(own) == 1 else other


def _choose_by_clock(own: Reminder, other: Reminder, request: RequestContext) -> Reminder:
    """Return of two reminders the one at the clock of a remark, else the one nearer to the new clock, else `other`."""
    times = [request.parse_time([text]) for text in list_untagged_times(request)]
    clocks = [time.words for time in times if time is not None and time.best.has_clock]  # "make it 2, I'm busy at 1"
    mentioned = [at_clock for words in clocks if len(at_clock := request.filter_by_time(words, (own, other))) == 1]
    if len(mentioned) == 1:
        return mentioned[0][0]
    time = request.parse_time(request.reading.pieces("WHEN"))
    if time is None or not time.best.has_clock:
        return other
    halves = list_halves(time.best) if is_clock_without_half(time.words) else (time.best,)
    minutes = [half.start.hour * 60 + half.start.minute for half in halves]
    return min((other, own), key=lambda each: min(_count_minutes_between(each, at, request.now) for at in minutes))


def _count_minutes_between(reminder: Reminder, clock: int, now: datetime) -> int:
    """Return the minutes between the clock of a reminder and `clock`, which counts from midnight."""
    due = find_due(reminder, now)
    if due is None:
        return _MINUTES_A_DAY
    minutes = abs(due.hour * 60 + due.minute - clock)
    return min(minutes, _MINUTES_A_DAY - minutes)


def list_set_by_call(call: ToolCall | None, request: RequestContext) -> list[Reminder]:
    """Return the reminders for or of the person who asks that have the text of `call`."""
    content = None if call is None else call.arguments.get("content")
    return list(leave_out_moved_occurrences([each for each in list_own_reminders(request) if each.content == content]))


def list_set_by_other_person(request: RequestContext) -> list[Reminder]:
    """Return the reminder that another person has just set, or has changed if it reminds only the sender.

    A change counts until the bot answers the sender.
    """
    reminders = list_set_by_call(request.last_set_by_other, request)
    if reminders:
        return reminders
    turn, sender = request.turn, request.turn.message.sender
    authors = {message.id: message.sender.id for message in turn.recent}
    for answer in (message for message in reversed(turn.recent) if message.sender.is_bot):
        author = None if answer.reply_to is None else authors.get(answer.reply_to)
        if author in {None, sender.id} or turn.now - answer.sent_at > JUST_NOW:
            break
        reminders = [reminder for reminder in request.reminders if f"[{reminder.id}]" in answer.text]
        if reminders:
            return reminders if len(reminders) == 1 and reminds_only(reminders[0], sender) else []
    return []


def leave_out_moved_occurrences(reminders: Sequence[Reminder]) -> tuple[Reminder, ...]:
    """Return `reminders` without those that are a moved occurrence of another one of them."""
    return tuple([each for each in reminders if not any(is_moved_from(each, series) for series in reminders)])
