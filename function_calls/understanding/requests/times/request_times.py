"""Read the times at which a request asks to be reminded."""

import re
from itertools import accumulate, pairwise, takewhile

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.slots.time_words import find_words_beside_times, make_time_words
from function_calls.understanding.reading.times import (
    Span,
    TimeWords,
    choose_nearer_half,
    complete_times,
    is_clock_alone,
    set_clock,
    split_clocks,
    unite_repetitions,
)
from function_calls.understanding.reading.tokens import CLAUSE_ENDS
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.day_halves import choose_half_of_day
from function_calls.understanding.requests.times.event_times import (
    compute_lead_times,
    count_from_event,
    move_to_day_of_event,
)
from function_calls.understanding.requests.times.leads import (
    find_leads,
    parse_lead,
    read_event_times,
    tag_lead_by_words,
)
from function_calls.understanding.requests.times.repeated_times import (
    add_end,
    find_end,
    has_monthly_event,
    repeat_like_first,
    repeat_monthly,
    repeat_yearly,
    says_every_year,
    untag_year_of_lead,
)
from function_calls.understanding.requests.times.unclear_times import MIN_LETTERS, read_around_unknown_words

_FIGURE_OR_HOUR = re.compile(r"\d|[点點时時鐘钟]")


def find_times(request: RequestContext) -> list[TimeWords]:
    """Return the times of a request in order; empty where it names none that exists."""
    request = untag_year_of_lead(_untag_shift_words(tag_lead_by_words(request)))
    pieces = request.reading.pieces("LEAD")
    pieces = [piece for piece in pieces if not are_function_words([piece.strip()], request.words)]
    if pieces and not any(parse_lead(piece, request) for piece in pieces):
        return []
    leads = find_leads(request, has_event=request.reading.has("EVENT"))
    times = compute_lead_times(request, leads) if leads else _read_named_times(request)
    times = [add_end(time, find_end(request, time.best)) for time in times]
    if has_monthly_event(request):
        times = [repeat_monthly(time, request) for time in times]
    if says_every_year(request):
        times = [repeat_yearly(time) for time in times]
    return [clock for time in times for clock in split_clocks(choose_half_of_day(time, request))]


def _untag_shift_words(request: RequestContext) -> RequestContext:
    """Return the request without the tag of words that end one for "later" or "earlier": "más | tarde", 早 | 一点."""
    text, joint = request.words.fold(request.reading.text), request.words.joint
    shifts = [word for word in (*request.words.later, *request.words.earlier) if joint in word]
    untagged = [
        (start, end)
        for start, end in request.reading.spans("WHEN")
        if any(text[:end].endswith(word) and word[1:].endswith(f"{joint}{text[start:end]}") for word in shifts)
    ]
    return request.with_tags(
        NO_TAG if any(a <= token.start < b for a, b in untagged) else tag for token, tag in request.reading.tagged
    )


def _read_named_times(request: RequestContext) -> list[TimeWords]:
    """Return the times tagged as such, or those of an event where no other time is named."""
    reading = request.reading
    spans = request.list_time_spans()
    single = _resolve_correction(request, spans) or _read_clock_of_deadline(request, spans)
    if single is not None:
        return [single]
    pieces, events = reading.slice(spans), reading.pieces("EVENT")
    whole = request.parse_time(pieces)
    uncertain = read_around_unknown_words(pieces, request) if whole is None else None
    if uncertain is not None:
        return uncertain
    if not pieces and events:
        return complete_times(request.parse_times(events))
    times = _parse_pieces(pieces, whole, request)
    if times:
        times = repeat_like_first(unite_repetitions(complete_times(times)), request)
    else:
        times = list(filter(None, [_find_time_outside_content(request)]))
    times = list(accumulate(times, lambda before, time: count_from_event(before, time, request)))
    days = read_event_times(request) if events else []
    return [move_to_day_of_event(time, day, request) for day in days for time in times] if days else times


def _parse_pieces(pieces: list[str], whole: TimeWords | None, request: RequestContext) -> list[TimeWords]:
    """Return the times of `pieces`: the `whole` if they are one, but a last "… later" that is listed by itself."""
    is_listed = bool(pieces) and pieces[-1].casefold().endswith(request.words.elapsed) and are_listed_times(request)
    if is_listed:
        return [*request.parse_times(pieces[:-1]), *request.parse_times(pieces[-1:])]
    return [whole] if whole is not None else request.parse_times(pieces)


