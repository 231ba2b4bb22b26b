"""Read the leads of a request, the time from a reminder to its event: a day before the exam."""

import re
from collections.abc import Iterator
from datetime import timedelta

from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.slots.small_words import match_any, strip_leading_word
from function_calls.understanding.reading.times import TimeWords
from function_calls.understanding.requests.request_context import RequestContext
from function_calls.understanding.requests.times.day_halves import choose_half_of_part, choose_usual_half

_DAY = timedelta(days=1)
Lead = tuple[timedelta, TimeWords | None]
"""The time between a reminder and its event, and the clock of the reminder if the request names one."""
_CLOCK_CHARACTERS = frozenset("0123456789:：")
_MIN_MONTH = timedelta(days=28)


def find_leads(request: RequestContext, *, has_event: bool) -> list[Lead]:
    """Return the leads of a request; with `has_event`, also those that are tagged as times: "before" counts back."""
    named = request.reading.pieces("LEAD")
    if has_event and not named:
        named = [piece for piece in request.reading.pieces("WHEN") if _counts_back(piece, request)]
    return [each for piece in named for each in _parse_joined_leads(piece, request)]


def _parse_joined_leads(piece: str, request: RequestContext) -> list[Lead]:
    """Return the lead that `piece` is, or those that it joins: 三天、一天."""
    joint = request.words.joint
    links = match_any(f"{joint}{word}{joint}" for word in request.words.and_words if word)
    parts = [piece] if parse_lead(piece, request) is not None else re.split(links, piece)
    return [each for part in parts if (each := parse_lead(part, request)) is not None]


def parse_lead(piece: str, request: RequestContext) -> Lead | None:
    """Return the length and the clock of a lead: "the night", 一天晚上八点; None where it has no length."""
    if request.words.joint:
        piece = " ".join(word for word in piece.split() if word.casefold() not in request.words.ahead)
    else:
        piece = strip_leading_word(piece, request.words.ahead, "")
    length = request.parse_length(piece)
    if length is not None:
        return _adjust_length_in_months(piece, length, request), None
    for length_words, clock_words in _split_in_two(piece, request):
        clock = request.parse_time([clock_words])
        days = _parse_lead_days(length_words, request) if clock is not None and not clock.best.has_day else None
        if clock is not None and days is not None and days >= _DAY:
            part_words = request.strip_time_words(length_words)
            length = _adjust_length_in_months(length_words, days, request)
            return length, choose_half_of_part(clock, part_words, request)
    return _parse_part_of_day_before(piece, request)


def _split_in_two(piece: str, request: RequestContext) -> Iterator[tuple[str, str]]:
    """Yield the words of a length and of a clock behind it, at each end of a word; also "noon | the day"."""
    for end in range(len(piece) - 1, 0, -1):
        is_within_figure = set(piece[end - 1 : end + 1]) <= _CLOCK_CHARACTERS
        is_within_word = piece[end] != " " if request.words.joint else is_within_figure
        if not is_within_word and piece[:end].strip():
            yield piece[:end], piece[end:]
            if request.words.joint:
                yield piece[end:].lstrip(), piece[:end]


def _parse_part_of_day_before(piece: str, request: RequestContext) -> Lead | None:
    """Return a lead of one day to a part of the day: "the night", 一晚; None for other words."""
    words, bare = request.words, request.strip_time_words(piece)
    ones = [word for word, number in words.ordinals.items() if number == 1 and not words.joint]
    name = strip_leading_word(bare, ones, "")
    part = request.parse_time([words.parts_of_day.get(name, name)])
    is_dated = part is not None and part.best.has_day and not words.joint  # 前一晚，25号晚上九点
    return (_DAY, part) if part is not None and part.best.part and not is_dated else None


def _parse_lead_days(piece: str, request: RequestContext) -> timedelta | None:
    """Return the length in front of the clock of a lead; "the night" is that of the day before."""
    length = request.parse_length(piece)
    if length is not None or not request.words.joint:
        return length
    part = request.parse_time([request.strip_time_words(piece)])
    return _DAY if part is not None and part.best.part else None


def _adjust_length_in_months(piece: str, length: timedelta, request: RequestContext) -> timedelta:
    """Return the `length` of months so that it leads to the same day of another month: "a month before"."""
    events = read_event_times(request) if length >= _MIN_MONTH else []
    return request.parse_length(piece, events[0].best.start - length) or length if len(events) == 1 else length


def read_event_times(request: RequestContext) -> list[TimeWords]:
    """Return the time of the event, or its days where it has several: "on the 5th and 12th, remind me at noon"."""
    pieces = request.reading.pieces("EVENT")
    whole = request.parse_time(pieces)
    if whole is not None:
        return [choose_usual_half(whole, request)]
    times = request.parse_times(pieces)
    return times if all(time.best.has_day and not time.best.has_clock for time in times) else []


