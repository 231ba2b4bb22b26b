"""Find the words of a request that make its times unclear: unknown words beside a time, and times that do not exist."""

from function_calls.understanding.reading.slots.time_words import find_words_beside_times, make_time_words
from function_calls.understanding.reading.times import TimeWords, blank_spans, find_impossible_times, names_only_day
from function_calls.understanding.reading.tokens import is_time
from function_calls.understanding.requests.request_context import RequestContext
from services.time_expressions import Reading

MIN_LETTERS = 3
"""The letters of an unread word that may change a time."""


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


def find_day_without_clock(request: RequestContext) -> Reading | None:
    """Return the only day, or time with a clock, of an unclear time: "tomorrow" of "tomorrow after drop-off"."""
    pieces = request.reading.pieces("WHEN") or request.reading.pieces("LEAD")  # "el jueves | antes de salir"
    times = [best for piece in pieces for best in request.list_readings(piece)]
    times = [best for best in times if best.has_clock] or times
    return times[0] if len(times) == 1 and (times[0].has_clock or names_only_day(times[0])) else None


def read_around_unknown_words(pieces: list[str], request: RequestContext) -> list[TimeWords] | None:
    """Return the only time of `pieces` that have unknown words as well, or none if the bot must ask.

    None where no word is unknown, and where Chinese words are: these are no reason to ask, as no spaces bound them.
    """
    if request.is_setting and any(_has_unread_time_relation(piece, request) for piece in pieces):
        return []
    if not any(_has_unknown_word(piece, request) for piece in pieces):
        return None
    may_be_clear = request.is_setting and not request.reading.has("EVENT")
    time = _read_time_around_unknown_words(pieces, request) if may_be_clear else None
    if time is None:
        return [] if request.words.joint else None
    return [time]


def _has_unread_time_relation(piece: str, request: RequestContext) -> bool:
    """Return whether unread words of a time change it: 每逢双号晚上九点, "20 past", or without a day 考试前一晚8点."""
    words, expressions = request.words, request.read_times(piece)
    other_words = " ".join(find_words_beside_times(piece, expressions, words))
    if words.has_any(words.time_relations, other_words):
        return True
    if not words.joint and words.has_any((*words.ahead, *words.around_events), other_words):
        pieces = request.reading.slice(request.reading.spans("WHEN"))
        readings = [best for each in pieces for best in request.list_readings(each)]
        return not any((best.has_day or best.rrule) and best.has_clock for best in readings)
    is_alone = len(request.reading.times) == 1
    return is_alone and words.has_any(words.same_day_phrases, other_words)


def _has_unknown_word(piece: str, request: RequestContext) -> bool:
    """Return whether words of time have a word that no time expression has: "mañana at 8"."""
    if request.parse_time([piece]) is not None:
        return False
    other_words = find_words_beside_times(piece, request.read_times(piece), request.words)
    shortest = MIN_LETTERS if request.words.joint else 1
    return any(len(word) >= shortest and word not in request.words.time_words for word in other_words)


def _read_time_around_unknown_words(pieces: list[str], request: RequestContext) -> TimeWords | None:
    """Return the day and the clock that `pieces` name around words that no time has: "Friday at closing, 6pm"."""
    times = [(piece, time) for piece in pieces for time in request.read_times(piece)]
    time_words = [make_time_words(piece, time).words for piece, time in times if time.readings]
    rules = [best for piece in pieces for best in request.list_readings(piece) if best.rrule]
    if len(time_words) > 2 or len(rules) > 1 or any(_has_unknown_end(piece, request) for piece in pieces):
        return None
    whole = request.parse_time(time_words)
    is_whole = whole is not None and whole.best.has_clock and (whole.best.has_day or whole.best.rrule is not None)
    return whole if is_whole else None


def _has_unknown_end(piece: str, request: RequestContext) -> bool:
    """Return whether words of time name an end that no time is: "Fridays at 5 until the trip"."""
    spans = [span for best in request.list_readings(piece) for span in best.spans]
    outside = request.words.fold(blank_spans(piece, spans))
    return request.words.has_any(request.words.until_words, outside)
