"""Repeat the times of a request as its other words say, and find where the repetition ends."""

import re
from datetime import timedelta

from msgspec.structs import replace

from function_calls.language.recognized_phrases import phrases
from function_calls.understanding.reading.message import NO_TAG
from function_calls.understanding.reading.times import TimeWords, is_clock_alone, move_to_day, names_hour, set_clock
from function_calls.understanding.reading.tokens import Token, is_time
from function_calls.understanding.requests.request_context import RequestContext
from services.time_expressions import Reading

_DAY = timedelta(days=1)

_EVERY_DAY, _BY_DAYS = "FREQ=DAILY;BYHOUR=", ("FREQ=DAILY;", "FREQ=WEEKLY;")
_RULE_ON_DAYS = re.compile(
    r"FREQ=(?P<frequency>MONTHLY|WEEKLY);(?:(?<=MONTHLY;)BYMONTHDAY|(?<=WEEKLY;)BYDAY)=[^;,]+"
    r"(?:;BYHOUR=\d+;BYMINUTE=\d+)?"
)
_YEARLY = "FREQ=YEARLY"
_MAX_MONTH = timedelta(days=32)


def find_end(request: RequestContext, first: Reading | None = None) -> str:
    """Return the `UNTIL` or `COUNT` part of a rule that the request names as its end; "" for none.

    An amount of time counts from the day of the `first` time, where that is given.
    """
    text = request.strip_leading_word(request.reading.words("UNTIL"), request.words.until_words)
    if not request.words.joint and first is not None and request.is_setting:
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


def add_end(time: TimeWords, end: str) -> TimeWords:
    """Return a repeating `time` with `end` in its rule."""
    best = time.best
    if not end or best.rrule is None or "UNTIL=" in best.rrule or "COUNT=" in best.rrule:
        return time
    return replace(time, readings=(best._replace(rrule=f"{best.rrule};{end}"), *time.readings[1:]))


def has_monthly_event(request: RequestContext) -> bool:
    """Return whether words outside of the time of the reminder name a day of every month: "due the 10th each month"."""
    rules = [
        token for token, tag in request.reading.tagged if tag in {NO_TAG, "EVENT"} and token.form.startswith("@rule")
    ]
    times = [time for token in rules for time in request.read_times(request.reading.text_of(token))]
    best = times[0].best if len(times) == 1 else None
    return best is not None and "BYMONTHDAY=" in (best.rrule or "")


def repeat_monthly(time: TimeWords, request: RequestContext) -> TimeWords:
    """Return a time that names a day of the month, but no month, as a repetition on that day of every month."""
    best = time.best
    if best.rrule is not None or not best.has_day:
        return time
    later = request.parse_time([time.words], best.start + _DAY)
    if later is None or later.best.start.day != best.start.day:
        return time
    if not timedelta() < later.best.start - best.start < _MAX_MONTH:
        return time
    monthly = best._replace(rrule=f"FREQ=MONTHLY;BYMONTHDAY={best.start.day}")
    return replace(time, readings=(set_clock(monthly, best) if best.has_clock else monthly,))


def untag_year_of_lead(request: RequestContext) -> RequestContext:
    """Return the request with "every year" untagged in a lead: "remind me every year | 3 days before"."""
    years = [_names_every_year(token, request) for token in request.reading.tokens]
    return request.with_tags(
        NO_TAG if is_year and tag == "LEAD" else tag for is_year, tag in zip(years, request.reading.tags, strict=True)
    )


def says_every_year(request: RequestContext) -> bool:
    """Return whether untagged words say "every year"."""
    return any(_names_every_year(token, request) for token in request.reading.untagged)


def _names_every_year(token: Token, request: RequestContext) -> bool:
    """Return whether a token is "every year" without a day."""
    is_rule = token.form.startswith("@rule")
    return is_rule and any(each.rrule == _YEARLY for each in request.list_readings(request.reading.text_of(token)))


def repeat_yearly(time: TimeWords) -> TimeWords:
    """Return a time that names a day as a repetition on that day of every year."""
    best = time.best
    if best.rrule is not None or not best.has_day:
        return time
    yearly = best._replace(rrule=f"{_YEARLY};BYMONTH={best.start.month};BYMONTHDAY={best.start.day}")
    return replace(time, readings=(set_clock(yearly, best) if best.has_clock else yearly,))


def repeat_like_first(times: list[TimeWords], request: RequestContext) -> list[TimeWords]:
    """Return `times` with those behind the first at its clock or on its days, and repeated as it."""
    first = times[0].best
    return [times[0], *(_repeat_like(first, time, request) for time in times[1:])] if first.has_clock else times


def _repeat_like(first: Reading, time: TimeWords, request: RequestContext) -> TimeWords:
    """Return a clock on the days of `first`, or a day at its clock and repeated as it: 每月3号九点，18号也要."""
    if is_clock_alone(time.best) and (first.rrule or "").startswith(_BY_DAYS):
        return repeat_clock(time, first, request)
    day = _repeat_day_like(first, time, request)
    is_bare = day.has_day and not names_hour(day)
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
    """Return a clock on the days of `rule`; one of every day that begins soon begins at the next such clock."""
    readings = [set_clock(rule, each) for each in time.readings]
    if (readings[0].rrule or "").startswith(_EVERY_DAY) and rule.start - request.now <= _DAY:
        today = [move_to_day(each, request.now.date()) for each in readings]
        readings = [each if each.start > request.now else each._replace(start=each.start + _DAY) for each in today]
    return replace(time, readings=tuple(readings))