def _counts_back(piece: str, request: RequestContext) -> bool:
    """Return whether words of time count back from another time: "the day before at 6pm"."""
    text = request.words.fold(piece).split()
    at = next((place for place, word in enumerate(text) if place and word in request.words.ahead), 0)
    return at > 0 and not names_any_day(" ".join(text[at + 1 :]), request)


def names_any_day(piece: str, request: RequestContext) -> bool:
    """Return whether a time in `piece` has a day."""
    return any(best.has_day for best in request.list_readings(piece))


def tag_lead(request: RequestContext) -> RequestContext:
    """Return the request with the clock behind a lead, or a lead behind 前, tagged as one: "the day before at 6pm"."""
    request = _tag_clock_behind_lead(request)
    if not request.reading.has("WHEN"):
        return request
    first = last = 0
    if request.reading.has("LEAD"):
        first, last = _find_tagged_lead(request)
    elif not request.words.joint:
        request = _untag_name_ahead(request)
        first, last = _find_lead_behind_ahead_word(request)
    reading = request.reading
    if first == last:
        return request
    if last < len(reading.tokens) and reading.tokens[last].form == "@clock":
        last += 1
    return request.with_tags("LEAD" if first <= at < last else tag for at, tag in enumerate(reading.tags))


def _tag_clock_behind_lead(request: RequestContext) -> RequestContext:
    """Return the request with a clock right behind "a day before" as when to remind, where its event has a time."""
    tokens, tags, text = request.reading.tokens, list(request.reading.tags), request.reading.text
    spans = request.reading.spans("EVENT") if request.reading.has("LEAD") else []
    if len(spans) < 2 or sum(bool(request.read_times(text[slice(*span)])) for span in spans) < 2:
        return request
    for at in range(2, len(tags)):
        is_behind = tags[at - 2] == "LEAD" and tokens[at - 1].form in request.words.ahead
        if is_behind and tags[at] == "EVENT" and tokens[at].form == "@clock":
            pieces = (text[slice(*span)] for span in request.reading.spans("LEAD") if span[1] == tokens[at - 2].end)
            lead = parse_lead(next(pieces, ""), request)
            tags[at] = "WHEN" if lead is not None and lead[0] >= _DAY else "EVENT"
    return request.with_tags(tags)


def _untag_name_ahead(request: RequestContext) -> RequestContext:
    """Return the request with the name of the event untagged that is part of a lead: 出发前|一天晚上九点."""
    text, tokens, tags = request.reading.text, request.reading.tokens, list(request.reading.tags)
    for start, end in request.reading.spans("WHEN"):
        places = [(text.find(word, start, end), word) for word in request.words.ahead]
        begin = next((at + len(word) for at, word in places if at > start), start)
        is_lead = start < begin < end and parse_lead(text[begin:end], request) is not None
        if is_lead and parse_lead(text[start:end], request) is None:
            tags = [NO_TAG if start <= token.start < begin else tag for token, tag in zip(tokens, tags, strict=True)]
    return request.with_tags(tags)


def _find_lead_behind_ahead_word(request: RequestContext) -> tuple[int, int]:
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
    between = request.words.fold(request.reading.text[tokens[last - 1].end : tokens[begin].start])
    if request.words.has_any(request.words.same_day_phrases, between):
        return 0, 0  # "a day before and on the same day at 6"
    is_one = tags[begin - 1] == "LEAD" and tokens[begin - 1].end == tokens[begin].start
    end = begin + 1 if is_one else begin
    return (first, end) if is_one or tokens[begin].form == "@clock" else (0, 0)


def tag_lead_by_words(request: RequestContext) -> RequestContext:
    """Return the request with "the day before at 6pm" tagged as a lead; another time is that of the event."""
    reading = request.reading
    spans = reading.spans("WHEN")
    leads = [
        (start, end)
        for start, end in spans
        if _counts_back(reading.text[start:end], request) and parse_lead(reading.text[start:end], request) is not None
    ]
    events = [span for span in spans if span not in leads] or reading.spans("EVENT") or _find_only_untagged_day(request)
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


def _find_only_untagged_day(request: RequestContext) -> list[tuple[int, int]]:
    """Return the only day without a tag; empty for none or several."""
    days = [
        (token.start, token.end)
        for token, tag in request.reading.tagged
        if tag == NO_TAG and token.form in {"@day", "@dayclock", "@daypart"}
    ]
    return days if len(days) == 1 else []