def _resolve_correction(request: RequestContext, spans: list[Span]) -> TimeWords | None:
    """Return the last time where it corrects the one before it ("at 6, sorry, at 7"); None for no correction."""
    retracted = request.reading.spans("OLD") if request.is_setting else []  # of a change it is a reference
    olds = spans[:-1] or [span for span in retracted if spans and span[0] < spans[-1][0]]
    if not olds:
        return None
    is_retracted = len(spans) == 1
    if not is_retracted and not _has_correction_word(_find_words_between(olds[-1][1], spans[-1][0], request), request):
        return None
    old = request.parse_time(request.reading.slice(olds[-1:]))
    new = request.parse_time(request.reading.slice(spans[-1:]))
    if old is None or new is None:
        return new
    if is_clock_alone(new.best) and old.best.has_clock and is_clock_without_half(new.words):
        new = replace(new, readings=(choose_nearer_half(new.best, old.best.start),), is_ambiguous=False)
    if not old.best.has_day or not all(map(is_clock_alone, new.readings)):
        return new
    return replace(new, readings=tuple(set_clock(old.best, reading) for reading in new.readings))


def _find_words_between(start: int, end: int, request: RequestContext) -> str:
    """Return the text from `start` to `end` without content: "say if you can make it" corrects nothing."""
    spans = request.reading.spans("CONTENT")
    places = (at for at in range(start, end) if not any(first <= at < last for first, last in spans))
    return "".join(request.reading.text[at] for at in places).casefold()


def _has_correction_word(between: str, request: RequestContext) -> bool:
    """Return whether the words between two times retract the first: "sorry"."""
    if not request.words.joint:
        return any(word in between for word in request.words.corrections)
    spaced = f" {' '.join(''.join(letter if letter.isalnum() else ' ' for letter in between).split())} "
    return any(f" {word} " in spaced for word in request.words.corrections)


def _read_clock_of_deadline(request: RequestContext, spans: list[Span]) -> TimeWords | None:
    """Return the clock behind a deadline, on the days of that: 每天收工前提醒我关灯，大概六点."""
    pieces = request.reading.slice(spans)
    if len(pieces) != 2 or _FIGURE_OR_HOUR.search(pieces[0]) or not pieces[0].endswith(request.words.deadlines):
        return None
    deadline, clock = (request.parse_time([piece]) for piece in pieces)
    if deadline is None or clock is None:
        return None
    near = choose_nearer_half(clock.readings[0], deadline.best.start)
    best = near if is_clock_without_half(clock.words) else clock.readings[0]
    return replace(clock, readings=(set_clock(deadline.best, best),), is_ambiguous=False)


def _find_time_outside_content(request: RequestContext) -> TimeWords | None:
    """Return the first time outside of content and event, where the words tagged as a time are none."""
    reading, around = request.reading, {NO_TAG, "WHEN", "OLD", "UNTIL"}
    if not (reading.has("WHEN") or reading.times):
        return None
    text = "".join(reading.text_of(token) + request.words.joint for token, tag in reading.tagged if tag in around)
    return next((make_time_words(text, time) for time in request.read_times(text)), None)


def are_listed_times(request: RequestContext) -> bool:
    """Return whether the spans of time of one reminder are a list: "at 5 and again at 7", 9:50、11:20.

    Other spans may be the time of an event, a first day or a correction: "Nets Thursday 6am. Wake us 4:45".
    """
    words, text = request.words, request.reading.text
    spans = [span for span in request.reading.spans("WHEN") if not text[slice(*span)].endswith(words.deadlines)]
    joints = {joint for joint in (*words.and_words, *words.beside, *words.too) if joint}
    known_phrases = (*words.same_day_phrases, *words.one_time, *words.counted, *words.counts, *words.beside)
    known_words = joints.union(*(phrase.split() for phrase in known_phrases))  # "once at 5 and once at 8"
    for piece in request.reading.slice(spans):
        expressions = request.read_times(piece)
        other_words = find_words_beside_times(piece, expressions, words) if len(expressions) > 1 else []
        if any(len(word) >= MIN_LETTERS and word not in known_words for word in other_words):
            return False
    for before, span in pairwise(spans):
        between, behind = words.fold(text[before[1] : span[0]]), words.fold(text[span[1] :])
        clause = "".join(takewhile(lambda letter: letter not in CLAUSE_ENDS, behind))
        is_joined = words.has_any(joints, between) or words.has_any(words.too, clause)
        if any(map(str.isalnum, between)) and not is_joined:
            return False
    return True
