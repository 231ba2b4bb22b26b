"""Find the days that a request to skip occurrences of a reminder names."""

import re
from datetime import date, timedelta

from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.times import list_halves, parse_until
from function_calls.understanding.reading.tokens import CLAUSE_ENDS, is_time
from function_calls.understanding.requests.changes.updates import (
    DAYS_AHEAD,
    list_dates_on_weekdays,
    read_time_in_name,
)
from function_calls.understanding.requests.references.named_reminders import find_named_reminder
from function_calls.understanding.requests.request_context import RequestContext
from services.reminders.lookup.due_words import fits_time
from services.time_expressions import Reading

_FEW_DAYS = re.compile(r"FREQ=DAILY;UNTIL=(\w+)")
_FEW_WEEKS = re.compile(r"FREQ=WEEKLY;BYDAY=\w\w;COUNT=(\d+)")
_DAY_OF_MONTH = re.compile(r"FREQ=MONTHLY;BYMONTHDAY=\d+")
_MAX_COMING_FIRES = 24
"""The occurrences among which one is sought by its clock."""
_CLAUSE_END = re.compile(f"[{''.join(CLAUSE_ENDS)}]")


def find_words_to_skip(request: RequestContext) -> str:
    """Return the words of the days to skip; "" where they name no time."""
    words = (
        find_weekdays_left_out(request)
        or _find_tagged_days(request)
        or request.reading.only_time
        or find_day_beside_name(request)
        or find_words_for_one_time(request)
    )
    return "" if words in request.words.this_time and not request.read_times(words) else words


def find_weekdays_left_out(request: RequestContext) -> str:
    """Return the weekdays in front of a word that leaves them out: 周六周日不用; "" for none or for one occurrence."""
    words, text = request.words, request.folded_text
    is_once = words.has_any(words.one_time, text)
    for clause in _CLAUSE_END.split(text) if words.exclusion_endings and not is_once else ():
        before = clause[: min((at for each in words.exclusion_endings if (at := clause.find(each)) > 0), default=0)]
        starts = [start for best in request.list_readings(before) for start, _ in best.spans]
        days = before[min(starts) :] if starts else ""
        if request.find_weekdays(days):
            return days
    return ""


def _find_tagged_days(request: RequestContext) -> str:
    """Return the words of the days to skip; of two for one day, the last: "next week, skip the 2nd".

    A part of the day is one of a reason: "skip this Friday as we close at lunch". A weekday may stand for the date in
    front of it: "no match on 24 December, skip that Thursday".
    """
    pieces = request.reading.pieces("WHEN") or request.reading.pieces("OLD")
    dated = [piece for piece in pieces if not _is_clock_or_part(piece, request)] or pieces
    *others, last = [_strip_around_day(piece, request) for piece in dated] or [""]
    if not others or any(map(str.isdecimal, last)):
        return last
    days = request.list_days(last)
    weekdays = {day.weekday() for day in days}
    dates = ((piece, day) for piece in others for day in request.list_days(piece))
    return next((piece for piece, day in dates if day not in days and day.weekday() in weekdays), last)


def _is_clock_or_part(piece: str, request: RequestContext) -> bool:
    """Return whether words are read as a part of the day or a clock without a day."""
    times = [time.best for time in request.read_times(piece)]
    return bool(times) and not any(best is None or best.has_day or best.rrule for best in times)


def _strip_around_day(piece: str, request: RequestContext) -> str:
    """Return a time without the words around it, unless these are a part of it: "del lunes al miércoles".

    In front of a length of time all words are left out: "los próximos dos días".
    """
    bare, count = request.strip_time_words(piece), len(request.read_times(piece))
    count_of_bare = len(request.read_times(bare))
    if count == 1 < count_of_bare or (request.words.joint and not count_of_bare and count > 1):  # "el 24 y el 31"
        return piece
    parts = bare.split() if request.words.joint and not count_of_bare else []
    lengths = (" ".join(parts[first:]) for first in range(1, len(parts) - 1))
    return next((length for length in lengths if request.parse_length(length)), bare)


def find_day_beside_name(request: RequestContext) -> str:
    """Return the time right behind the name of a reminder, or at its end: 跑步周四的不要了; "" for none."""
    tokens, tags = request.reading.tokens, (*request.reading.tags, NO_TAG)
    behind_tags = {NO_TAG} if request.words.joint else {NO_TAG, "OLD"}
    neighbours = zip(tokens[1:], tags, tags[1:], tags[2:], strict=False)
    times = ((token, tag, after) for token, before, tag, after in neighbours if is_time(token) and before == "REF")
    days = (token for token, tag, after in times if tag in behind_tags or (tag == "REF" and after != "REF"))
    return next(map(request.reading.text_of, days), "")


