"""Read when a known reminder comes, and how long before its event."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from function_calls.understanding.reading.times import is_clock_alone, names_only_day
from function_calls.understanding.requests.request_context import RequestContext
from services.kernel.chat import ChatMessage
from services.recurrence.rules import WEEKDAYS, Rule
from services.reminders.model import Reminder
from services.time_expressions import Reading, TimeReadings


def find_due(reminder: Reminder | None, now: datetime) -> datetime | None:
    """Return when a reminder comes next, in the zone of `now`; None where it does not come."""
    return reminder.next_fires[0].astimezone(now.tzinfo) if reminder is not None and reminder.next_fires else None


def find_rule(reminder: Reminder | None) -> Rule | None:
    """Return the repetition of a reminder; None where it comes once, or there is none."""
    return None if reminder is None else reminder.schedule.rule


def list_weekdays(rule: Rule) -> list[str]:
    """Return the weekdays of a repetition, as in BYDAY."""
    return [WEEKDAYS[day] for _, day in rule.days]


def find_messages_of(content: str, request: RequestContext) -> list[ChatMessage]:
    """Return the messages of people with the text of a reminder, newest first."""
    people = (each for each in reversed(request.turn.recent) if not each.sender.is_bot)
    name = request.words.fold(content)
    return [each for each in people if name and name in request.words.fold(each.text)]


def find_old_lead(content: str, due: datetime, request: RequestContext) -> timedelta:
    """Return the time from a reminder to the event in the message of the chat that set it: "gig at 7, an hour before".

    The event has the only time of that message with a day behind the reminder, or a clock on the same day; without a
    lead it is zero.
    """
    words = request.words
    for message in find_messages_of(content, request):
        if not words.has_any(words.ahead, re.sub(r"\W", " ", words.fold(message.text))):
            continue
        for times in _read_event_times(message, request):
            nearest_leads = [min(leads) for time in times if (leads := _list_leads(time.readings, due))]
            if len(nearest_leads) == 1:
                return nearest_leads[0]
    return timedelta()


def _read_event_times(message: ChatMessage, request: RequestContext) -> Iterator[Sequence[TimeReadings]]:
    """Yield the times of a message, then those beside "before", and at last only the days of these."""
    sent = message.sent_at.astimezone(request.now.tzinfo)
    yield request.read_times(message.text, sent)
    event = _find_event_beside_ahead(message.text, request)
    yield request.read_times(event, sent)
    yield [day for day in request.read_times(event, sent, eager=True) if names_only_day(day.best)]


def _list_leads(events: Sequence[Reading], due: datetime) -> list[timedelta]:
    """Return the times from `due` to the `events` behind it that have a day or a clock alone."""
    starts = [_complete_event(each, due) for each in events if each.has_day or is_clock_alone(each)]
    return [start - due for start in starts if start > due]


def _complete_event(event: Reading, due: datetime) -> datetime:
    """Return the time of an event, which is on the day of `due` or at its clock where it has none of its own."""
    day, clock = (event.start if has_own else due for has_own in (event.has_day, event.has_clock))
    return datetime.combine(day, clock.timetz())


def _find_event_beside_ahead(text: str, request: RequestContext) -> str:
    """Return the words of an event behind "before" ("two days before 12 December"), in Chinese in front of 前."""
    parts = [text.partition(f"{request.words.joint}{word}{request.words.joint}") for word in request.words.ahead]
    ahead, _, behind = next((each for each in parts if each[1]), ("", "", ""))
    return behind if request.words.joint else ahead
