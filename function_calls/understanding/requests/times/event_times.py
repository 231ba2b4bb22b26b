"""Compute when to remind from the time of an event: ahead of it, or on its day."""

from datetime import timedelta

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.understanding.reading.slots.small_words import find_longest_ending, is_figure
from function_calls.understanding.reading.times import (
    Span,
    TimeWords,
    list_halves,
    move_to_day,
    set_clock,
    subtract_lead,
)
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.day_halves import (
    choose_half_of_part,
    choose_next_hour,
    choose_usual_half,
)
from function_calls.understanding.requests.times.leads import Lead

_DAY = timedelta(days=1)
_BRACKETS = frozenset("(（")
_MAX_TIME_AFTER_EVENT = timedelta(hours=6)
"""The longest time from an event to a reminder of it."""


def compute_lead_times(request: RequestContext, leads: list[Lead]) -> list[TimeWords]:
    """Return the times that lie ahead of an event, and those named beside it."""
    reading = request.reading
    lengths = [length for length, _ in leads]
    spans = request.list_time_spans() if reading.has("LEAD") else []
    on_day = _list_spans_on_same_day(spans, request)
    spans = [span for span in spans if span not in on_day]
    pieces = reading.slice(spans)
    events = [_strip_deadline(piece, request) for piece in reading.pieces("EVENT")]
    if not pieces and not events:
        is_ahead = request.has_word((*request.words.ahead, *request.words.earlier))
        return [] if is_ahead else _parse_time_from_now(reading.words("LEAD"), request)
    clock, times = _read_times_beside_lead(pieces, events, request)
    part = next((part for _, part in leads if part is not None), None)
    named = choose_half_of_part(clock, part.words, request) if clock and part else clock or part
    clock = named if named is not None and named.best.has_clock else None  # "a week before and the night before"
    early = [subtract_lead(event, length, clock or part) for event in times for length, part in leads]
    ahead = [each for each in early if each is not None]
    same_day = request.parse_times(reading.slice(on_day)) if len(times) == 1 else []
    ahead += [_move_ahead_on_day(time, times[0]) for time in same_day]
    if not events and _names_day_of_lead(request, spans, lengths):
        return times
    if named is not None and not pieces and _names_day_of_lead(request, reading.spans("EVENT"), lengths):
        return [replace(day, readings=(set_clock(day.best, named.best),)) for day in times]
    if events and len(times) > 1 and request.has_word(request.words.too):  # "… at 3pm, and at 8am as well"
        return [*ahead[: len(lengths)], *times[1:]]
    are_both = not events and _asks_for_lead_as_well(spans[-1], reading.spans("LEAD")[0], request)
    return [*times, *ahead] if are_both else ahead


def _read_times_beside_lead(
    pieces: list[str], events: list[str], request: RequestContext
) -> tuple[TimeWords | None, list[TimeWords]]:
    """Return the clock of a reminder, if it is apart from its event, and the times from which leads count back."""
    if events and pieces:
        whole = request.parse_time([*events, *pieces])
        if whole is not None:  # "her birthday is 12 June, remind me a week before every year"
            return None, [whole]
    clock = request.parse_time(pieces) if events and pieces else None
    times = [choose_next_hour(time, request) for time in request.parse_times(events or pieces)]
    return clock, [time if time.best.rrule else choose_usual_half(time, request) for time in times]


def _list_spans_on_same_day(spans: list[Span], request: RequestContext) -> list[Span]:
    """Return the spans of times behind the leads for another reminder on the day of the event: "and again that day"."""
    words, text, end = request.words, request.reading.text, max(request.reading.spans("LEAD"), default=(0, 0))[1]
    ahead = {start: words.fold(text[end:stop]) for start, stop in spans if start >= end > 0}
    return [
        (start, stop)
        for start, stop in spans
        if words.has_any(words.beside, ahead.get(start, "")) and words.has_any(words.same_day_phrases, ahead[start])
    ]


