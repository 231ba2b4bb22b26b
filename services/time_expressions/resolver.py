"""Decide what a meaning is on the calendar: the one place that holds the conventions of the room.

Days come from `days`, clocks from `clocks`, rules from `recurrence`; here they meet the present moment.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, tzinfo

from services.time_expressions.clocks import Moment, moments, next_default
from services.time_expressions.days import WEEK, Day, add_span, days, monday_of, shifted_start
from services.time_expressions.model import DayParts, Grain
from services.time_expressions.recurrence import (
    SECONDS,
    Rule,
    build_rule,
    clock_parts,
    first_fire,
    week_end,
    window_end,
)
from services.time_expressions.values import Meaning, Shift, Span, completed

NEAR_DAYS = 35
"""In "Friday 14" the number is a day only if such a Friday is this near."""
UNTIL_DAY_END = time(23, 59, 59)


@dataclass(frozen=True, kw_only=True, slots=True)
class Present:
    """What the words are read against."""

    now: datetime
    parts: DayParts
    future: bool
    shortest_period: timedelta

    @property
    def local(self) -> datetime:
        """The wall clock of `now`, without its zone."""
        return self.now.replace(tzinfo=None)

    @property
    def zone(self) -> tzinfo:
        """The zone of `now`."""
        return self.now.tzinfo or UTC


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One resolved time; `past` when it lies before now although a future one was asked for."""

    start: datetime
    grain: Grain
    has_clock: bool
    end: datetime | None = None
    rrule: str | None = None
    past: bool = False
    unsure: bool = False


def in_zone(local: datetime, zone: tzinfo) -> datetime:
    """Give a wall clock its zone; a time in a gap moves forward by the gap, a folded one is the first."""
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC).astimezone(zone)


def resolve(meaning: Meaning, present: Present) -> list[Answer]:
    """All readings of `meaning`, best first; empty where it names no time that exists."""
    try:
        found = _resolve(meaning, present)
    except (OverflowError, ValueError):  # the calendar ends with the year 9999
        return []
    return found


def _resolve(meaning: Meaning, present: Present) -> list[Answer]:
    if meaning.refused:
        return []
    if meaning.every is not None:
        recurring = _recurring(meaning, present)
        return [recurring] if recurring else []
    if meaning.count is not None or meaning.positions or meaning.week_numbers or len(meaning.clocks) > 1:
        return []
    answers = _instants(meaning, present)
    if meaning.swapped:
        month, day = meaning.swapped
        other = replace(meaning, months=(month,), days=(day,), swapped=None)
        answers += [replace(answer, unsure=True) for answer in _instants(other, present)]
        answers[0] = replace(answers[0], unsure=True)
    return answers


def _instants(meaning: Meaning, present: Present) -> list[Answer]:
    if meaning.since is not None or meaning.until is not None:
        return _interval(meaning, present)
    if meaning.now:
        start = present.now.replace(microsecond=0)
        return [Answer(start=start, grain=Grain.SECOND, has_clock=True)]
    if meaning.offset is not None:
        answer = _offset(meaning, meaning.offset, present)
        return [_with_lasting(answer, meaning)] if answer else []
    if meaning.anchor is not None:
        answer = _nearest(meaning, meaning.anchor, present)
        return [answer] if answer else []
    return [_with_lasting(answer, meaning) for answer in _on_days(meaning, present)]


def _with_lasting(answer: Answer, meaning: Meaning) -> Answer:
    if meaning.lasting is None:
        return answer
    return replace(answer, end=_moved(answer.start, meaning.lasting))


# -- exact and calendar offsets ----------------------------------------------------------------------------------


def _moved(start: datetime, span: Span) -> datetime | None:
    """`start` and `span`: wall clock for days and more, elapsed time below."""
    zone = start.tzinfo or UTC
    if span.months or span.days:
        day = add_span(start.date(), span)
        if day is None:
            return None
        start = in_zone(datetime.combine(day, start.time()), zone)
    return (start.astimezone(UTC) + timedelta(seconds=span.seconds)).astimezone(zone)


def _grain_of(span: Span) -> Grain:
    if span.seconds or span.unit in SECONDS:
        return Grain.SECOND if span.unit == "second" else Grain.MINUTE
    return Grain.DAY


def _offset(meaning: Meaning, span: Span, present: Present) -> Answer | None:
    base, exact = present.now.replace(microsecond=0), True
    if meaning.anchor is not None:
        anchored = _anchor(meaning.anchor, present, span)
        if anchored is None:
            return None
        base, exact = anchored
    start = _moved(base, span)
    if start is None:
        return None
    if meaning.weekdays:
        day = monday_of(start.date()) + timedelta(days=meaning.weekdays[0])
        start, exact = in_zone(datetime.combine(day, present.parts.day), present.zone), False
    if meaning.clocks or meaning.parts:
        part = meaning.parts[0] if meaning.parts else ""
        clock = meaning.clocks[0] if meaning.clocks else None
        moment = moments(start.date(), clock, part, present.parts)[0]
        start = in_zone(moment.local, present.zone)
        grain = Grain(clock.grain) if clock else Grain.DAY
        return _judged(Answer(start=start, grain=grain, has_clock=clock is not None), present)
    return _judged(Answer(start=start, grain=_grain_of(span), has_clock=exact or bool(span.seconds)), present)


