"""Read the times of a request: when to remind, before which event, until when; corrections replace times."""

import re
from datetime import timedelta
from itertools import accumulate, pairwise, takewhile

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half, phrases
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.slots.small_words import are_function_words, is_figure
from function_calls.understanding.reading.slots.time_words import find_words_beside_times, make_time_words
from function_calls.understanding.reading.times import (
    TimeWords,
    choose_nearer_half,
    complete_times,
    find_impossible_times,
    is_clock_alone,
    list_halves,
    move_to_day,
    names_only_day,
    set_clock,
    split_clocks,
    subtract_lead,
    unite_repetitions,
)
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, is_time
from function_calls.understanding.requests.day_halves import (
    choose_half_of_day,
    choose_half_of_part,
    choose_next_hour,
    choose_usual_half,
)
from function_calls.understanding.requests.leads import (
    Lead,
    find_leads,
    parse_lead,
    read_event_times,
    tag_lead_by_words,
)
from function_calls.understanding.requests.request_context import RequestContext
from services.time_expressions import Reading

_DAY = timedelta(days=1)
_FEWEST_LETTERS = 3
"""The letters of an unread word that may change a time."""
_SETTING_INTENTS = frozenset({"set", "answer_when", "repeat_last", "summary_schedule"})
_PAIR_OF_TIMES = 2
_EVERY_DAY, _BY_DAYS = "FREQ=DAILY;BYHOUR=", ("FREQ=DAILY;", "FREQ=WEEKLY;")
_BRACKETS = frozenset("(（")
_FIGURE_OR_HOUR = re.compile(r"\d|[点點时時鐘钟]")
_RULE_ON_DAYS = re.compile(
    r"FREQ=(?P<frequency>MONTHLY|WEEKLY);(?:(?<=MONTHLY;)BYMONTHDAY|(?<=WEEKLY;)BYDAY)=[^;,]+"
    r"(?:;BYHOUR=\d+;BYMINUTE=\d+)?"
)
_LONGEST_MONTH = timedelta(days=32)
_LONGEST_AFTER_EVENT = timedelta(hours=6)
"""The longest time from an event to a reminder of it."""

Span = tuple[int, int]


def find_times(request: RequestContext) -> list[TimeWords]:
    """Return the times of a request in order; empty where it names none that exists."""
    request = _untag_shift_words(tag_lead_by_words(request))
    pieces = request.reading.pieces("LEAD")
    pieces = [piece for piece in pieces if not are_function_words([piece.strip()], request.words)]
    if pieces and not any(parse_lead(piece, request) for piece in pieces):
        return []
    leads = find_leads(request, has_event=request.reading.has("EVENT"))
    times = _compute_lead_times(request, leads) if leads else _read_named_times(request)
    times = [_add_end(time, find_end(request, time.best)) for time in times]
    if _has_monthly_event(request):
        times = [_repeat_monthly(time, request) for time in times]
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


def are_listed_times(request: RequestContext) -> bool:
    """Return whether the spans of time of one reminder are a list: "at 5 and again at 7", 9:50、11:20.

    Other spans may be the time of an event, a first day or a correction: "Nets Thursday 6am. Wake us 4:45".
    """
    words, text = request.words, request.reading.text
    spans = [span for span in request.reading.spans("WHEN") if not text[slice(*span)].endswith(words.deadlines)]
    joints = {joint for joint in (*words.and_words, *words.beside, *words.too) if joint}
    phrases_known = (*words.same_day_phrases, *words.one_time, *words.counted, *words.counts, *words.beside)
    known = joints.union(*(phrase.split() for phrase in phrases_known))  # "once at 5 and once at 8"
    for piece in _slice_text(request, spans):
        expressions = request.read_times(piece)
        left = find_words_beside_times(piece, expressions, words) if len(expressions) > 1 else []
        if any(len(word) >= _FEWEST_LETTERS and word not in known for word in left):
            return False
    for before, span in pairwise(spans):
        between, behind = words.fold(text[before[1] : span[0]]), words.fold(text[span[1] :])
        clause = "".join(takewhile(lambda letter: letter not in CLAUSE_ENDS, behind))
        is_joined = words.has_any(joints, between) or words.has_any(words.too, clause)
        if any(map(str.isalnum, between)) and not is_joined:
            return False
    return True


def _has_monthly_event(request: RequestContext) -> bool:
    """Return whether words outside of the time of the reminder name a day of every month: "due the 10th each month"."""
    named = [
        token for token, tag in request.reading.tagged if tag in {NO_TAG, "EVENT"} and token.form.startswith("@rule")
    ]
    found = [time for token in named for time in request.read_times(request.reading.text_of(token))]
    return len(found) == 1 and bool(found[0].best and "BYMONTHDAY=" in (found[0].best.rrule or ""))


