"""Correct the tags of requests to change when reminders come."""

import re
from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace

from function_calls.understanding.reading.message import NO_TAG, find_runs
from function_calls.understanding.reading.repair.tag_repair import tag_same_time
from function_calls.understanding.reading.slots.references import extract_references
from function_calls.understanding.reading.slots.small_words import are_function_words
from function_calls.understanding.reading.times import names_single_day
from function_calls.understanding.reading.tokens import WITH_CLOCK, Token, is_time, split_clauses
from function_calls.understanding.reminder_times import FROM_THEN
from function_calls.understanding.requests.references.named_reminders import find_named_reminder
from function_calls.understanding.requests.references.remarks import join_forms
from function_calls.understanding.requests.references.unnamed_reminders import JUST_NOW
from function_calls.understanding.requests.request_context import RequestContext

_DAY = timedelta(days=1)
_NEW_TIMES = ("WHEN", "LATER", "EARLIER", "LEAD", "UNTIL")
FROM_WORD = re.compile(r"\bfrom\b|[从從]")


def correct_tags(request: RequestContext) -> RequestContext:
    """Return a change whose tags tell its new time from reasons, old times, days, ends and numbers of a list."""
    request = _tag_day_in_front(request.with_reading(tag_same_time(request.reading, request.words)))
    request = _tag_amount_beside_name(_tag_clock_of_shift(request))
    return _tag_listed_number(_tag_old_and_new(_tag_length_as_end(untag_reasons(request))))


def _tag_clock_of_shift(request: RequestContext) -> RequestContext:
    """Return a change with a clock that is tagged as an amount as its new time: "adelántalo a las 18:30".

    Behind an amount it is part of a remark: 推迟半小时 五点还没开门.
    """
    if _has_amount(request):
        return request
    of_remark, of_change = (
        request.with_tags(
            new if tag in {"LATER", "EARLIER"} and token.form in WITH_CLOCK else tag
            for token, tag in request.reading.tagged
        )
        for new in (NO_TAG, "WHEN")
    )
    return of_remark if _has_amount(of_remark) else of_change


def _tag_amount_beside_name(request: RequestContext) -> RequestContext:
    """Return a change without a new time as one by the amount right beside the name: "corre | media hora | la cena"."""
    reading = request.reading
    articles = request.words.before_reference
    marked = [tag if form not in articles else "REF" for form, tag in zip(reading.forms, reading.tags, strict=True)]
    names = [] if any(map(reading.has, _NEW_TIMES)) else find_runs(marked, "REF")  # "lo de | las sillas"
    named = [run for run in names if "REF" in reading.tags[slice(*run)]]
    spans = [span for first, last in named for n in (3, 2) for span in ((first - n, first), (last, last + n))]
    for first, last in spans:
        is_untagged = 0 <= first < last <= len(reading.tags) and {*reading.tags[first:last]} == {NO_TAG}
        if is_untagged and request.parse_length(reading.text_of(reading.tokens[first], reading.tokens[last - 1])):
            return request.with_tags("LATER" if first <= at < last else tag for at, tag in enumerate(reading.tags))
    return request


def _has_amount(request: RequestContext) -> bool:
    """Return whether words tagged as later or as earlier are one length of time."""
    return any(request.parse_amount(tag) is not None for tag in ("LATER", "EARLIER"))


def untag_reasons(request: RequestContext) -> RequestContext:
    """Return a change with the times of a reason untagged: "Friday please, I'm busy on Thursday"."""
    request = _end_time_before_reason(request)
    reading = request.reading
    timed = [clause for clause in split_clauses(reading.tokens) if any(reading.tags[at] == "WHEN" for at in clause)]
    asking = [clause for clause in timed if _asks_for_change(clause, request)]
    others = timed[:-1] if timed and timed[-1] in asking else timed[1:]
    reasons = [clause for clause in others if clause not in asking and _says_more_than_time(clause, request)]
    places = {at for clause in reasons for at in clause}
    return request.with_tags(NO_TAG if at in places and tag == "WHEN" else tag for at, tag in enumerate(reading.tags))