def find_words_for_one_time(request: RequestContext) -> str:
    """Return the words for one occurrence, without a day: "just this once", 这周; "" for none."""
    phrases = (word for word in request.words.this_time if request.words.has_any((word,), request.folded_text))
    return max(phrases, key=len, default="")


def count_skipped(request: RequestContext) -> int:
    """Return how many times to skip: "the next two", "twice"; 1 where no number of times is named."""
    is_one = not request.words.joint and request.has_phrase(request.words.one_time)  # 二月那回
    is_next = not is_one and request.has_word((*request.words.nearest, *request.words.counted))
    words = request.words.fold(request.strip_time_words(request.reading.words("WHEN")))  # "las dos siguientes"
    return request.words.counts.get(words) or (request.find_count({NO_TAG, "REF", "WHEN"}) if is_next else 1)


def list_named_days(words: str, request: RequestContext) -> list[str]:
    """Return the days that `words` name one by one: "24 or 31 December"; empty for one day or weekdays."""
    if not words or request.find_weekdays(words):
        return []
    midnight = request.now.replace(hour=0, minute=0, second=0, microsecond=0)
    is_joined = not request.words.and_words.isdisjoint(request.words.fold(words).split())
    days: list[date] = []
    for time in request.read_times(words, midnight):
        for each in time.readings if is_joined else [time.best]:
            if each is None or not each.has_day or each.has_clock:
                return []
            named = _expand_days(each, request)
            # The day of "tomorrow and the day after" is the one behind the day before it.
            days += [days[-1] + timedelta(days=1)] if days and named == days[-1:] else named
    return [f"{day}" for day in days] if len(days) > 1 else []


def _expand_days(best: Reading, request: RequestContext) -> list[date]:
    """Return the day of a reading, days in a row, or the same weekday of a few weeks: "the next 3 Fridays"."""
    weekly = _FEW_WEEKS.fullmatch(best.rrule or "")
    count, step = (int(weekly[1]), 7) if weekly else (_count_days(best, request), 1)
    return [best.start.date() + timedelta(days=step * each) for each in range(count)]


def _count_days(best: Reading, request: RequestContext) -> int:
    """Return how many days a day, or some days in a row, has; 0 for any other repetition."""
    if best.rrule is None:
        return int(best.end is None)
    until = _FEW_DAYS.fullmatch(best.rrule)
    last = None if until is None else parse_until(until[1], request.now.tzinfo)
    return 0 if last is None else (last.date() - best.start.date()).days + 1


def list_dates_to_skip(words: str, request: RequestContext) -> list[str]:
    """Return the next days on several weekdays that an order to skip names, and not as ones that recur."""
    weekdays = request.find_weekdays(words)
    is_recurring = "@rule" in request.reading.forms  # "Thursdays and Fridays"
    is_list = len(weekdays) > 1 and not is_recurring and means_single_days(request)
    return list_dates_on_weekdays(words, len(weekdays), request) if is_list else []


def means_single_days(request: RequestContext) -> bool:
    """Return whether weekdays are days to skip: beside a word such as "skip", and in Latin script beside a name."""
    return request.has_word(request.words.skipping) or (bool(request.words.joint) and request.reading.has("REF"))


def find_named_occurrence(words: str, request: RequestContext) -> str:
    """Return the time of the only occurrence at the clock or in the part of the day that names it; "" for others.

    It is on the day of `words`, or without one the next such occurrence: "skip the 4pm one on Friday". The reminder
    comes at several times a day.
    """
    days = request.list_days(words)
    clocks = [piece for piece in request.reading.pieces("WHEN") if _is_clock_or_part(piece, request)]
    named = read_time_in_name(request, clocks)
    reminder = find_named_reminder(request)
    if named is None or not (named.has_clock or named.part) or len(days) > 1 or reminder is None:
        return ""
    coming = request.list_coming(reminder, next(iter(days), request.now.date()), _MAX_COMING_FIRES)
    coming = [due for due in coming if not days or due.date() in days]
    halves = list_halves(named) if named.has_clock else (named,)
    at_time = [due for due in coming if any(fits_time(due, half._replace(has_day=False)) for half in halves)]
    return f"{at_time[0]:%Y-%m-%d %H:%M}" if 0 < len(at_time) < len(coming) else ""


def find_occurrence_on_day_of_month(words: str, request: RequestContext) -> str:
    """Return the next date on the day of the month `words` on which the reminder comes; "" for none in three months."""
    time = request.parse_time([request.words.each_month.format(days=words)]) if words else None
    reminder = None if time is None else find_named_reminder(request)
    if reminder is None or time is None or not _DAY_OF_MONTH.fullmatch(time.best.rrule or ""):
        return ""
    days = (due.date() for due in request.list_coming(reminder, request.now.date(), DAYS_AHEAD))
    last = request.now.date() + timedelta(days=DAYS_AHEAD)
    return next((f"{day}" for day in days if day <= last and day.day == time.best.start.day), "")
