"""Choose the half of the day of a clock that leaves it open: 7 in the morning or in the evening."""

from datetime import timedelta
from operator import attrgetter

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.understanding.reading.times import TimeWords, is_clock_alone
from function_calls.understanding.requests.request_context import RequestContext
from services.time_expressions import Reading

_HALF_DAY = timedelta(hours=12)
_MORNING_HOUR, _NOON_HOUR, _EVENING_HOUR = 6, 12, 18
"""The hours at which a bare clock begins to be of the morning, of the afternoon and of the evening."""


def choose_half_of_day(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return `time` in the half of the day that the request or the usual hours tell; ambiguous where neither does."""
    return choose_next_hour(choose_usual_half(_choose_morning(time, request), request), request)


def choose_half_of_part(clock: TimeWords, part: str, request: RequestContext) -> TimeWords:
    """Return `clock` in the part of the day that a lead names: "the night before at 9"."""
    if not is_clock_without_half(clock.words):
        return clock
    parts = request.words.parts_of_day
    named = next((parts[word] for word in part.split() if word in parts), part)  # "noche a las"
    whole = request.parse_time([f"{named}{request.words.joint}{clock.words}"])
    return clock if whole is None or not whole.best.has_clock else whole


def choose_usual_half(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return an ambiguous clock ("tomorrow at 7") in the morning, or in the evening beside words such as "dinner".

    A bare "6" stays ambiguous, but beside words such as "breakfast". Of "every day at 8" either may come first.
    """
    if not time.is_ambiguous:
        return time
    is_repeated = time.best.rrule is not None
    order = attrgetter("start.hour") if is_repeated else attrgetter("start")
    early, late = min(time.readings, key=order), max(time.readings, key=order)
    if _is_same_or_half_day_apart(early, late) and request.has_phrase(request.words.morning_events):
        return replace(time, readings=(early if early.start.hour < _NOON_HOUR else late,), is_ambiguous=False)
    if not (is_repeated or late.start - early.start == _HALF_DAY) or early.start.hour >= _NOON_HOUR:
        return time
    if request.has_phrase(request.words.evening_events):
        return replace(time, readings=(late,), is_ambiguous=False)
    is_open = early.start.hour < _MORNING_HOUR or (early.start.hour, early.start.minute) == (_MORNING_HOUR, 0)
    both = time.readings if is_repeated else (early, late)
    return replace(time, readings=both if is_open else (early,), is_ambiguous=is_open)


def _choose_morning(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return `time` in the morning where the request is about getting up; beside "alarm" it stays ambiguous."""
    best = time.best
    if not best.has_clock:
        return time
    is_getting_up = request.has_part(request.words.morning_phrases)
    if not is_getting_up and not request.has_part(request.words.alarms):
        return time
    words = request.strip_time_words(time.words)
    early = request.parse_time([request.words.in_the_morning.format(time=words)])
    if early is None or not _is_same_or_half_day_apart(early.best, best):
        return time
    if is_getting_up and best.has_day and not early.best.has_day:  # the day is that of an event
        start = best.start.replace(hour=early.best.start.hour, minute=early.best.start.minute)
        return replace(time, readings=(best._replace(start=start),), is_ambiguous=False)
    if is_getting_up:
        return replace(time, readings=early.readings, is_ambiguous=early.is_ambiguous)
    morning = early.best
    if morning.start.hour + _NOON_HOUR != best.start.hour:
        return time
    both = sorted((best, morning), key=attrgetter("start"))
    return replace(time, readings=tuple(both), is_ambiguous=True)


def choose_next_hour(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return a bare hour at night as the next such hour; a bare twelve in the evening stays ambiguous."""
    best = time.best
    if not is_clock_alone(best) or not is_clock_without_half(time.words):
        return time
    if request.now.hour < _MORNING_HOUR:
        early = best._replace(start=best.start - _HALF_DAY)
        return replace(time, readings=(early,), is_ambiguous=False) if early.start > request.now else time
    if request.now.hour < _EVENING_HOUR or best.start.hour != _NOON_HOUR:
        return time
    midnight = best._replace(start=best.start.replace(hour=0))
    return replace(time, readings=(midnight, best), is_ambiguous=True) if midnight.start > request.now else time


def _is_same_or_half_day_apart(one: Reading, other: Reading) -> bool:
    """Return whether two times are the same clock, or its other half of the day."""
    return (one.start.hour - other.start.hour) % _NOON_HOUR == 0 and one.start.minute == other.start.minute