def _tag_day_in_front(request: RequestContext) -> RequestContext:
    """Return a change with its day in front, without a word such as "from", as the one to change: 明天遛狗改七点."""
    reading, text = request.reading, request.folded_text
    spans, time_starts = reading.spans("FROM"), {token.start for token in reading.tokens if is_time(token)}
    is_begin = reading.has("OLD") or FROM_THEN.search(text) or FROM_WORD.search(text)
    has_change = any(map(reading.has, ("WHEN", "LATER", "EARLIER")))
    if is_begin or not has_change or not spans or spans[0][0] not in time_starts:
        return request
    return request.retag("FROM", "OLD")


def _tag_old_and_new(request: RequestContext) -> RequestContext:
    """Return a change with the old and the new time apart: "from Sunday at 8 to Saturday at 9" may be read as one.

    Both have a day and a clock, or are clocks that tell which reminder is meant: "mine from 3 to 5".
    """
    reading = request.reading
    times = reading.times
    if not times or not request.words.joint or reading.has_rule:
        return request
    start, end = times[0].start, times[-1].end
    is_unnamed = _is_clock_a_reference(request, start)
    start += len(found[0]) if (found := FROM_WORD.match(reading.text[start:end])) else 0
    for link in re.finditer(request.words.between_days, reading.text[start:end]):
        old, new = (start, start + link.start()), (start + link.end(), end)
        are_clocks = is_unnamed and all(request.is_clock([reading.text[slice(*span)]]) for span in (old, new))
        if are_clocks or (_names_day_and_clock(old, request) and _names_day_and_clock(new, request)):
            form = "@clock" if are_clocks else "@dayclock"
            between = Token(old[1] + 1, new[0] - 1, link[0].strip())
            pieces = [(Token(*old, form), "OLD"), (between, NO_TAG), (Token(*new, form), "WHEN")]
            return _replace_tokens(request.retag("REF", NO_TAG) if are_clocks else request, pieces)
    return request


def _replace_tokens(request: RequestContext, pieces: Sequence[tuple[Token, str]]) -> RequestContext:
    """Return the request with `pieces`, tokens with their tags, in place of all tokens between their bounds."""
    reading, start, end = request.reading, pieces[0][0].start, pieces[-1][0].end
    ahead = [pair for pair in reading.tagged if pair[0].end <= start]
    behind = [pair for pair in reading.tagged if pair[0].start >= end]
    tokens, tags = zip(*ahead, *pieces, *behind, strict=True)
    return request.with_reading(replace(reading, tokens=tokens, tags=tags, begins=(), reminder_places=frozenset()))


def _tag_listed_number(request: RequestContext) -> RequestContext:
    """Return a change with a number of the list apart from its clock: "cambia el 1 a las 16:00".

    It is a day where the list has not just been shown and no order stands in front.
    """
    reading, reminders = request.reading, request.chat_reminders
    times = [at for at, token in enumerate(reading.tokens) if is_time(token)]
    if len(times) != 1 or reminders is None or reading.has("REF"):
        return request
    at, token = times[0], reading.tokens[times[0]]
    article, _, behind = reading.text_of(token).partition(" ")
    number, _, clock = behind.partition(" ")
    is_order = bool(at) and reading.tokens[at - 1].form in request.words.change_it
    is_just_shown = request.now - reminders.shown.at <= JUST_NOW
    listed = reminders.shown.ids if is_just_shown else request.reminders if is_order else ()
    is_listed = number.isdecimal() and 0 < int(number) <= len(listed) and article.casefold() in request.words.articles
    if not (is_listed and clock and request.is_clock([clock])):
        return request
    clock_start = token.end - len(clock)
    number_start = clock_start - 1 - len(number)
    name = [(Token(token.start, number_start, article), "REF"), (Token(number_start, clock_start - 1, "0"), "REF")]
    return request.with_reading(reading.split_token(at, [*name, (Token(clock_start, token.end, "@clock"), "WHEN")]))


