"""Resolve a meaning to an instant or an interval."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from services.time_expressions.model import Grain
from services.time_expressions.resolve.clocks import Moment, is_shortly_ahead, moments, next_default
from services.time_expressions.resolve.context import Answer, ReadingContext, in_zone, is_before, mark_past
from services.time_expressions.resolve.days import WEEK, Day, add_span, days, monday_of
from services.time_expressions.resolve.zones import convert_to_zone, zone_of
from services.time_expressions.values import SECONDS_OF, STRONG, Meaning, Shift, Span, complete, is_time_of_day

_FARTHEST_WEEKDAY = timedelta(days=62)
"""Farther away, "Thursday 27th" is rather a mistake in one of the two."""


def resolve_instants(meaning: Meaning, present: ReadingContext) -> list[Answer]:
    """Return the instants or intervals that `meaning` may name, best first."""
    if meaning.every is not None or meaning.refused or _is_list(meaning):
        return []
    if meaning.times is not None or len(meaning.week_numbers) > 1:
        return []
    if meaning.minute is not None:
        return _at_minute(meaning, meaning.minute, present)
    if meaning.either:
        return _either(meaning, present)
    if meaning.zone and meaning.clocks:
        there = present._replace(now=present.now.astimezone(zone_of(meaning.zone)))
        return [convert_to_zone(answer, present.zone) for answer in resolve_instants(meaning._replace(zone=""), there)]
    answers = _instants(meaning, present)
    if meaning.swapped and answers:
        month, day = meaning.swapped
        other = meaning._replace(months=(month,), days=(day,), swapped=None)
        answers += [answer._replace(unsure=True) for answer in _instants(other, present)]
        answers[0] = answers[0]._replace(unsure=True)
    if present.future and answers and len(meaning.weekdays) == len(meaning.days) == 1:
        return _day_or_weekday(meaning, answers, present)
    return answers


def _day_or_weekday(meaning: Meaning, answers: list[Answer], present: ReadingContext) -> list[Answer]:
    """Return `answers`, or the date and the weekday beside it where they contradict: "Thursday 27 November".

    Where the next date that is both is months away ("Thursday 27th"), it is the first of three.
    """
    weekday, first = meaning.weekdays[0], answers[0].start.date()
    is_both = first.weekday() == weekday
    if is_both and (meaning.months or first - present.today <= _FARTHEST_WEEKDAY):
        return answers
    dated = _instants(meaning._replace(weekdays=()), present)
    if not dated:
        return answers
    day = dated[0].start.date()
    beside = day + timedelta(days=(weekday - day.weekday() + WEEK // 2) % WEEK - WEEK // 2)
    named = meaning._replace(weekdays=(), days=(beside.day,), months=(beside.month,), year=beside.year, shift=None)
    found = [*(answers[:1] if is_both else ()), *dated[:1], *_instants(named, present)[:1]]
    return [answer._replace(unsure=True) for answer in found if not answer.past] or answers


def _instants(meaning: Meaning, present: ReadingContext) -> list[Answer]:
    if meaning.eve and meaning.anchor is not None:
        return _eve(meaning, meaning.anchor, present)
    if meaning.since is not None or meaning.until is not None:
        return _interval(meaning, present)
    if meaning.now:
        start = present.now.replace(microsecond=0)
        return [Answer(start=start, grain=Grain.SECOND, has_clock=True)]
    if meaning.offset is not None:
        answer = _offset(meaning, meaning.offset, present)
        return [_add_end(answer, meaning)] if answer else []
    if meaning.anchor is not None:
        answer = _beside(meaning, meaning.anchor, present)
        return [answer] if answer else []
    return [_add_end(answer, meaning) for answer in _on_days(meaning, present)]


def _at_minute(meaning: Meaning, minute: int, present: ReadingContext) -> list[Answer]:
    """Resolve "at ten past the hour" without any other field to the next such minute."""
    if meaning != Meaning(minute=minute, strength=meaning.strength):
        return []
    now = present.now.replace(second=0, microsecond=0)
    start = now + timedelta(minutes=(minute - now.minute - 1) % 60 + 1)
    return [Answer(start=start, grain=Grain.MINUTE, has_clock=True)]


def _either(meaning: Meaning, present: ReadingContext) -> list[Answer]:
    """Resolve alternatives ("at 5 or 6") to one unsure answer each."""
    outer = meaning._replace(either=())
    whole = [complete(outer, other) for other in meaning.either]
    found = [resolve_instants(alternative, present)[:1] for alternative in whole if alternative is not None]
    if len(found) < len(meaning.either) or not all(found):
        return []
    return [answers[0]._replace(unsure=True) for answers in found]


def _is_list(meaning: Meaning) -> bool:
    """Return whether `meaning` has several clocks or days, which are one time only in a recurrence or a weekend."""
    if len(meaning.weekdays) > 1 and meaning.shift is None and not (meaning.this_week or meaning.positions):
        return True
    return max(map(len, (meaning.clocks, meaning.parts, meaning.days, meaning.months, meaning.positions))) > 1


def _add_end(answer: Answer, meaning: Meaning) -> Answer:
    if meaning.lasting is None:
        return answer
    return answer._replace(end=_add_span(answer.start, meaning.lasting))


# -- exact and calendar offsets ----------------------------------------------------------------------------------


def _add_span(start: datetime, span: Span) -> datetime | None:
    """Add `span` to `start`: days and longer units by wall clock, shorter ones as elapsed time."""
    zone = start.tzinfo or UTC
    if span.months or span.days:
        day = add_span(start.date(), span)
        if day is None:
            return None
        start = in_zone(datetime.combine(day, start.time()), zone)
    return (start.astimezone(UTC) + timedelta(seconds=span.seconds)).astimezone(zone)


def _grain_of(span: Span) -> Grain:
    if span.seconds or span.unit in SECONDS_OF:
        return Grain.SECOND if span.unit == "second" else Grain.MINUTE
    return Grain.DAY


def _next_second(now: datetime) -> datetime:
    """Round `now` up to whole seconds, so that "in 2 seconds" is never early."""
    whole = now.replace(microsecond=0)
    if whole == now:
        return now
    try:
        return whole + timedelta(seconds=1)
    except OverflowError:  # the last second of the calendar
        return whole


def _offset(meaning: Meaning, span: Span, present: ReadingContext) -> Answer | None:
    base, exact, grain = _next_second(present.now), True, _grain_of(span)
    if meaning.anchor is not None:
        anchored = _anchor(meaning.anchor, present, span)
        if anchored is None:
            return None
        base, exact = anchored.start, anchored.has_clock
        grain = anchored.grain if exact and grain is Grain.DAY else grain
    start = _add_span(base, span)
    if start is None:
        return None
    if meaning.weekdays:
        day = monday_of(start.date()) + timedelta(days=meaning.weekdays[0])
        start, exact = in_zone(datetime.combine(day, present.parts.day), present.zone), False
    if meaning.clocks or meaning.parts:
        return _at_clock(meaning, start.date(), present)
    return mark_past(Answer(start=start, grain=grain, has_clock=exact or bool(span.seconds)), present)


def _anchor(anchor: Meaning, present: ReadingContext, span: Span) -> Answer | None:
    """Return the time that an offset is counted from; without a clock or a part, hours count from midnight."""
    answers = resolve_instants(anchor, present)
    if not answers:
        return None
    answer = answers[0]
    if answer.has_clock or anchor.parts or not span.seconds:
        return answer
    return answer._replace(start=in_zone(datetime.combine(answer.start.date(), time()), present.zone))


def _beside(meaning: Meaning, anchor: Meaning, present: ReadingContext) -> Answer | None:
    answers = resolve_instants(anchor, present)
    if not answers:
        return None
    ahead = (meaning.weekdays[0] - answers[0].start.weekday()) % WEEK
    if meaning.side == "before" or (meaning.side == "nearest" and ahead > WEEK // 2):
        ahead -= WEEK
    elif meaning.side == "after":
        ahead = ahead or WEEK
    day = answers[0].start.date() + timedelta(days=ahead)
    return _at_clock(meaning, day, present)


def _at_clock(meaning: Meaning, day: date, present: ReadingContext) -> Answer:
    """Return the clock or the part of the day of `meaning`, else the default hour, on `day`."""
    part = meaning.parts[0] if meaning.parts else ""
    clock = meaning.clocks[0] if meaning.clocks else None
    moment = moments(day, clock, part, present.parts)[0]
    grain = Grain(clock.grain) if clock else Grain.DAY
    return _answer(moment, grain, present)


def _eve(meaning: Meaning, anchor: Meaning, present: ReadingContext) -> list[Answer]:
    """Resolve "before Friday": the day before at the default hour, or later today if Friday is today."""
    if anchor.clocks or anchor.edge:
        return resolve_instants(anchor, present)
    answers = resolve_instants(anchor, present)
    if not answers:
        return []
    ahead = (answers[0].start.date() - present.today).days - 1
    if ahead < 0:
        return answers
    day = Meaning(shift=Shift("day", ahead), clocks=meaning.clocks, parts=meaning.parts, zone=meaning.zone)
    return resolve_instants(day, present)


# -- days and clocks ---------------------------------------------------------------------------------------------


def _on_days(meaning: Meaning, present: ReadingContext) -> list[Answer]:
    """Return the times of the first day, in order of preference, that has one on the wanted side of now."""
    if not _names_a_time(meaning):
        return []
    gone: list[Answer] = []
    for day in days(meaning, present.today, forward=present.future):
        if meaning.near and abs((day.date - present.today).days) > meaning.near:
            break
        answers = list(_on_day(meaning, day, present))
        fitting = [answer for answer in answers if not _is_on_wrong_side(answer, day, present)]
        if fitting:
            return fitting
        gone += answers[:1]
        if not day.floats:
            break
    return gone[:1]


def _is_on_wrong_side(answer: Answer, day: Day, present: ReadingContext) -> bool:
    """Return whether the answer is past although the future is wanted, or the reverse with an earlier day possible."""
    return answer.past or (not present.future and day.floats and is_before(present.now, answer.start))


def _names_a_time(meaning: Meaning) -> bool:
    if meaning.week_numbers and meaning.strength < STRONG:  # "week 3" alone is more likely a week of a course
        return False
    if meaning.edge and not (meaning.shift or meaning.months or meaning.year is not None):
        return False
    return bool(
        meaning.clocks
        or meaning.parts
        or meaning.weekdays
        or meaning.days
        or meaning.months
        or meaning.shift
        or meaning.holiday
        or meaning.week_numbers
        or meaning.year is not None
    )


def _on_day(meaning: Meaning, day: Day, present: ReadingContext) -> Iterator[Answer]:
    clock = meaning.clocks[0] if meaning.clocks else None
    part = meaning.parts[0] if meaning.parts else ""
    if meaning.edge == "end" and meaning.shift == Shift("day", meaning.shift.steps if meaning.shift else 0):
        yield _answer(Moment(local=datetime.combine(day.date, time(23, 59)), has_clock=True), Grain.MINUTE, present)
        return
    candidates = moments(day.date, clock, part, present.parts)
    today = day.date == present.today
    if len(candidates) > 1:
        candidates = _choose_half(candidates, meaning, day, present)
    grain = Grain(clock.grain) if clock else day.grain
    for moment in candidates:
        answer = _answer(moment, grain, present)
        if answer.past and today and present.future and moment.has_clock and moment.local.time() == time():
            # "Today at midnight" is the end of today, as its beginning is always past.
            answer = _answer(moment._replace(local=moment.local + timedelta(days=1)), grain, present)
        if answer.past and today and clock is None and not _rolls_over(meaning, day):
            later = next_default(present.local, part, present.parts)
            if later is not None:
                answer = _answer(moment._replace(local=later), grain, present)
        yield answer._replace(unsure=moment.unsure and len(candidates) > 1)


def _rolls_over(meaning: Meaning, day: Day) -> bool:
    """Return whether a day means the next such day, and not the rest of today, once its default hour has passed."""
    return day.floats and bool(meaning.weekdays or meaning.parts) and not meaning.this_week and not meaning.days


def _choose_half(candidates: list[Moment], meaning: Meaning, day: Day, present: ReadingContext) -> list[Moment]:
    """Return the possible halves of the day: both, or one if it is near or the other has passed."""
    preferred, other = candidates
    clock = meaning.clocks[0]
    near = [moment for moment in candidates if is_shortly_ahead(moment, present.local)]
    if near and present.future and not present.is_figure and is_time_of_day(meaning):
        return near
    gone = is_before(in_zone(preferred.local, present.zone), present.now)
    if not (present.future and gone):
        return candidates
    if not day.floats and day.date < present.today:
        return [preferred]
    is_eight = (clock.ahead_of or clock.hour) == EVENING_TOO and preferred.local.hour == clock.hour
    if day.floats and not (day.date == present.today and is_eight):
        return [preferred]
    return [other]


EVENING_TOO = 8
"""At noon "at 8" still means this evening, while "at 9", 10 and 11 mean tomorrow morning."""


def _answer(moment: Moment, grain: Grain, present: ReadingContext) -> Answer:
    answer = Answer(start=in_zone(moment.local, present.zone), grain=grain, has_clock=moment.has_clock)
    return mark_past(answer, present)


# -- intervals ---------------------------------------------------------------------------------------------------


def _interval(meaning: Meaning, present: ReadingContext) -> list[Answer]:
    """Resolve an interval; fields outside of its bounds apply to the first bound, and the last bound is after it."""
    outer = meaning._replace(since=None, until=None)
    firsts: list[Answer] = []
    if meaning.since is not None:
        whole = complete(outer, meaning.since)
        firsts = resolve_instants(whole, present) if whole else []
    elif _names_a_time(outer):
        firsts = _instants(outer, present)
    if not firsts:
        return []
    if meaning.until is None:
        return firsts
    first = firsts[0]
    last = meaning.until
    if first.has_clock and last.clocks and not last.parts and meaning.parts:
        last = last._replace(parts=meaning.parts)
    later = present._replace(now=first.start + timedelta(seconds=1), future=True)
    ends = resolve_instants(last, later)
    if not ends or ends[0].past:
        return [first] if not ends else []
    end = ends[0].start
    if not ends[0].has_clock:
        end = in_zone(datetime.combine(end.date() + timedelta(days=1), time()), present.zone)
    return [first._replace(end=end)]