def _move_ahead_on_day(time: TimeWords, event: TimeWords) -> TimeWords:
    """Return `time` on the day of an event, a bare hour in the half of the day that is ahead of it."""
    moved = [move_to_day(reading, event.best.start.date()) for reading in time.readings]
    if is_clock_without_half(time.words):
        halves = [half for reading in moved for half in list_halves(reading) if half.start < event.best.start]
        moved = sorted(halves, key=lambda half: half.start)[-1:] or moved
    return replace(time, readings=tuple(each._replace(has_day=True) for each in moved), is_ambiguous=False)


def _strip_deadline(piece: str, request: RequestContext) -> str:
    """Return a day without the word that makes it a deadline, from which a lead counts as well: "before 3 December"."""
    words = request.words
    ending = find_longest_ending(piece, words.deadlines)
    bare = request.strip_leading_word(piece, words.deadlines) if words.joint else piece.removesuffix(ending)
    return bare if request.read_times(bare) else piece


def _names_day_of_lead(request: RequestContext, spans: list[Span], lengths: list[timedelta]) -> bool:
    """Return whether the day to which leads of `lengths` count back follows them: "the day before, 29 May, at 6pm".

    A day tagged as that of the event is meant only in brackets: "the evening before (11th)".
    """
    if not request.reading.has("LEAD"):
        return False
    end = request.reading.spans("LEAD")[-1][1]
    gap = request.reading.text[end : spans[0][0]] if spans[0][0] >= end else "-"
    is_set_apart = request.reading.has("WHEN") or bool(_BRACKETS & set(gap))
    between = gap.strip(" ,，(（").casefold()
    return is_set_apart and between in {"", *request.words.ahead} and all(length >= _DAY for length in lengths)


def _asks_for_lead_as_well(when: Span, lead: Span, request: RequestContext) -> bool:
    """Return whether a lead behind the time `when` asks for another reminder: "at 5, and again 10 minutes before"."""
    untagged = request.reading.untagged
    forms = [token.form for token in untagged if when[1] <= token.start < lead[0] or token.start >= lead[1]]
    return lead[0] >= when[1] and request.words.has_any(request.words.beside, request.words.joint.join(forms))


def _parse_time_from_now(amount: str, request: RequestContext) -> list[TimeWords]:
    """Return the time that an amount names from now: "remind me half an hour to check the oven"."""
    if is_figure(amount) or request.parse_length(amount) is None:
        return []
    times = (request.parse_time([form.format(amount=amount)]) for form in request.words.amount_ahead)
    return [time for time in times if time is not None][:1]


def move_to_day_of_event(time: TimeWords, event_time: TimeWords, request: RequestContext) -> TimeWords:
    """Return `time` on the day of an event, where it names a clock alone; of an event that repeats, it repeats as well.

    A bare hour is in the half of the day that is nearer to the event. A time long after the event is on the day before:
    "exam tomorrow at 9, remind me at 8pm".
    """
    event = event_time.best
    if time.best.has_day:
        return count_from_event(event_time, time, request)
    if event.part and not event.has_clock and event.rrule is None:
        whole = request.parse_time([event_time.words, time.words])
        if whole is not None:
            return whole
    moved = tuple(move_to_day(reading, event.start.date()) for reading in time.readings)
    if event.has_clock and is_clock_without_half(time.words):
        both = [half for reading in moved for half in list_halves(reading)]
        moved = (min(both, key=lambda half: (abs(half.start - event.start), half.start)),)
    if event.has_clock and event.rrule is None and moved[0].start - event.start > _MAX_TIME_AFTER_EVENT:
        moved = tuple(reading._replace(start=reading.start - _DAY) for reading in moved)
    dated = (reading._replace(has_day=True) if event.rrule is None else set_clock(event, reading) for reading in moved)
    return replace(time, readings=tuple(dated), is_ambiguous=False)


def count_from_event(event: TimeWords, time: TimeWords, request: RequestContext) -> TimeWords:
    """Return an amount of time "later" that ends behind the clock of `event` counted from there: 两点开始…48小时后."""
    is_later = time.words.strip().casefold().endswith(request.words.elapsed) and event.best.rrule is None
    if not is_later or not (event.best.has_clock and request.now < event.best.start < time.best.start):
        return time
    later = time.best.start - request.now
    return replace(time, readings=(time.best._replace(start=event.best.start + later),), is_ambiguous=False)