def _repeat_monthly(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return a time that names a day of the month, but no month, as a repetition on that day of every month."""
    best = time.best
    if best.rrule is not None or not best.has_day:
        return time
    later = request.parse_time([time.words], best.start + _DAY)
    if later is None or later.best.start.day != best.start.day:
        return time
    if not timedelta() < later.best.start - best.start < _LONGEST_MONTH:
        return time
    monthly = best._replace(rrule=f"FREQ=MONTHLY;BYMONTHDAY={best.start.day}")
    return replace(time, readings=(set_clock(monthly, best) if best.has_clock else monthly,))


def find_impossible_time_words(request: RequestContext) -> str:
    """Return the words of a time that does not exist ("30 February", 25:00); "" for none."""
    tokens = [token for token, tag in request.reading.tagged if tag != "PERSON"]
    if not tokens:
        return ""
    start = tokens[0].start
    text = request.reading.text[start : tokens[-1].end]
    taken = [(token.start - start, token.end - start) for token in tokens if is_time(token)]
    first, last = next(iter(find_impossible_times(text.casefold(), taken, request.read_times)), (0, 0))
    return text[first:last].strip()


def find_end(request: RequestContext, first: Reading | None = None) -> str:
    """Return the `UNTIL` or `COUNT` part of a rule that the request names as its end; "" for none.

    An amount of time counts from the day of the `first` time, where that is given.
    """
    text = request.strip_leading_word(request.reading.words("UNTIL"), request.words.until_words)
    if not request.words.joint and first is not None and request.reading.intent in _SETTING_INTENTS:
        text = _find_last_day_of_length(text, first, request) or text
    days = [
        request.reading.text_of(token) for token, tag in request.reading.tagged if tag == "UNTIL" and is_time(token)
    ]
    texts = [text, *days] if len(days) == 1 else [text]  # "until the wedding on 6 December"
    for form in (form.format(time=each) for each in texts if each for form in request.words.end):
        for expression in request.read_times_before(form, first):
            rule = expression.best.rrule if expression.best is not None else None
            ends = [part for part in (rule or "").split(";") if part.startswith(("UNTIL=", "COUNT="))]
            if ends:
                return ends[0]
    return _count_next_occurrences(request)


def _count_next_occurrences(request: RequestContext) -> str:
    """Return the `COUNT` of a number in front of a repetition: 接下来三个工作日; "" for none."""
    words, reading = request.words, request.reading
    rule = next((at for at, token in enumerate(reading.tokens) if token.form.startswith("@rule")), 0)
    ahead = words.fold(reading.text[: reading.tokens[rule].start]).strip().removesuffix("个") if rule else ""
    *_, last = ["", *(ahead.split() if words.joint else list(ahead))]
    count = int(last) if last.isdecimal() else words.counts.get(last, 0)
    return f"COUNT={count}" if count and words.has_any(words.nearest, ahead) else ""


def _find_last_day_of_length(words: str, first: Reading, request: RequestContext) -> str:
    """Return the last of the days or weeks from the `first` time that Chinese words end with: 打三天; "" for none."""
    lengths = (request.parse_length(words[at:]) for at in range(len(words)))
    length = next((each for each in lengths if each is not None), timedelta())
    return f"{first.start + length - _DAY:%Y-%m-%d}" if length and not length % _DAY else ""


def _read_named_times(request: RequestContext) -> list[TimeWords]:
    """Return the times tagged as such, or those of an event where no other time is named."""
    reading = request.reading
    spans = _join_spans(request, reading.spans("WHEN"))
    single = _resolve_correction(request, spans) or _read_clock_of_deadline(request, spans)
    if single is not None:
        return [single]
    pieces, events = _slice_text(request, spans), reading.pieces("EVENT")
    whole = request.parse_time(pieces)
    uncertain = _read_with_unknown_words(pieces, request) if whole is None else None
    if uncertain is not None:
        return uncertain
    if not pieces and events:
        return complete_times(request.parse_times(events))
    times = _parse_pieces(pieces, whole, request)
    if times:
        times = _repeat_like_first(unite_repetitions(complete_times(times)), request)
    else:
        times = list(filter(None, [_find_time_outside_content(request)]))
    times = list(accumulate(times, lambda before, time: _count_from_event(before, time, request)))
    days = read_event_times(request) if events else []
    return [_move_to_day_of_event(time, day, request) for day in days for time in times] if days else times


def _read_with_unknown_words(pieces: list[str], request: RequestContext) -> list[TimeWords] | None:
    """Return the time of `pieces` around words that no time has, empty where it may be another; None for no such words.

    In Chinese, words without spaces that are unknown are no reason to ask: the times among them are read.
    """
    is_new = request.reading.intent in _SETTING_INTENTS
    if is_new and any(_has_unread_time_relation(piece, request) for piece in pieces):
        return []
    if not any(_has_unknown_word(piece, request) for piece in pieces):
        return None
    is_plain = is_new and not request.reading.has("EVENT")
    time = _read_time_around_unknown_words(pieces, request) if is_plain else None
    if time is None:
        return [] if request.words.joint else None
    return [time]


def _parse_pieces(pieces: list[str], whole: TimeWords | None, request: RequestContext) -> list[TimeWords]:
    """Return the times of `pieces`: the `whole` if they are one, but a last "… later" that is listed by itself."""
    is_listed = bool(pieces) and pieces[-1].casefold().endswith(request.words.elapsed) and are_listed_times(request)
    if is_listed:
        return [*request.parse_times(pieces[:-1]), *request.parse_times(pieces[-1:])]
    return [whole] if whole is not None else request.parse_times(pieces)


def _repeat_like_first(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` with those behind the first at its clock or on its days, and repeated as it."""
    first = times[0].best
    return [times[0], *(_repeat_like(first, time, request) for time in times[1:])] if first.has_clock else times


def _repeat_like(first: Reading, time: TimeWords, request: RequestContext) -> TimeWords:
    """Return a clock on the days of `first`, or a day at its clock and repeated as it: 每月3号九点，18号也要."""
    if is_clock_alone(time.best) and (first.rrule or "").startswith(_BY_DAYS):
        return repeat_clock(time, first, request)
    day = _repeat_day_like(first, time, request)
    is_bare = day.has_day and not (day.has_clock or day.part)
    return replace(time, readings=(set_clock(day, first),) if is_bare else (day, *time.readings[1:]))


def _repeat_day_like(first: Reading, time: TimeWords, request: RequestContext) -> Reading:
    """Return the day of `time` in every week or month, if `first` comes on days of that; else as it is."""
    rule = _RULE_ON_DAYS.fullmatch(first.rrule or "")
    if rule is None or time.best.rrule is not None:
        return time.best
    form = request.words.each_month if rule["frequency"] == "MONTHLY" else phrases(request.language).each
    repeated = request.parse_time([form.format(days=request.strip_time_words(time.words))])
    same = None if repeated is None else _RULE_ON_DAYS.fullmatch(repeated.best.rrule or "")
    is_same = same is not None and same["frequency"] == rule["frequency"]
    return repeated.best if repeated is not None and is_same else time.best


def repeat_clock(time: TimeWords, rule: Reading, request: RequestContext) -> TimeWords:
    """Return a clock on the days of `rule`; of every day from the first such clock, if the rule begins by then."""
    readings = [set_clock(rule, each) for each in time.readings]
    if (readings[0].rrule or "").startswith(_EVERY_DAY) and rule.start - request.now <= _DAY:
        today = [move_to_day(each, request.now.date()) for each in readings]
        readings = [each if each.start > request.now else each._replace(start=each.start + _DAY) for each in today]
    return replace(time, readings=tuple(readings))


def _read_time_around_unknown_words(pieces: list[str], request: RequestContext) -> TimeWords | None:
    """Return the day and the clock that `pieces` name around words that no time has: "Friday at closing, 6pm"."""
    times = [(piece, time) for piece in pieces for time in request.read_times(piece)]
    known = [make_time_words(piece, time).words for piece, time in times if time.readings]
    rules = [best for piece in pieces for best in request.list_readings(piece) if best.rrule]
    if len(known) > _PAIR_OF_TIMES or len(rules) > 1 or any(_has_unknown_end(piece, request) for piece in pieces):
        return None
    whole = request.parse_time(known)
    is_whole = whole is not None and whole.best.has_clock and (whole.best.has_day or whole.best.rrule is not None)
    return whole if is_whole else None


def _has_unknown_end(piece: str, request: RequestContext) -> bool:
    """Return whether words of time name an end that no time is: "Fridays at 5 until the trip"."""
    spans = [span for best in request.list_readings(piece) for span in best.spans]
    outside = "".join(" " if any(a <= at < b for a, b in spans) else letter for at, letter in enumerate(piece))
    return request.words.has_any(request.words.until_words, request.words.fold(outside))


def _has_unknown_word(piece: str, request: RequestContext) -> bool:
    """Return whether words of time have a word that no time expression has: "mañana at 8"."""
    if request.parse_time([piece]) is not None:
        return False
    left = find_words_beside_times(piece, request.read_times(piece), request.words)
    shortest = _FEWEST_LETTERS if request.words.joint else 1
    return any(len(word) >= shortest and word not in request.words.time_words for word in left)


def _has_unread_time_relation(piece: str, request: RequestContext) -> bool:
    """Return whether unread words of a time change it: 每逢双号晚上九点, "20 past", or without a day 考试前一晚8点."""
    words, expressions = request.words, request.read_times(piece)
    left = " ".join(find_words_beside_times(piece, expressions, words))
    if words.has_any(words.time_relations, left):
        return True
    if not words.joint and words.has_any((*words.ahead, *words.around_events), left):
        pieces = _slice_text(request, request.reading.spans("WHEN"))
        named = [best for each in pieces for best in request.list_readings(each)]
        return not any((best.has_day or best.rrule) and best.has_clock for best in named)
    is_alone = len(request.reading.times) == 1
    return is_alone and words.has_any(words.same_day_phrases, left)


def _slice_text(request: RequestContext, spans: list[Span]) -> list[str]:
    return [request.reading.text[start:end] for start, end in spans]


def _join_spans(request: RequestContext, spans: list[Span]) -> list[Span]:
    """Return `spans` with neighbours joined between which only "and" or a comma stands: "at 5, 6 and 7"."""
    found: list[Span] = []
    for span in spans:
        between = request.reading.text[found[-1][1] : span[0]].strip(" ,，、").casefold() if found else None
        if found and between in request.words.and_words:
            found[-1] = (found[-1][0], span[1])
        else:
            found.append(span)
    return found


def _resolve_correction(request: RequestContext, spans: list[Span]) -> TimeWords | None:
    """Return the last time where it corrects the one before it ("at 6, sorry, at 7"); None for no correction."""
    retracted = (
        request.reading.spans("OLD") if request.reading.intent in _SETTING_INTENTS else []
    )  # of a change it is a reference
    olds = spans[:-1] or [span for span in retracted if spans and span[0] < spans[-1][0]]
    if not olds:
        return None
    is_retracted = len(spans) == 1
    if not is_retracted and not _has_correction_word(_find_words_between(olds[-1][1], spans[-1][0], request), request):
        return None
    old = request.parse_time(_slice_text(request, olds[-1:]))
    new = request.parse_time(_slice_text(request, spans[-1:]))
    if old is None or new is None:
        return new
    if is_clock_alone(new.best) and old.best.has_clock and is_clock_without_half(new.words):
        new = replace(new, readings=(choose_nearer_half(new.best, old.best.start),), is_ambiguous=False)
    if not old.best.has_day or not all(map(is_clock_alone, new.readings)):
        return new
    return replace(new, readings=tuple(set_clock(old.best, reading) for reading in new.readings))


def _read_clock_of_deadline(request: RequestContext, spans: list[Span]) -> TimeWords | None:
    """Return the clock behind a deadline, on the days of that: 每天收工前提醒我关灯，大概六点."""
    pieces = _slice_text(request, spans)
    if (
        len(pieces) != _PAIR_OF_TIMES
        or _FIGURE_OR_HOUR.search(pieces[0])
        or not pieces[0].endswith(request.words.deadlines)
    ):
        return None
    deadline, clock = (request.parse_time([piece]) for piece in pieces)
    if deadline is None or clock is None:
        return None
    near = choose_nearer_half(clock.readings[0], deadline.best.start)
    best = near if is_clock_without_half(clock.words) else clock.readings[0]
    return replace(clock, readings=(set_clock(deadline.best, best),), is_ambiguous=False)


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


def _find_time_outside_content(request: RequestContext) -> TimeWords | None:
    """Return the first time outside of content and event, where the words tagged as a time are none."""
    reading, around = request.reading, {NO_TAG, "WHEN", "OLD", "UNTIL"}
    if not (reading.has("WHEN") or reading.times):
        return None
    kept = "".join(reading.text_of(token) + request.words.joint for token, tag in reading.tagged if tag in around)
    return next((make_time_words(kept, time) for time in request.read_times(kept)), None)


def find_day_without_clock(request: RequestContext) -> Reading | None:
    """Return the only day, or time with a clock, of an unclear time: "tomorrow" of "tomorrow after drop-off"."""
    times = [best for piece in request.reading.pieces("WHEN") for best in request.list_readings(piece)]
    times = [best for best in times if best.has_clock] or times
    return times[0] if len(times) == 1 and (times[0].has_clock or names_only_day(times[0])) else None


def _compute_lead_times(request: RequestContext, named: list[Lead]) -> list[TimeWords]:
    """Return the times that lie ahead of an event, and those named beside it."""
    reading = request.reading
    lengths = [length for length, _ in named]
    spans = _join_spans(request, reading.spans("WHEN")) if reading.has("LEAD") else []
    pieces, events = _slice_text(request, spans), [_strip_deadline(piece, request) for piece in reading.pieces("EVENT")]
    if not pieces and not events:
        is_ahead = request.has_word((*request.words.ahead, *request.words.earlier))
        return [] if is_ahead else _parse_time_from_now(reading.words("LEAD"), request)
    clock, times = _read_times_beside_lead(pieces, events, request)
    part = next((part for _, part in named if part is not None), None)
    clock = choose_half_of_part(clock, part.words, request) if clock and part else clock or part
    early = [subtract_lead(event, length, clock) for event in times for length in lengths]
    ahead = [each for each in early if each is not None]
    if not events and _names_day_of_lead(request, spans, lengths):
        return times
    if clock is not None and not pieces and _names_day_of_lead(request, reading.spans("EVENT"), lengths):
        return [replace(day, readings=(set_clock(day.best, clock.best),)) for day in times]
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


def _strip_deadline(piece: str, request: RequestContext) -> str:
    """Return a day without the word that makes it a deadline, from which a lead counts as well: "before 3 December"."""
    words = request.words
    ending = max((word for word in words.deadlines if piece.endswith(word)), key=len, default="")
    bare = request.strip_leading_word(piece, words.deadlines) if words.joint else piece.removesuffix(ending)
    return bare if request.read_times(bare) else piece


def _names_day_of_lead(request: RequestContext, spans: list[Span], leads: list[timedelta]) -> bool:
    """Return whether the day to which `leads` count back follows them: "the day before, 29 May, at 6pm".

    A day tagged as that of the event is meant only in brackets: "the evening before (11th)".
    """
    end = request.reading.spans("LEAD")[-1][1]
    gap = request.reading.text[end : spans[0][0]] if spans[0][0] >= end else "-"
    is_set_apart = request.reading.has("WHEN") or bool(_BRACKETS & set(gap))
    between = gap.strip(" ,，(（").casefold()
    return is_set_apart and between in {"", *request.words.ahead} and all(lead >= _DAY for lead in leads)


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


def _move_to_day_of_event(time: TimeWords, event_time: TimeWords, request: RequestContext) -> TimeWords:
    """Return `time` on the day of an event, where it names a clock alone; of an event that repeats, it repeats as well.

    A bare hour is in the half of the day that is nearer to the event. A time long after the event is on the day before:
    "exam tomorrow at 9, remind me at 8pm".
    """
    event = event_time.best
    if time.best.has_day:
        return _count_from_event(event_time, time, request)
    if event.part and not event.has_clock and event.rrule is None:
        whole = request.parse_time([event_time.words, time.words])
        if whole is not None:
            return whole
    moved = tuple(move_to_day(reading, event.start.date()) for reading in time.readings)
    if event.has_clock and is_clock_without_half(time.words):
        both = [half for reading in moved for half in list_halves(reading)]
        moved = (min(both, key=lambda half: (abs(half.start - event.start), half.start)),)
    if event.has_clock and event.rrule is None and moved[0].start - event.start > _LONGEST_AFTER_EVENT:
        moved = tuple(reading._replace(start=reading.start - _DAY) for reading in moved)
    dated = (reading._replace(has_day=True) if event.rrule is None else set_clock(event, reading) for reading in moved)
    return replace(time, readings=tuple(dated), is_ambiguous=False)


def _count_from_event(event: TimeWords, time: TimeWords, request: RequestContext) -> TimeWords:
    """Return an amount of time "later" that ends behind the clock of `event` counted from there: 两点开始…48小时后."""
    is_later = time.words.strip().casefold().endswith(request.words.elapsed) and event.best.rrule is None
    if not is_later or not (event.best.has_clock and request.now < event.best.start < time.best.start):
        return time
    later = time.best.start - request.now
    return replace(time, readings=(time.best._replace(start=event.best.start + later),), is_ambiguous=False)


def _add_end(time: TimeWords, end: str) -> TimeWords:
    """Return a repeating `time` with `end` in its rule."""
    best = time.best
    if not end or best.rrule is None or "UNTIL=" in best.rrule or "COUNT=" in best.rrule:
        return time
    return replace(time, readings=(best._replace(rrule=f"{best.rrule};{end}"), *time.readings[1:]))
