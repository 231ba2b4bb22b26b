"""Find the reminders that a request without a name may be about, and what is known of them."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.tools.calls import ToolCall
from function_calls.understanding.reading.times import list_halves
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.requests.request_context import RequestContext
from services.kernel.chat import ChatMessage, Person
from services.recurrence.rules import Rule
from services.reminders.lookup.references import is_moved_from
from services.reminders.model import EVERYONE, Reminder
from services.time_expressions import Reading

_DAY = 24 * 60
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
    for told in find_messages_of(content, request):
        sent = told.sent_at.astimezone(request.now.tzinfo)
        is_ahead = request.words.has_any(request.words.ahead, re.sub(r"\W", " ", request.words.fold(told.text)))
        texts = (told.text, _find_words_ahead(told.text, request))  # "two days before 12 December" is one time
        for times in (request.read_times(text, sent) for text in texts if is_ahead):
            found = [min(leads) for time in times if (leads := _list_leads(time.readings, due))]
            if len(found) == 1:
                return found[0]
    return timedelta()


def _list_leads(events: Sequence[Reading], due: datetime) -> list[timedelta]:
    """Return the times from a reminder to those of `events` with a day that come behind it; at its clock for days."""
    named = [each for each in events if each.has_day]
    starts = [each.start if each.has_clock else datetime.combine(each.start, due.timetz()) for each in named]
    return [start - due for start in starts if start > due]


def _find_words_ahead(text: str, request: RequestContext) -> str:
    """Return the words of an event behind "before" ("two days before 12 December"), in Chinese in front of 前."""
    found = [text.partition(f"{request.words.joint}{word}{request.words.joint}") for word in request.words.ahead]
    before, _, behind = next((each for each in found if each[1]), ("", "", ""))
    return behind if request.words.joint else before


def list_last_reminders(request: RequestContext) -> list[Reminder]:
    """Return the reminder set last by the person who asks, or since then by another person for them.

    Of two it is the one whose clock is nearer to the one that the request names; the one that the person has just asked
    about comes first.
    """
    if request.listed is not None:
        return [request.listed]
    own, other = list_set_by_call(request.last_set, request), list_set_by_other(request)
    is_own_slip = len(own) == 1 and request.has_word(request.words.slips)
    if is_own_slip or len(other) != 1 or not reminds(other[0], request.turn.message.sender):
        return own
    if len(own) == 1:
        told = _list_untagged_clocks(request)
        mentioned = [fits for words in told if len(fits := request.filter_by_time(words, (*own, *other))) == 1]
        if len(mentioned) == 1:
            return list(mentioned[0])
    time = request.parse_time(request.reading.pieces("WHEN"))
    if len(own) != 1 or time is None or not time.best.has_clock:
        return other
    named = list_halves(time.best) if is_clock_without_half(time.words) else (time.best,)
    clocks = [name.start.hour * 60 + name.start.minute for name in named]
    return min(
        (other, own),
        key=lambda reminder: min(_count_minutes_between(reminder[0], clock, request.now) for clock in clocks),
    )


def _list_untagged_clocks(request: RequestContext) -> list[str]:
    """Return the words of the clocks of a request that are no part of it: "make it 2, I'm busy at 1"."""
    texts = list_untagged_times(request)
    times = [request.parse_time([text]) for text in texts]
    return [time.words for time in times if time is not None and time.best.has_clock]


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
    turn = request.turn
    authors = {message.id: message.sender.id for message in turn.recent}
    for answer in reversed(turn.recent):
        if not answer.sender.is_bot:
            continue
        author = None if answer.reply_to is None else authors.get(answer.reply_to)
        if author in {None, turn.message.sender.id} or turn.now - answer.sent_at > JUST_NOW:
            break
        found = [reminder for reminder in request.reminders if f"[{reminder.id}]" in answer.text]
        if found:
            return found if len(found) == 1 and reminds_only(found[0], turn.message.sender) else []
    return []


def leave_out_moved(found: Sequence[Reminder]) -> tuple[Reminder, ...]:
    """Return the reminders of `found` but the moved occurrences of others of them."""
    return tuple([each for each in found if not any(is_moved_from(each, series) for series in found)])


def _count_minutes_between(reminder: Reminder, clock: int, now: datetime) -> int:
    """Return the minutes between the clock of a reminder and `clock`, which counts from midnight."""
    due = find_due(reminder, now)
    if due is None:
        return _DAY
    apart = abs(due.hour * 60 + due.minute - clock)
    return min(apart, _DAY - apart)


def reminds(reminder: Reminder, person: Person) -> bool:
    """Return whether `person` is one of the people of a reminder, by id or name."""
    people = reminder.targets or (reminder.creator,)
    return any(target.id == EVERYONE or _is_same_person(target, person) for target in people)


def list_own(request: RequestContext) -> list[Reminder]:
    """Return the reminders that the person has set, or that remind them."""
    own = request.turn.message.sender
    return [reminder for reminder in request.reminders if reminder.creator.id == own.id or reminds(reminder, own)]


def reminds_only(reminder: Reminder, person: Person) -> bool:
    """Return whether a reminder is for nobody but `person`."""
    return all(_is_same_person(target, person) for target in reminder.targets or (reminder.creator,))


def _is_same_person(target: Person, person: Person) -> bool:
    """Return whether a target is `person`, by id, or by name where it was only mentioned."""
    return target.id == person.id or target.name.lstrip("@").casefold() == person.name.casefold()
