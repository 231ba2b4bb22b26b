"""Read amounts of time in changes: a shift, a correction of an earlier amount, a bare number."""

import re
from datetime import datetime, timedelta

from msgspec.structs import replace

from function_calls.understanding.reading.slots.small_words import is_figure
from function_calls.understanding.reading.times import HOURS_A_HALF, TimeWords
from function_calls.understanding.reminder_times import format_shift, format_time
from function_calls.understanding.requests.known_reminders import find_due, find_messages_of
from function_calls.understanding.requests.references.named_reminders import find_named_reminder
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.model import Reminder

_MINUTE, _HOUR, _DAY, _WEEK = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
_ANSWER_TIME = timedelta(seconds=2)
"""The longest time between a message and the reminder that it sets."""
_FAR_CLOCK = timedelta(hours=3)
"""The time behind which nobody means a clock by a bare number of minutes."""
_COUNT = re.compile(r"(?P<ahead>\D*?) ?(?P<count>\d{1,3})")


def make_amount_arguments(request: RequestContext, time: TimeWords) -> dict[str, object] | None:
    """Return the arguments of an amount of time: "20 minutes sooner", or "20" after "in 15 minutes"."""
    piece, words = request.reading.words("WHEN"), request.words
    corrected = _correct_count(piece, request) or _correct_minutes(piece, request)
    if corrected is not None or is_figure(piece):
        return corrected
    if time.best.has_clock and time.best.has_day and request.has_word(words.same_time):
        return {"time": f"{time.best.wall:%Y-%m-%d}"}
    is_earlier = request.has_word(words.earlier)
    # "Una hora más tarde" is one token.
    is_later_in_token = "@offset" in request.reading.forms and words.has_any(words.later, words.fold(piece))
    is_shift = is_earlier or is_later_in_token or request.has_word(words.later)
    has_clock = ("@clock", "WHEN") in zip(request.reading.forms, request.reading.tags, strict=True)
    length = request.parse_length(piece) if is_shift and not has_clock else None
    return None if length is None else {"time": format_shift(-length if is_earlier else length)}


def _correct_count(piece: str, request: RequestContext) -> dict[str, object] | None:
    """Return the time or the repetition of a bare number that corrects an amount of time, in the unit of that.

    "No, 3" and "in 3" after "in 2 hours" are hours, "every 3" after "every 2 days" is days.
    """
    words = request.words
    bare = piece.strip()
    match = _COUNT.fullmatch(words.fold(bare))
    count = 0 if match is None else int(match["count"])
    reminder = find_named_reminder(request) if count else None
    if match is None or reminder is None:
        return None
    rule, due = reminder.schedule.rule, find_due(reminder, request.now)
    if match["ahead"] in words.each:
        changed = None if rule is None else str(replace(rule, interval=count))
        return None if changed is None or due is None else {"time": format_time(due), "rrule": changed}
    slips = [word for word in words.corrections if " " not in word]  # "make it 2" may be a clock
    is_bare = not match["ahead"] and count <= HOURS_A_HALF and request.has_phrase(slips)
    is_after = bare.casefold() in [form.format(amount=count) for form in words.amount_ahead]
    amount = find_amount_of_setting(reminder, request) if is_bare or is_after else None
    units = (_WEEK, _DAY, _HOUR) if is_after else (_HOUR,)
    unit = next((unit for unit in units if amount and not amount % unit), None)
    return None if unit is None else {"time": format_time(request.now + count * unit)}


def _correct_minutes(piece: str, request: RequestContext) -> dict[str, object] | None:
    """Return the time in as many minutes as a bare number says; None where it is an hour.

    It counts minutes if the reminder comes within the hour, and if no clock has such an hour; or if the reminder was
    set by an amount of time, and the next such hour is far.
    """
    last = None if request.last_set is None else request.last_set.arguments.get("time")
    last_time = request.read_only_time(str(last)) if last else None
    reminder = find_named_reminder(request)
    due = find_due(reminder, request.now) or (last_time.start if reminder is None and last_time is not None else None)
    if due is None or not timedelta() < due - request.now <= _HOUR:
        return None
    amount = request.parse_length(request.words.as_length.format(minutes=piece))
    if amount is None or request.parse_length(piece) not in {None, amount}:  # "an hour and a half"
        return None
    is_minutes = amount > timedelta(minutes=HOURS_A_HALF) or _was_set_by_amount(due, piece, request)
    return {"time": format_time(request.now + amount)} if is_minutes else None


def _was_set_by_amount(due: datetime, piece: str, request: RequestContext) -> bool:
    """Return whether the reminder at `due` was set once by whole minutes, and the next hour `piece` is far."""
    reminder = find_named_reminder(request)
    clock = request.parse_time([piece])
    if reminder is None or clock is None or reminder.schedule.rule is not None or due - reminder.created_at > _HOUR:
        return False
    is_whole = (due - reminder.created_at + _ANSWER_TIME) % _MINUTE <= 2 * _ANSWER_TIME
    return is_whole and min(half.start for half in clock.readings) - due > _FAR_CLOCK


def corrects_amount(request: RequestContext) -> bool:
    """Return whether an amount of time replaces the previous one: "sorry, I meant 20 minutes"."""
    words = request.words
    is_shift = request.has_word(words.later) or request.has_word(words.earlier)
    reminder = None if is_shift else find_named_reminder(request)
    due, was_amount = find_due(reminder, request.now), find_amount_of_setting(reminder, request) is not None
    if due is None or (due - request.now >= _DAY and not was_amount):
        return False
    return request.has_phrase(words.corrections) or (was_amount and request.has_phrase(words.substitutes))


def find_amount_of_setting(
    reminder: Reminder | None, request: RequestContext, *, repeats: bool = False
) -> timedelta | None:
    """Return the amount of time after which a message of the chat asked to be reminded: "in 2 hours"; None for others.

    Such a time counts from the message, so that it is another one a minute later. With `repeats` it is "every 2 hours".
    """
    messages = find_messages_of("" if reminder is None else reminder.content, request)
    if not messages:
        return None
    sent = messages[0].sent_at.astimezone(request.now.tzinfo)
    times, later_times = (request.read_times(messages[0].text, at) for at in (sent, sent + _MINUTE))
    if len(times) != 1 or len(later_times) != 1:
        return None
    first, second = times[0].best, later_times[0].best
    if first is None or second is None or (first.rrule is not None) != repeats or second.start - first.start != _MINUTE:
        return None
    return first.start - sent
