"""Find the reminders that a request without a name may be about, and what is known of them."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import ToolCall
from function_calls.understanding.reading.times import list_halves
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.requests.people import list_own, reminds, reminds_only
from function_calls.understanding.requests.request_context import RequestContext
from services.kernel.chat import ChatMessage
from services.recurrence.rules import Rule
from services.reminders.lookup.references import is_moved_from
from services.reminders.model import Reminder
from services.time_expressions import Reading

_MINUTES_A_DAY = 24 * 60
JUST_NOW = timedelta(minutes=5)
"""The time within which people go on with what the bot has done."""


def find_last_reminder(request: RequestContext) -> Reminder | None:
    """Return the reminder that a request without a name is about; None for none or several."""
    found = list_last_reminders(request)
    return found[0] if len(found) == 1 else None


def find_due(reminder: Reminder | None, now: datetime) -> datetime | None:
    """Return when a reminder comes next, in the zone of `now`; None where it does not come."""
    return reminder.next_fires[0].astimezone(now.tzinfo) if reminder is not None and reminder.next_fires else None


def find_rule(reminder: Reminder | None) -> Rule | None:
    """Return the repetition of a reminder; None where it comes once, or there is none."""
    return None if reminder is None else reminder.schedule.rule


def find_messages_of(content: str, request: RequestContext) -> list[ChatMessage]:
    """Return the messages of people with the text of a reminder, newest first."""
    people = (each for each in reversed(request.turn.recent) if not each.sender.is_bot)
    name = request.words.fold(content)
    return [each for each in people if name and name in request.words.fold(each.text)]


def find_old_lead(content: str, due: datetime, request: RequestContext) -> timedelta:
    """Return the time from a reminder to the event in the message of the chat that set it: "gig at 7, an hour before".

    The event has the only time of that message with a day behind the reminder; without a lead it is zero.
    """
    words = request.words
    for message in find_messages_of(content, request):
        if not words.has_any(words.ahead, re.sub(r"\W", " ", words.fold(message.text))):
            continue
        sent = message.sent_at.astimezone(request.now.tzinfo)
        for text in (message.text, _find_event_beside_ahead(message.text, request)):
            times = request.read_times(text, sent)
            found = [min(leads) for time in times if (leads := _list_leads(time.readings, due))]
            if len(found) == 1:
                return found[0]
    return timedelta()


def _list_leads(events: Sequence[Reading], due: datetime) -> list[timedelta]:
    """Return the times from `due` to the `events` behind it that have a day; one without a clock is at its clock."""
    dated = [each for each in events if each.has_day]
    starts = [each.start if each.has_clock else datetime.combine(each.start, due.timetz()) for each in dated]
    return [start - due for start in starts if start > due]


def _find_event_beside_ahead(text: str, request: RequestContext) -> str:
    """Return the words of an event behind "before" ("two days before 12 December"), in Chinese in front of 前."""
    parts = [text.partition(f"{request.words.joint}{word}{request.words.joint}") for word in request.words.ahead]
    ahead, _, behind = next((each for each in parts if each[1]), ("", "", ""))
    return behind if request.words.joint else ahead


def list_last_reminders(request: RequestContext) -> list[Reminder]:
    """Return the reminder just asked about, else the one set last by the person, or since then by another for them."""
    if request.discussed_reminder is not None:
        return [request.discussed_reminder]
    own, other = list_set_by_call(request.last_set, request), list_set_by_other(request)
    corrects_own = len(own) == 1 and request.has_word(request.words.slips)
    if corrects_own or len(other) != 1 or not reminds(other[0], request.turn.message.sender):
        return own
    return [_choose_by_clock(own[0], other[0], request)] if len(own) == 1 else other


def _choose_by_clock(own: Reminder, other: Reminder, request: RequestContext) -> Reminder:
    """Return of two reminders the one at the clock of a remark, else the one nearer to the new clock, else `other`."""
    times = [request.parse_time([text]) for text in list_untagged_times(request)]
    clocks = [time.words for time in times if time is not None and time.best.has_clock]  # "make it 2, I'm busy at 1"
    mentioned = [fits for words in clocks if len(fits := request.filter_by_time(words, (own, other))) == 1]
    if len(mentioned) == 1:
        return mentioned[0][0]
    time = request.parse_time(request.reading.pieces("WHEN"))
    if time is None or not time.best.has_clock:
        return other
    halves = list_halves(time.best) if is_clock_without_half(time.words) else (time.best,)
    minutes = [half.start.hour * 60 + half.start.minute for half in halves]
    return min((other, own), key=lambda each: min(_count_minutes_between(each, at, request.now) for at in minutes))


def list_untagged_times(request: RequestContext) -> list[str]:
    """Return the words of the times of a request that are no part of it."""
    return [request.reading.text_of(token) for token in request.reading.untagged if is_time(token)]


def list_set_by_call(call: ToolCall | None, request: RequestContext) -> list[Reminder]:
    """Return the reminders for or of the person who asks that have the text of `call`."""
    content = None if call is None else call.arguments.get("content")
    return list(leave_out_moved([each for each in list_own(request) if each.content == content]))


def list_set_by_other(request: RequestContext) -> list[Reminder]:
    """Return the reminder that another person has just set, or has changed if it reminds only the sender.

    A change counts until the bot answers the sender.
    """
    found = list_set_by_call(request.last_of_other, request)
    if found:
        return found
    turn, sender = request.turn, request.turn.message.sender
    authors = {message.id: message.sender.id for message in turn.recent}
    for answer in (message for message in reversed(turn.recent) if message.sender.is_bot):
        author = None if answer.reply_to is None else authors.get(answer.reply_to)
        if author in {None, sender.id} or turn.now - answer.sent_at > JUST_NOW:
            break
        found = [reminder for reminder in request.reminders if f"[{reminder.id}]" in answer.text]
        if found:
            return found if len(found) == 1 and reminds_only(found[0], sender) else []
    return []


def leave_out_moved(found: Sequence[Reminder]) -> tuple[Reminder, ...]:
    """Return the reminders of `found` but the moved occurrences of others of them."""
    return tuple([each for each in found if not any(is_moved_from(each, series) for series in found)])


def _count_minutes_between(reminder: Reminder, clock: int, now: datetime) -> int:
    """Return the minutes between the clock of a reminder and `clock`, which counts from midnight."""
    due = find_due(reminder, now)
    if due is None:
        return _MINUTES_A_DAY
    minutes = abs(due.hour * 60 + due.minute - clock)
    return min(minutes, _MINUTES_A_DAY - minutes)
