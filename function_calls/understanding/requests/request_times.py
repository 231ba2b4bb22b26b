"""Read the times of a request: when to remind, leads before events, corrections and ends."""

import re
from datetime import timedelta
from itertools import accumulate, pairwise, takewhile
from operator import attrgetter

from msgspec.structs import replace

from function_calls.language.recognized_phrases import is_clock_without_half, phrases
from function_calls.understanding.reading import slots
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.times import (
    TimeWords,
    choose_nearer_half,
    complete_times,
    find_impossible_times,
    list_halves,
    move_to_day,
    names_only_day,
    set_clock,
    split_clocks,
    subtract_lead,
    unite_repetitions,
)
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, Token, is_time
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.model import Reminder
from services.time_expressions import Reading

_DAY = timedelta(days=1)
_HALF_DAY = timedelta(hours=12)
_OPEN_HOUR, _NOON, _EVENING = 6, 12, 18
_SHORTEST_WORD = 3
_NEW = frozenset({"set", "answer_when", "repeat_last", "summary_schedule"})
_BOTH = 2
_EVERY_DAY, _BY_DAYS = "FREQ=DAILY;BYHOUR=", ("FREQ=DAILY;", "FREQ=WEEKLY;")
_BRACKETS = frozenset("(（")
_OF_CLOCK = frozenset("0123456789:：")
_FIGURED = re.compile(r"\d|[点點时時鐘钟]")
_PLAIN_DAYS = re.compile(
    r"FREQ=(?P<frequency>MONTHLY|WEEKLY);(?:(?<=MONTHLY;)BYMONTHDAY|(?<=WEEKLY;)BYDAY)=[^;,]+"
    r"(?:;BYHOUR=\d+;BYMINUTE=\d+)?"
)
_SHORTEST_MONTH, _LONGEST_MONTH = timedelta(days=28), timedelta(days=32)
_LONG_AFTER = timedelta(hours=6)

Span = tuple[int, int]
Lead = tuple[timedelta, TimeWords | None]
"""The time between a reminder and its event, and the clock of the reminder if the request names one."""


def find_times(request: RequestContext) -> list[TimeWords]:
    """Return the times of a request in order; empty where it names none that exists."""
    request = _untag_later(_tag_lead_by_words(request))
    named = [
        piece
        for piece in request.reading.pieces("LEAD")
        if not slots.are_function_words([piece.strip()], request.words)
    ]
    if named and not any(parse_lead(piece, request) for piece in named):
        return []
    leads = find_leads(request, has_event=request.reading.has("EVENT"))
    found = _compute_lead_times(request, leads) if leads else _read_named_times(request)
    ended = [_add_end(time, find_end(request, time.best)) for time in found]
    if _has_monthly_event(request):
        ended = [_repeat_monthly(time, request) for time in ended]
    return [
        clock
        for time in ended
        for clock in split_clocks(
            _choose_next_hour(choose_usual_half(_choose_morning(time, request), request), request)
        )
    ]