def _anchor(anchor: Meaning, present: Present, span: Span) -> tuple[datetime, bool] | None:
    """The time that an offset counts from, and whether its clock is meant; days count from midnight for hours."""
    answers = _resolve(anchor, present)
    if not answers:
        return None
    start, has_clock = answers[0].start, answers[0].has_clock
    if not has_clock and span.seconds:
        start = in_zone(datetime.combine(start.date(), time()), present.zone)
    return start, has_clock


def _nearest(meaning: Meaning, anchor: Meaning, present: Present) -> Answer | None:
    answers = _resolve(anchor, present)
    if not answers:
        return None
    ahead = (meaning.weekdays[0] - answers[0].start.weekday()) % WEEK
    day = answers[0].start.date() + timedelta(days=ahead if ahead <= WEEK // 2 else ahead - WEEK)
    start = in_zone(datetime.combine(day, present.parts.day), present.zone)
    return _judged(Answer(start=start, grain=Grain.DAY, has_clock=False), present)


def _judged(answer: Answer, present: Present) -> Answer:
    return replace(answer, past=present.future and answer.start < present.now.replace(microsecond=0))


# -- days and clocks ---------------------------------------------------------------------------------------------


def _on_days(meaning: Meaning, present: Present) -> list[Answer]:
    """Walk the days in order of preference, and take the first time that lies ahead."""
    if not _names_a_time(meaning):
        return []
    gone: list[Answer] = []
    for day in days(meaning, present.local.date(), forward=present.future):
        if meaning.near and abs((day.date - present.local.date()).days) > NEAR_DAYS:
            break
        answers = list(_on_day(meaning, day, present))
        fitting = [answer for answer in answers if not answer.past]
        if fitting:
            return fitting
        gone += answers[:1]
        if not day.floats:
            break
    return gone[:1]


def _names_a_time(meaning: Meaning) -> bool:
    if meaning.edge and not (meaning.shift or meaning.months or meaning.year is not None):
        return False
    return bool(
        meaning.clocks
        or meaning.parts
        or meaning.weekdays
        or meaning.days
        or meaning.months
        or meaning.shift
        or meaning.year is not None
    )


def _on_day(meaning: Meaning, day: Day, present: Present) -> Iterator[Answer]:
    clock = meaning.clocks[0] if meaning.clocks else None
    part = meaning.parts[0] if meaning.parts else ""
    if meaning.edge == "end" and meaning.shift == Shift("day", meaning.shift.steps if meaning.shift else 0):
        yield _answer(Moment(local=datetime.combine(day.date, time(23, 59)), has_clock=True), Grain.MINUTE, present)
        return
    candidates = moments(day.date, clock, part, present.parts)
    today = day.date == present.local.date()
    if len(candidates) > 1:
        candidates = _chosen(candidates, meaning, day, present)
    grain = Grain(clock.grain) if clock else day.grain
    for moment in candidates:
        answer = _answer(moment, grain, present)
        if answer.past and today and clock is None and not _rolls(meaning, day):
            later = next_default(present.local, part, present.parts)
            if later is not None:
                answer = _answer(replace(moment, local=later), grain, present)
        yield replace(answer, unsure=moment.unsure and len(candidates) > 1)


def _rolls(meaning: Meaning, day: Day) -> bool:
    """Tell whether a day whose default hour is gone means the next such day rather than the rest of today."""
    return day.floats and bool(meaning.weekdays or meaning.parts) and not meaning.this_week and not meaning.days


def _chosen(candidates: list[Moment], meaning: Meaning, day: Day, present: Present) -> list[Moment]:
    """Of the two halves of the day, keep the preferred one, and the other where it is forced or worth asking for."""
    preferred, other = candidates
    hour = meaning.clocks[0].hour
    gone = in_zone(preferred.local, present.zone) < present.now
    if not (present.future and gone):
        return candidates
    if day.floats and not (day.date == present.local.date() and hour == EVENING_TOO and preferred.local.hour == hour):
        return [preferred]
    return [other]


EVENING_TOO = 8
"""At noon "at 8" still means today; "at 9", 10 and 11 mean tomorrow morning."""


def _answer(moment: Moment, grain: Grain, present: Present) -> Answer:
    answer = Answer(start=in_zone(moment.local, present.zone), grain=grain, has_clock=moment.has_clock)
    return _judged(answer, present)


# -- intervals ---------------------------------------------------------------------------------------------------


def _interval(meaning: Meaning, present: Present) -> list[Answer]:
    """From one time to another; what stands outside of both holds for the first, the last follows it."""
    outer = replace(meaning, since=None, until=None)
    firsts: list[Answer] = []
    if meaning.since is not None:
        whole = completed(outer, meaning.since)
        firsts = _resolve(whole, present) if whole else []
    elif _names_a_time(outer):
        firsts = _instants(outer, present)
    if not firsts:
        return []
    if meaning.until is None:
        return firsts
    first = firsts[0]
    last = meaning.until
    if first.has_clock and last.clocks and not last.parts and meaning.parts:
        last = replace(last, parts=meaning.parts)
    later = replace(present, now=first.start + timedelta(seconds=1), future=True)
    ends = _resolve(last, later)
    if not ends or ends[0].past:
        return [first] if not ends else []
    end = ends[0].start
    if not ends[0].has_clock:
        end = in_zone(datetime.combine(end.date() + timedelta(days=1), time()), present.zone)
    return [replace(first, end=end)]


# -- recurrences -------------------------------------------------------------------------------------------------


def _recurring(meaning: Meaning, present: Present) -> Answer | None:
    rule = build_rule(meaning)
    if rule is None or meaning.every is None:
        return None
    if meaning.every.unit in SECONDS:
        period = timedelta(seconds=meaning.every.interval * SECONDS[meaning.every.unit])
        if period < present.shortest_period:
            return None
    after = _beginning(meaning, present)
    first = first_fire(rule, meaning, after, present.parts) if after else None
    if first is None:
        return None
    clock = clock_parts(rule, meaning, first.local.date(), present.parts)
    if clock is None:
        return None
    rule = _daily_for_positions(rule, clock)
    ending = _ending(meaning, rule, first.local, present)
    if ending is None:
        return None
    grain = Grain.MINUTE if meaning.clocks or meaning.every.unit in SECONDS else Grain.DAY
    return Answer(
        start=in_zone(first.local, present.zone),
        grain=grain,
        has_clock=first.has_clock,
        rrule=";".join([*rule.render(), *clock, *ending]),
    )


def _daily_for_positions(rule: Rule, clock: list[str]) -> Rule:
    """BYSETPOS counts within the period, so the clocks of a weekly rule are picked day by day."""
    if rule.frequency == "WEEKLY" and any(part.startswith("BYSETPOS") for part in clock):
        return replace(rule, frequency="DAILY")
    return rule


def _beginning(meaning: Meaning, present: Present) -> datetime | None:
    """The local moment before which the rule does not fire."""
    now = present.local.replace(microsecond=0)
    if meaning.since is not None:
        answers = _resolve(meaning.since, present)
        if not answers:
            return None
        start = answers[0].start.replace(tzinfo=None)
        return max(now, start if answers[0].has_clock else datetime.combine(start.date(), time()))
    if meaning.shift is not None and meaning.shift.steps > 0:
        first = shifted_start(meaning.shift, now.date())
        return max(now, datetime.combine(first, time())) if first else None
    return now


def _ending(meaning: Meaning, rule: Rule, first: datetime, present: Present) -> list[str] | None:
    """COUNT or UNTIL, an empty list without any, None where the rule would never fire."""
    if meaning.count is not None:
        return [f"COUNT={meaning.count}"]
    span = meaning.lasting
    if span is not None and rule.frequency == "DAILY" and rule.interval == 1 and not (span.months or span.seconds):
        return [f"COUNT={span.days}"]
    last = _last_moment(meaning, first, present)
    if last is None:
        return []
    if last < first:
        return None
    until = in_zone(last, present.zone).astimezone(UTC)
    return [f"UNTIL={until:%Y%m%dT%H%M%SZ}"]


def _last_moment(meaning: Meaning, first: datetime, present: Present) -> datetime | None:
    if meaning.until is not None:
        answers = _resolve(meaning.until, replace(present, now=in_zone(first, present.zone), future=True))
        if not answers:
            return first - timedelta(seconds=1)
        end = answers[0].start.replace(tzinfo=None)
        if answers[0].grain in {Grain.MONTH, Grain.YEAR, Grain.QUARTER, Grain.WEEK}:
            return datetime.combine(end.date(), time()) - timedelta(seconds=1)
        return end if answers[0].has_clock else datetime.combine(end.date(), UNTIL_DAY_END)
    if meaning.lasting is not None:
        return window_end(meaning, present.local)
    if meaning.shift is not None and meaning.shift.unit == "week":
        return datetime.combine(week_end(first.date()), UNTIL_DAY_END)
    if (
        meaning.shift is not None
        and meaning.shift.unit in {"month", "year"}
        and meaning.every
        and (meaning.every.unit in {"day", "week"})
    ):
        after = shifted_start(Shift(meaning.shift.unit, meaning.shift.steps + 1), present.local.date())
        return datetime.combine(after, time()) - timedelta(seconds=1) if after else None
    return None