def _is_clock_a_reference(request: RequestContext, start: int) -> bool:
    """Return whether the clock at `start` tells which reminder is meant: behind "from" or "the one", without a name."""
    reading, words = request.reading, request.words
    names = {words.fold(name) for name in extract_references(reading, words)}
    figure = re.search(r"\d", reading.text[start:])
    *_, mark, link = ["", "", *words.fold(reading.text[: start + (figure.start() if figure else 0)]).split()]
    is_marked = mark in words.reference_marks and link in {*words.before_time} - words.until_words
    has_from = FROM_WORD.search(request.folded_text) is not None
    return (has_from or is_marked) and names <= {*words.own_one, *words.itself}


def _names_day_and_clock(span: tuple[int, int], request: RequestContext) -> bool:
    """Return whether a piece of the text is one time with a day and a clock that does not repeat."""
    times = request.read_times(request.reading.text[slice(*span)])
    best = times[0].readings[0] if len(times) == 1 and times[0].readings else None
    return names_single_day(best) and best.has_clock


def _tag_length_as_end(request: RequestContext) -> RequestContext:
    """Tag the days for which a repetition goes on as its end: 要连喂五天，每天都是四点.

    They stand in a clause of their own, behind a word such as 连 or a character of the text of the reminder.
    """
    reading, words = request.reading, request.words
    is_endless = reading.has_rule and not reading.has("UNTIL")
    reminder = find_named_reminder(request) if words.lasting and is_endless else None
    content = "" if reminder is None else words.fold(reminder.content)
    clauses = split_clauses(reading.tokens) if content else []
    untagged = [clause for clause in clauses if all(reading.tags[at] == NO_TAG for at in clause)]
    for first, last in ((at, clause[-1]) for clause in untagged for at in clause[1:]):
        ahead = words.fold(reading.text[: reading.tokens[first].start])
        length = request.parse_length(reading.text_of(reading.tokens[first], reading.tokens[last]))
        if length is not None and length >= _DAY and ahead.endswith((*words.lasting, *content)):
            return request.with_tags("UNTIL" if first <= at <= last else tag for at, tag in enumerate(reading.tags))
    return request


def _end_time_before_reason(request: RequestContext) -> RequestContext:
    """Return a Chinese change whose time ends at the comma in front of a reason: 改成每月2号，1号工资还没到."""
    reading, words = request.reading, request.words
    tokens = reading.tokens
    clauses = [] if words.joint else split_clauses(tokens)
    for at, last in ((at, clause[-1]) for clause in clauses for at in clause if reading.tags[at] == "WHEN"):
        time, comma, _ = reading.text_of(tokens[at]).replace("，", ",").partition(",")
        behind = [token.form for token in tokens[at + 1 : last + 1]]
        if comma and not are_function_words(behind, words) and not words.has_any(words.calling, "".join(behind)):
            shorter = replace(tokens[at], end=tokens[at].start + len(time))
            return request.with_reading(replace(reading, tokens=(*tokens[:at], shorter, *tokens[at + 1 :])))
    return request


def _asks_for_change(clause: Sequence[int], request: RequestContext) -> bool:
    """Return whether a clause asks for a change: "please change mine", "next week, skip the 2nd"."""
    text = join_forms(clause, request)
    return request.words.has_any((*request.words.change_it, *request.words.skipping), text)


def _says_more_than_time(clause: Sequence[int], request: RequestContext) -> bool:
    """Return whether a clause has other words than times and function words."""
    tokens = request.reading.tokens
    return not are_function_words([tokens[at].form for at in clause if not is_time(tokens[at])], request.words)