def _untag_later(request: RequestContext) -> RequestContext:
    """Return the request without the tag of words that end one for "later" or "earlier": "más | tarde", 早 | 一点."""
    text, joint = request.words.fold(request.reading.text), request.words.joint
    shifts = [word for word in (*request.words.later, *request.words.earlier) if joint in word]
    gone = [
        (start, end)
        for start, end in request.reading.spans("WHEN")
        if any(text[:end].endswith(word) and word[1:].endswith(f"{joint}{text[start:end]}") for word in shifts)
    ]
    return request.with_tags(
        NO_TAG if any(a <= token.start < b for a, b in gone) else tag for token, tag in request.reading.tagged
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
    for piece in _cut_texts(request, spans):
        expressions = request.read_times(piece)
        left = slots.find_words_beside_times(piece, expressions, words) if len(expressions) > 1 else []
        if any(len(word) >= _SHORTEST_WORD and word not in known for word in left):
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


def tag_lead(request: RequestContext) -> RequestContext:
    """Return the request with the clock behind a lead, or a lead behind 前, tagged as one: "the day before at 6pm"."""
    if not request.reading.has("WHEN"):
        return request
    first = last = 0
    if request.reading.has("LEAD"):
        first, last = _find_tagged_lead(request)
    elif not request.words.joint:
        request = _untag_name_ahead(request)
        first, last = _find_lead_behind(request)
    reading = request.reading
    if first == last:
        return request
    if last < len(reading.tokens) and reading.tokens[last].form == "@clock":
        last += 1
    return request.with_tags("LEAD" if first <= at < last else tag for at, tag in enumerate(reading.tags))


def _untag_name_ahead(request: RequestContext) -> RequestContext:
    """Return the request with the name of the event untagged that is part of a lead: 出发前|一天晚上九点."""
    text, tokens, tags = request.reading.text, request.reading.tokens, list(request.reading.tags)
    for start, end in request.reading.spans("WHEN"):
        found = [(text.find(word, start, end), word) for word in request.words.ahead]
        begin = next((at + len(word) for at, word in found if at > start), start)
        is_lead = start < begin < end and parse_lead(text[begin:end], request) is not None
        if is_lead and parse_lead(text[start:end], request) is None:
            tags = [NO_TAG if start <= token.start < begin else tag for token, tag in zip(tokens, tags, strict=True)]
    return request.with_tags(tags)


def _find_lead_behind(request: RequestContext) -> tuple[int, int]:
    """Return the bounds of a time that counts back: 前|一天晚上九点, 前|一|晚9点, 一天前中午12点; empty for none."""
    tokens, text = request.reading.tokens, request.reading.text
    for start, end in request.reading.spans("WHEN"):
        places = [at for at, token in enumerate(tokens) if start <= token.start < end]
        has_one = places[0] > 0 and request.words.ordinals.get(tokens[places[0] - 1].form) == 1
        for first in range(places[0] - has_one, places[-1] + 1):
            begin = tokens[first].start
            is_behind = text[:begin].endswith(request.words.ahead) or tokens[first].form == "@pastdayclock"
            if is_behind and parse_lead(text[begin:end], request) is not None:
                return min(first, places[0]), places[-1] + 1
    return 0, 0


def _find_tagged_lead(request: RequestContext) -> tuple[int, int]:
    """Return the bounds of a lead with a clock of its own: "the day before at 6pm".

    The clock may be one word with the length: 前|一天晚上八点.
    """
    tokens, tags = request.reading.tokens, request.reading.tags
    first = tags.index("LEAD")
    last = next((at for at in range(first, len(tags)) if tags[at] != "LEAD"), len(tags))
    while last < len(tags) and tokens[last].form in request.words.ahead:
        last += 1
    begin = next((at for at in range(last, len(tags)) if tokens[at].form not in request.words.time_words), len(tags))
    if "LEAD" in tags[last : begin - 1]:
        return 0, 0  # "two weeks before and the day before at 8"
    if tags[begin : begin + 1] != ("WHEN",):
        return 0, 0
    is_one = tags[begin - 1] == "LEAD" and tokens[begin - 1].end == tokens[begin].start
    end = begin + 1 if is_one else begin
    return (first, end) if is_one or tokens[begin].form == "@clock" else (0, 0)


def find_impossible_time(request: RequestContext) -> str:
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
    if not request.words.joint and first is not None and request.reading.intent in _NEW:
        text = _find_last_day(text, first, request) or text
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
    return _count_next_days(request)


def _count_next_days(request: RequestContext) -> str:
    """Return the `COUNT` of a number in front of a repetition: 接下来三个工作日; "" for none."""
    words, reading = request.words, request.reading
    rule = next((at for at, token in enumerate(reading.tokens) if token.form.startswith("@rule")), 0)
    ahead = words.fold(reading.text[: reading.tokens[rule].start]).strip().removesuffix("个") if rule else ""
    *_, last = ["", *(ahead.split() if words.joint else list(ahead))]
    count = int(last) if last.isdecimal() else words.counts.get(last, 0)
    return f"COUNT={count}" if count and words.has_any(words.nearest, ahead) else ""


def _find_last_day(words: str, first: Reading, request: RequestContext) -> str:
    """Return the last of the days or weeks from the `first` time that Chinese words end with: 打三天; "" for none."""
    lengths = (request.parse_length(words[at:]) for at in range(len(words)))
    length = next((each for each in lengths if each is not None), timedelta())
    return f"{first.start + length - _DAY:%Y-%m-%d}" if length and not length % _DAY else ""


def _read_named_times(request: RequestContext) -> list[TimeWords]:
    """Return the times tagged as such, or those of an event where no other time is named."""
    reading = request.reading
    spans = _join_spans(request, reading.spans("WHEN"))
    settled = _resolve_correction(request, spans) or _read_clock_of_deadline(request, spans)
    if settled is not None:
        return [settled]
    pieces, events = _cut_texts(request, spans), reading.pieces("EVENT")
    whole = request.parse_time(pieces)
    if whole is None and reading.intent in _NEW and any(_has_unread_relation(piece, request) for piece in pieces):
        return []
    if whole is None and any(_has_unknown_word(piece, request) for piece in pieces):
        known = None if events or reading.intent not in _NEW else _read_known_words(pieces, request)
        if known is not None or request.words.joint:
            return [] if known is None else [known]
    if not pieces and events:
        return complete_times(request.parse_times(events))
    is_counted = bool(pieces) and pieces[-1].casefold().endswith(request.words.elapsed) and are_listed_times(request)
    if whole is not None and not is_counted:
        found = [whole]
    else:
        groups = [pieces[:-1], pieces[-1:]] if is_counted else [pieces]
        found = [time for group in groups for time in request.parse_times(group)]
    found = (
        _repeat_like_first(unite_repetitions(complete_times(found)), request)
        if found
        else [each for each in [_find_time_outside_content(request)] if each is not None]
    )
    found = list(accumulate(found, lambda before, time: _count_from_event(before, time, request)))
    days = _read_events(request) if events else []
    return [_move_beside_event(day, each, request) for day in days for each in found] if days else found


def _repeat_like_first(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return days behind the first time at its clock, and clocks on its days, repeated as it: 每月3号九点，18号也要."""
    first = times[0].best
    if not first.has_clock:
        return times
    forms = {"MONTHLY": request.words.each_month, "WEEKLY": phrases(request.language).each}
    plain = _PLAIN_DAYS.fullmatch(first.rrule or "")
    form = None if plain is None else forms[plain["frequency"]]
    found = [times[0]]
    for time in times[1:]:
        if slots.is_clock_alone(time.best) and (first.rrule or "").startswith(_BY_DAYS):
            found.append(repeat_clock(time, first, request))
            continue
        words = request.strip_time_words(time.words)
        alike = None if form is None else request.parse_time([form.format(days=words)])
        rule = _PLAIN_DAYS.fullmatch((alike.best.rrule or "") if alike is not None else "")
        is_alike = plain is not None and rule is not None and rule["frequency"] == plain["frequency"]
        day = alike.best if alike is not None and is_alike and time.best.rrule is None else time.best
        is_bare = day.has_day and not (day.has_clock or day.part)
        found.append(replace(time, readings=(set_clock(day, first),) if is_bare else (day, *time.readings[1:])))
    return found


def repeat_clock(time: TimeWords, rule: Reading, request: RequestContext) -> TimeWords:
    """Return a clock on the days of `rule`; of every day from the first such clock, if the rule begins by then."""
    found = [set_clock(rule, each) for each in time.readings]
    if (found[0].rrule or "").startswith(_EVERY_DAY) and rule.start - request.now <= _DAY:
        today = [move_to_day(each, request.now.date()) for each in found]
        found = [each if each.start > request.now else each._replace(start=each.start + _DAY) for each in today]
    return replace(time, readings=tuple(found))


def _read_known_words(pieces: list[str], request: RequestContext) -> TimeWords | None:
    """Return the day and the clock that `pieces` name around words that no time has: "Friday at closing, 6pm"."""
    known = [
        slots.make_time_words(piece, time).words
        for piece in pieces
        for time in request.read_times(piece)
        if time.readings
    ]
    rules = [best for piece in pieces for best in request.list_readings(piece) if best.rrule]
    if len(known) > _BOTH or len(rules) > 1 or any(_has_unknown_end(piece, request) for piece in pieces):
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
    left = slots.find_words_beside_times(piece, request.read_times(piece), request.words)
    shortest = _SHORTEST_WORD if request.words.joint else 1
    return any(len(word) >= shortest and word not in request.words.time_words for word in left)


def _has_unread_relation(piece: str, request: RequestContext) -> bool:
    """Return whether unread words of a time change it: 每逢双号晚上九点, "20 past", or without a day 考试前一晚8点."""
    words, expressions = request.words, request.read_times(piece)
    left = " ".join(slots.find_words_beside_times(piece, expressions, words))
    if words.has_any(words.time_relations, left):
        return True
    if not words.joint and words.has_any((*words.ahead, *words.around_events), left):
        pieces = _cut_texts(request, request.reading.spans("WHEN"))
        named = [best for each in pieces for best in request.list_readings(each)]
        return not any((best.has_day or best.rrule) and best.has_clock for best in named)
    is_alone = len(request.reading.times) == 1
    return is_alone and words.has_any(words.same_day_phrases, left)


def _cut_texts(request: RequestContext, spans: list[Span]) -> list[str]:
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
    retracted = request.reading.spans("OLD") if request.reading.intent in _NEW else []  # of a change it is a reference
    olds = spans[:-1] or [span for span in retracted if spans and span[0] < spans[-1][0]]
    if not olds:
        return None
    is_retracted = len(spans) == 1
    if not is_retracted and not _corrects(_find_words_between(olds[-1][1], spans[-1][0], request), request):
        return None
    old = request.parse_time(_cut_texts(request, olds[-1:]))
    new = request.parse_time(_cut_texts(request, spans[-1:]))
    if old is None or new is None:
        return new
    if slots.is_clock_alone(new.best) and old.best.has_clock and is_clock_without_half(new.words):
        new = replace(new, readings=(choose_nearer_half(new.best, old.best.start),), is_ambiguous=False)
    if not old.best.has_day or not all(map(slots.is_clock_alone, new.readings)):
        return new
    return replace(new, readings=tuple(set_clock(old.best, reading) for reading in new.readings))


def _read_clock_of_deadline(request: RequestContext, spans: list[Span]) -> TimeWords | None:
    """Return the clock behind a deadline, on the days of that: 每天收工前提醒我关灯，大概六点."""
    pieces = _cut_texts(request, spans)
    if len(pieces) != _BOTH or _FIGURED.search(pieces[0]) or not pieces[0].endswith(request.words.deadlines):
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


def _corrects(between: str, request: RequestContext) -> bool:
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
    return next((slots.make_time_words(kept, time) for time in request.read_times(kept)), None)


def _tag_lead_by_words(request: RequestContext) -> RequestContext:
    """Return the request with "the day before at 6pm" tagged as a lead; another time is that of the event."""
    reading = request.reading
    spans = reading.spans("WHEN")
    leads = [
        (start, end)
        for start, end in spans
        if _says_ahead(reading.text[start:end], request) and parse_lead(reading.text[start:end], request) is not None
    ]
    events = [span for span in spans if span not in leads] or reading.spans("EVENT") or _find_untagged_day(request)
    if not leads or not (events or request.last_set):  # else it counts back from the reminder set last
        return request
    tags = list(reading.tags)
    for at, token in enumerate(reading.tokens):
        if tags[at] == "WHEN":
            is_lead = any(start <= token.start < end for start, end in leads)
            tags[at] = "LEAD" if is_lead else "EVENT"
        elif (token.start, token.end) in events:
            tags[at] = "EVENT"
    return request.with_tags(tags)


def _find_untagged_day(request: RequestContext) -> list[Span]:
    """Return the only day without a tag, where there is one."""
    found = [
        (token.start, token.end)
        for token, tag in request.reading.tagged
        if tag == NO_TAG and token.form in {"@day", "@dayclock", "@daypart"}
    ]
    return found if len(found) == 1 else []


def _says_ahead(piece: str, request: RequestContext) -> bool:
    """Return whether words of time count back from another time: "the day before at 6pm"."""
    text = request.words.fold(piece).split()
    at = next((place for place, word in enumerate(text) if place and word in request.words.ahead), 0)
    return at > 0 and not _names_day(" ".join(text[at + 1 :]), request)


def parse_lead(piece: str, request: RequestContext) -> Lead | None:
    """Return the length and the clock of a lead: "the night", 一天晚上八点; None where it has no length."""
    if request.words.joint:
        piece = " ".join(word for word in piece.split() if word.casefold() not in request.words.ahead)
    else:
        piece = slots.strip_leading_word(piece, request.words.ahead, "")
    length = request.parse_length(piece)
    if length is not None:
        return _count_months(piece, length, request), None
    for end in range(len(piece) - 1, 0, -1):
        is_within_word = piece[end] != " " if request.words.joint else set(piece[end - 1 : end + 1]) <= _OF_CLOCK
        if is_within_word or not piece[:end].strip():
            continue
        orders = [(piece[:end], piece[end:])]
        if request.words.joint:  # noon the day before
            orders.append((piece[end:].lstrip(), piece[:end]))
        for length_words, clock_words in orders:
            clock = request.parse_time([clock_words])
            days = _parse_lead_days(length_words, request) if clock is not None and not clock.best.has_day else None
            if clock is not None and days is not None and days >= _DAY:
                named = request.strip_time_words(length_words)
                return _count_months(length_words, days, request), choose_half_of_part(clock, named, request)
    bare = request.strip_time_words(piece)
    ones = [word for word, number in request.words.ordinals.items() if number == 1 and not request.words.joint]
    named = slots.strip_leading_word(bare, ones, "")
    part = request.parse_time([request.words.parts_of_day.get(named, named)])
    is_dated = part is not None and part.best.has_day and not request.words.joint  # 前一晚，25号晚上九点
    return (_DAY, part) if part is not None and part.best.part and not is_dated else None


def _parse_lead_days(piece: str, request: RequestContext) -> timedelta | None:
    """Return the length in front of the clock of a lead; "the night" is that of the day before."""
    length = request.parse_length(piece)
    if length is not None or not request.words.joint:
        return length
    part = request.parse_time([request.strip_time_words(piece)])
    return _DAY if part is not None and part.best.part else None


def _count_months(piece: str, length: timedelta, request: RequestContext) -> timedelta:
    """Return the `length` of months so that it leads to the same day of another month: "a month before"."""
    events = _read_events(request) if length >= _SHORTEST_MONTH else []
    return request.parse_length(piece, events[0].best.start - length) or length if len(events) == 1 else length


def find_leads(request: RequestContext, *, has_event: bool) -> list[Lead]:
    """Return the leads of a request; with `has_event`, also those that are tagged as times: "before" counts back."""
    named = request.reading.pieces("LEAD")
    if has_event and not named:
        named = [piece for piece in request.reading.pieces("WHEN") if _says_ahead(piece, request)]
    return [each for piece in named if (each := parse_lead(piece, request)) is not None]


def find_open_event(request: RequestContext) -> tuple[str, str]:
    """Return the event from which a request counts back, and the words of the lead: "the exam", "the night".

    Both are "" where it names no event or tells its time.
    """
    words, reading = request.words, request.reading
    name, leads = _find_named_event(request) or find_name_beside_lead(request), reading.pieces("LEAD")
    if words.joint or leads:
        clocks = [piece for piece in reading.pieces("WHEN") if not _names_day(piece, request)]
        lead = " ".join([*leads, *clocks]) if len(leads) == 1 else ""
    else:
        name, lead = next(filter(any, (_split_lead(piece, request) for piece in reading.pieces("WHEN"))), ("", ""))
    is_told = not name or not lead or bool(request.list_readings(name))
    return ("", "") if is_told or parse_lead(lead, request) is None else (name, lead)


def _find_named_event(request: RequestContext) -> str:
    """Return the words tagged as an event, with the article in front of them; "" for none or several."""
    reading, spans = request.reading, request.reading.spans("EVENT")
    if len(spans) != 1:
        return ""
    start, end = spans[0]
    articles = [token for token in reading.untagged if token.form in request.words.articles]
    begin = next((token.start for token in articles if reading.text[token.end : start] == " "), start)
    return reading.text[begin:end]


def _split_lead(piece: str, request: RequestContext) -> tuple[str, str]:
    """Return the event and the lead of words such as 考试前一晚; "" for others."""
    for word in sorted(request.words.ahead, key=len, reverse=True):
        name, _, lead = piece.partition(word)
        if name and lead:
            return name, lead
    return "", ""


def find_name_beside_lead(request: RequestContext) -> str:
    """Return the name of an event beside a lead: "the night before the exam", 排练前一天; "" for none.

    It is untagged, or the whole content behind an article: "an hour before the dentist".
    """
    reading, words = request.reading, request.words
    if not words.joint:
        return _find_name_ahead(request)
    ahead = find_words_behind_lead(request)
    behind = ahead[1:]
    if ahead and all(token.form in words.articles for token in behind):
        last = (behind or ahead)[-1].end
        content = next((span for span in reading.spans("CONTENT") if span[0] == last + 1), (last, last))
        name = reading.text[slice(*content)]
        return name if behind or words.fold(name).partition(" ")[0] in words.articles else ""
    ends = words.task_links | words.reminding
    named = list(takewhile(lambda token: token.form not in ends, behind))
    forms = [token.form for token in named if token.form not in words.demonstratives]
    is_name = bool(forms) and not slots.are_function_words(forms, words) and not any(map(is_time, named))
    return reading.text_of(named[0], named[-1]) if is_name else ""


def find_event_reminder(request: RequestContext) -> Reminder | None:
    """Return the only reminder from which a lead is counted back: "an hour before book club", 排练前一天."""
    if request.reading.has("EVENT") or not find_leads(request, has_event=True):
        return None
    return find_event_named(find_name_beside_lead(request), request)


def names_other_event(request: RequestContext) -> bool:
    """Return whether a lead counts back from an event that is no reminder: "also the day before the party"."""
    reading, words = request.reading, request.words
    event = [token.form for token, tag in reading.tagged if tag == "EVENT" and not is_time(token)]
    name = "" if reading.has("REF") else find_name_beside_lead(request)
    is_definite = not words.joint or words.fold(name).partition(" ")[0] in words.articles
    is_named = (bool(name) and is_definite) or not slots.are_function_words(event, words)
    return reading.has("LEAD") and is_named and find_event_reminder(request) is None


def find_event_named(name: str, request: RequestContext) -> Reminder | None:
    """Return the coming reminder that shares words with `name`; of several with the same text, the last."""
    found = () if request.known is None else request.known.find_closest(name, request.common_words)
    return found[-1] if len({each.content for each in found}) == 1 else None


def find_words_behind_lead(request: RequestContext) -> tuple[Token, ...]:
    """Return "before" and the untagged words behind it, where it follows a lead: "2 hours | before the gala too"."""
    tokens, tags = request.reading.tokens, request.reading.tags
    ahead = request.words.ahead
    first = next((at for at in range(1, len(tags)) if tags[at - 1] == "LEAD" and tokens[at].form in ahead), len(tags))
    return tuple(tokens[at] for at in takewhile(lambda at: tags[at] == NO_TAG, range(first, len(tags))))


def _find_name_ahead(request: RequestContext) -> str:
    """Return the characters in front of a word such as 前: 排练 of 排练前一天."""
    open_tags = {NO_TAG, "CONTENT"}
    text = "".join(token.form if tag in open_tags else "," for token, tag in request.reading.tagged)
    run = next((each for each in text.split(",") if each.endswith(request.words.ahead)), "")
    word = max((each for each in request.words.ahead if run.endswith(each)), key=len, default="")
    name = slots.tidy(run.removesuffix(word), ("请", *request.words.before_time)) if word else ""
    return "" if slots.are_function_words(name, request.words) else name


def tag_day_of_event(request: RequestContext) -> RequestContext:
    """Return the request with the day of an event tagged as a time, where only its clock is open.

    The day stands in front of the lead or beside the event: "Monday an hour before the handover".
    """
    tokens, tags = request.reading.tokens, request.reading.tags
    days = [at for at, tag in enumerate(tags) if tokens[at].form == "@day" and tag in {"LEAD", "EVENT"}]
    if len(days) != 1 or "LEAD" not in tags or "WHEN" in tags:
        return request
    tagged = request.with_tags("WHEN" if at in days else tag for at, tag in enumerate(tags))
    _, words = find_open_event(tagged)
    lead = parse_lead(words, request) if words else None
    return request if lead is None or lead[0] >= _DAY else tagged


def _names_day(piece: str, request: RequestContext) -> bool:
    return any(best.has_day for best in request.list_readings(piece))


def find_open_day(request: RequestContext) -> Reading | None:
    """Return the only day, or time with a clock, of an unclear time: "tomorrow" of "tomorrow after drop-off"."""
    times = [best for piece in request.reading.pieces("WHEN") for best in request.list_readings(piece)]
    times = [best for best in times if best.has_clock] or times
    return times[0] if len(times) == 1 and (times[0].has_clock or names_only_day(times[0])) else None


def _compute_lead_times(request: RequestContext, named: list[Lead]) -> list[TimeWords]:
    """Return the times that lie ahead of an event, and those named beside it."""
    reading = request.reading
    leads = [length for length, _ in named]
    clocks = [clock for _, clock in named if clock is not None]
    spans = _join_spans(request, reading.spans("WHEN")) if reading.has("LEAD") else []
    pieces, events = _cut_texts(request, spans), [_strip_deadline(piece, request) for piece in reading.pieces("EVENT")]
    if not pieces and not events:
        is_ahead = request.has_word((*request.words.ahead, *request.words.earlier))
        return [] if is_ahead else _parse_from_now(reading.words("LEAD"), request)
    one = request.parse_time([*events, *pieces]) if events and pieces else None
    if one is not None:  # "her birthday is 12 June, remind me a week before every year"
        clock, times = None, [one]
    else:
        clock = request.parse_time(pieces) if events and pieces else None
        named_times = request.parse_times(events or pieces)
        times = [_choose_next_hour(time, request) for time in named_times]
        times = [time if time.best.rrule else choose_usual_half(time, request) for time in times]
    part = next(iter(clocks), None)
    own = choose_half_of_part(clock, part.words, request) if clock is not None and part is not None else clock or part
    found = [early for event in times for lead in leads if (early := subtract_lead(event, lead, own)) is not None]
    if not events and _names_day_of_lead(request, spans, leads):
        return times
    if own is not None and not pieces and _names_day_of_lead(request, reading.spans("EVENT"), leads):
        return [replace(day, readings=(set_clock(day.best, own.best),)) for day in times]
    if events and len(times) > 1 and request.has_word(request.words.too):  # "… at 3pm, and at 8am as well"
        return [*found[: len(leads)], *times[1:]]
    is_beside = not events and _asks_for_both(spans[-1], reading.spans("LEAD")[0], request)
    return [*times, *found] if is_beside else found


def _strip_deadline(piece: str, request: RequestContext) -> str:
    """Return a day without the word that makes it a deadline, from which a lead counts as well: "before 3 December"."""
    words = request.words
    ending = max((word for word in words.deadlines if piece.endswith(word)), key=len, default="")
    bare = request.strip_leading_word(piece, words.deadlines) if words.joint else piece.removesuffix(ending)
    return bare if request.read_times(bare) else piece


def choose_half_of_part(clock: TimeWords, part: str, request: RequestContext) -> TimeWords:
    """Return `clock` in the part of the day that a lead names: "the night before at 9"."""
    if not is_clock_without_half(clock.words):
        return clock
    whole = request.parse_time([f"{part}{request.words.joint}{clock.words}"])
    return clock if whole is None or not whole.best.has_clock else whole


def _names_day_of_lead(request: RequestContext, spans: list[Span], leads: list[timedelta]) -> bool:
    """Return whether the day to which a lead counts back follows it: "the day before, 29 May, at 6pm".

    The day of an event is that in brackets: "the evening before (11th)", but not "the evening before the 11th".
    """
    last = request.reading.spans("LEAD")[-1][1]
    gap = request.reading.text[last : spans[0][0]] if spans[0][0] >= last else "-"
    is_set_apart = request.reading.has("WHEN") or bool(_BRACKETS & set(gap))
    between = gap.strip(" ,，(（").casefold()
    return is_set_apart and between in {"", *request.words.ahead} and all(lead >= _DAY for lead in leads)


def _asks_for_both(when: Span, lead: Span, request: RequestContext) -> bool:
    """Return whether a lead behind the time `when` asks for another reminder: "at 5, and again 10 minutes before"."""
    free = request.reading.untagged
    text = [token.form for token in free if when[1] <= token.start < lead[0] or token.start >= lead[1]]
    return lead[0] >= when[1] and request.words.has_any(request.words.beside, request.words.joint.join(text))


def _parse_from_now(amount: str, request: RequestContext) -> list[TimeWords]:
    """Return the time that an amount names from now: "remind me half an hour to check the oven"."""
    if slots.is_figure(amount) or request.parse_length(amount) is None:
        return []
    phrases = [form.format(amount=amount) for form in request.words.amount_ahead]
    found = (request.parse_time([phrase]) for phrase in phrases)
    return [each for each in found if each is not None][:1]


def _read_events(request: RequestContext) -> list[TimeWords]:
    """Return the time of the event, or its days where it has several: "on the 5th and 12th, remind me at noon"."""
    pieces = request.reading.pieces("EVENT")
    whole = request.parse_time(pieces)
    if whole is not None:
        return [choose_usual_half(whole, request)]
    found = request.parse_times(pieces)
    return found if all(time.best.has_day and not time.best.has_clock for time in found) else []


def _move_beside_event(named: TimeWords, time: TimeWords, request: RequestContext) -> TimeWords:
    """Return `time` on the day of `event`, where it names a clock alone.

    Of an hour that leaves open which half of the day is meant, it is the one nearer to the event; a time long after the
    event is moved to the day before: "exam tomorrow at 9, remind me at 8pm". Beside an event that repeats it repeats.
    """
    event = named.best
    if time.best.has_day:
        return _count_from_event(named, time, request)
    if event.part and not event.has_clock and event.rrule is None:
        whole = request.parse_time([named.words, time.words])
        if whole is not None:
            return whole
    moved = tuple(move_to_day(reading, event.start.date()) for reading in time.readings)
    if event.has_clock and is_clock_without_half(time.words):
        both = [half for reading in moved for half in list_halves(reading)]
        moved = (min(both, key=lambda half: (abs(half.start - event.start), half.start)),)
    if event.has_clock and event.rrule is None and moved[0].start - event.start > _LONG_AFTER:
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


def _choose_morning(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return `time` in the morning where the request is about getting up; an alarm may ring in either half."""
    best = time.best
    if not best.has_clock:
        return time
    is_up = request.has_part(request.words.morning_phrases)
    if not is_up and not request.has_part(request.words.alarms):
        return time
    words = request.strip_time_words(time.words)
    phrase = request.words.in_the_morning.format(time=words)
    early = request.parse_time([phrase])
    if early is None or not _is_same_figure(early.best, best):
        return time
    if is_up and best.has_day and not early.best.has_day:  # the day is that of an event
        start = best.start.replace(hour=early.best.start.hour, minute=early.best.start.minute)
        return replace(time, readings=(best._replace(start=start),), is_ambiguous=False)
    if is_up:
        return replace(time, readings=early.readings, is_ambiguous=early.is_ambiguous)
    morning = early.best
    if morning.start.hour + _NOON != best.start.hour:
        return time
    both = sorted((best, morning), key=attrgetter("start"))
    return replace(time, readings=tuple(both), is_ambiguous=True)


def choose_usual_half(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return an ambiguous clock ("tomorrow at 7") in the morning, or in the evening beside words such as "dinner".

    A bare "6" stays ambiguous, but beside words such as "breakfast". Of "every day at 8" either may come first.
    """
    if not time.is_ambiguous:
        return time
    is_repeated = time.best.rrule is not None
    order = attrgetter("start.hour") if is_repeated else attrgetter("start")
    early, late = min(time.readings, key=order), max(time.readings, key=order)
    if _is_same_figure(early, late) and request.has_phrase(request.words.morning_events):
        return replace(time, readings=(early if early.start.hour < _NOON else late,), is_ambiguous=False)
    if not (is_repeated or late.start - early.start == _HALF_DAY) or early.start.hour >= _NOON:
        return time
    if request.has_phrase(request.words.evening_events):
        return replace(time, readings=(late,), is_ambiguous=False)
    is_open = early.start.hour < _OPEN_HOUR or (early.start.hour, early.start.minute) == (_OPEN_HOUR, 0)
    both = time.readings if is_repeated else (early, late)
    return replace(time, readings=both if is_open else (early,), is_ambiguous=is_open)


def _is_same_figure(one: Reading, other: Reading) -> bool:
    return (one.start.hour - other.start.hour) % _NOON == 0 and one.start.minute == other.start.minute


def _choose_next_hour(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return a bare hour at night as the next such hour; a bare twelve in the evening stays ambiguous."""
    best = time.best
    if not slots.is_clock_alone(best) or not is_clock_without_half(time.words):
        return time
    if request.now.hour < _OPEN_HOUR:
        early = best._replace(start=best.start - _HALF_DAY)
        return replace(time, readings=(early,), is_ambiguous=False) if early.start > request.now else time
    if request.now.hour < _EVENING or best.start.hour != _NOON:
        return time
    midnight = best._replace(start=best.start.replace(hour=0))
    return replace(time, readings=(midnight, best), is_ambiguous=True) if midnight.start > request.now else time
