"""Decide when a recurrence begins and ends, beside the rule that `recurrence` builds."""

from datetime import UTC, date, datetime, time, timedelta

from services.time_expressions.clocks import moments
from services.time_expressions.days import shifted_start
from services.time_expressions.instants import instants
from services.time_expressions.model import DayParts, Grain
from services.time_expressions.present import Answer, Present, in_zone, is_before
from services.time_expressions.recurrence import (
    SECONDS,
    clock_parts,
    first_fire,
    week_end,
    window_end,
)
from services.time_expressions.rule import Rule, build_rule
from services.time_expressions.values import Clock, Every, Meaning, Shift

UNTIL_DAY_END = time(23, 59, 59)
PARTS_OF_DAY = {
    2: ("morning", "evening"),
    3: ("morning", "noon", "evening"),
    4: ("morning", "noon", "afternoon", "evening"),
}
"""When in the day something that is to be done so many times is remembered."""
MOST_CLOCKS = 100
"""Clocks that "every 15 minutes from 9 to 5" may come to."""


def recurring(meaning: Meaning, present: Present) -> Answer | None:
    """Return the first fire and the RRULE of a recurrence, or None where it makes no sense or never fires."""
    within = None if _is_span_of_every_year(meaning) else _within_day(meaning)
    return None if within is None else _repeated(within_hours(_with_clock_of_bound(_spread(within))), present)


def _repeated(meaning: Meaning, present: Present) -> Answer | None:
    rule = build_rule(meaning)
    if rule is None or meaning.every is None:
        return None
    unit = meaning.every.unit
    told = {len(meaning.clocks), len(meaning.parts), len(meaning.weekdays), len(meaning.days)}
    if meaning.per is not None and meaning.per not in told:
        return None
    if unit in SECONDS:
        period = timedelta(seconds=meaning.every.interval * SECONDS[unit])
        if period < present.shortest_period:
            return None
    after = _beginning(meaning, present)
    first = first_fire(rule, meaning, after, present.parts) if after else None
    while first is not None and is_before(in_zone(first.local, present.zone), present.now.replace(microsecond=0)):
        first = first_fire(rule, meaning, first.local + timedelta(minutes=1), present.parts)
    if first is None:
        return None
    end = None
    if meaning.until is not None and meaning.clocks and is_time_of_day(meaning.until):
        end = _end_of_day_window(meaning, meaning.until, first.local, present)
        meaning = meaning._replace(until=None)
    begins_only = unit in SECONDS and len(meaning.clocks) == 1
    clock = [] if begins_only else clock_parts(rule, meaning, first.local.date(), present.parts)
    if clock is None:
        return None
    rule = _daily_for_positions(rule, clock)
    ending = _ending(meaning, rule, first.local, present)
    if ending is None:
        return None
    grain = Grain.MINUTE if meaning.clocks or unit in SECONDS else Grain.DAY
    return Answer(
        start=in_zone(first.local, present.zone),
        grain=grain,
        has_clock=first.has_clock,
        end=end,
        rrule=";".join([*rule.render(), *clock, *ending]),
    )


def _spread(meaning: Meaning) -> Meaning:
    """Twice, three times or four times a day: at those parts of it, where no words say when."""
    is_daily = meaning.every is not None and meaning.every.unit == "day"
    parts = PARTS_OF_DAY.get(meaning.per or 0)
    if parts is None or not is_daily or meaning.clocks or meaning.parts:
        return meaning
    return meaning._replace(parts=parts)


def _within_day(meaning: Meaning) -> Meaning | None:
    """Every hour today, every hour tomorrow from 9 to 5; from when to when tomorrow, nobody can guess without."""
    every, shift, since, until = meaning.every, meaning.shift, meaning.since, meaning.until
    if every is None or every.unit not in SECONDS:
        return meaning
    if since is not None and until is not None and is_time_of_day(since) and until.clocks and until.shift is not None:
        return meaning._replace(since=until._replace(clocks=since.clocks, parts=since.parts))
    if shift is None or shift.unit != "day":
        return meaning if meaning.clocks or not meaning.parts else None
    day = Meaning(shift=shift, parts=meaning.parts, strength=2)
    if until is not None and is_time_of_day(until) and len(meaning.clocks) == 1:
        first, last = day._replace(clocks=meaning.clocks), day._replace(clocks=until.clocks)
        return meaning._replace(shift=None, clocks=(), parts=(), since=first, until=last)
    if shift.steps or meaning.clocks or meaning.parts or until is not None:
        return None
    return meaning._replace(shift=None, until=day)


def _is_span_of_every_year(meaning: Meaning) -> bool:
    """Every year from 1 to 5 June: a span that comes back, which no rule says."""
    bounds = (meaning.since, meaning.until)
    is_yearly = meaning.every is not None and meaning.every.unit == "year"
    return is_yearly and all(bound is not None and bound.days and bound.year is None for bound in bounds)


def _with_clock_of_bound(meaning: Meaning) -> Meaning:
    """Every day until Christmas at nine: the only clock is that of each day; midnight is where the last day ends."""
    if meaning.every is None or meaning.every.unit in SECONDS or meaning.clocks or meaning.parts:
        return meaning
    for bound in (meaning.since, meaning.until):
        if bound is not None and bound.clocks and bound.clocks[0].hour and not is_time_of_day(bound):
            return meaning._replace(clocks=bound.clocks, parts=bound.parts)
    return meaning


def is_time_of_day(meaning: Meaning) -> bool:
    """Tell whether a meaning is a clock and nothing else."""
    return bool(meaning.clocks) and meaning == Meaning(
        clocks=meaning.clocks, parts=meaning.parts, strength=meaning.strength
    )


def _end_of_day_window(meaning: Meaning, until: Meaning, first: datetime, present: Present) -> datetime:
    """Return the end of "every day from 3 to 4 pm", on the day of the first fire or the night after."""
    parts = until.parts or meaning.parts
    candidates = moments(first.date(), until.clocks[0], parts[0] if parts else "", present.parts)
    later = [moment.local for moment in candidates if moment.local > first]
    return in_zone(min(later) if later else candidates[0].local + timedelta(days=1), present.zone)


def _daily_for_positions(rule: Rule, clock: list[str]) -> Rule:
    """BYSETPOS counts within the period, so the clocks of a weekly rule are picked day by day."""
    if rule.frequency == "WEEKLY" and any(part.startswith("BYSETPOS") for part in clock):
        return rule._replace(frequency="DAILY")
    return rule


def _beginning(meaning: Meaning, present: Present) -> datetime | None:
    """Return the local moment before which the rule does not fire."""
    now = present.local.replace(microsecond=0)
    if meaning.since is not None:
        answers = instants(meaning.since, present)
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
    if meaning.times is not None:
        return [f"COUNT={meaning.times}"]
    span = meaning.lasting
    if span is not None and rule.frequency == "DAILY" and rule.interval == 1 and not (span.months or span.seconds):
        times = max(1, len(meaning.clocks)) * max(1, len(meaning.parts))
        return [f"COUNT={span.days * times}"]
    last = _last_moment(meaning, first, present)
    if last is None:
        return []
    if last < first:
        return None
    until = in_zone(last, present.zone).astimezone(UTC)
    return [f"UNTIL={until:%Y%m%dT%H%M%SZ}"]


def _ends(until: Meaning, first: datetime, present: Present) -> list[Answer]:
    """Return what `until` names, counted from now, or from the first fire where that comes later."""
    started = in_zone(first, present.zone)
    answers = instants(until, present._replace(future=True))
    if until.shift is None and (not answers or answers[0].start < started):
        return instants(until, present._replace(now=started, future=True))
    return answers


def _last_moment(meaning: Meaning, first: datetime, present: Present) -> datetime | None:
    if meaning.until is not None:
        answers = _ends(meaning.until, first, present)
        if not answers:
            return first - timedelta(seconds=1)
        end = answers[0].start.replace(tzinfo=None)
        if answers[0].grain in {Grain.MONTH, Grain.YEAR, Grain.QUARTER, Grain.WEEK}:
            return datetime.combine(end.date(), time()) - timedelta(seconds=1)
        is_of_hours = meaning.every is not None and meaning.every.unit in SECONDS and bool(meaning.until.parts)
        return end if answers[0].has_clock or is_of_hours else datetime.combine(end.date(), UNTIL_DAY_END)
    if meaning.lasting is not None:
        begins_at_clock = bool(meaning.clocks) and meaning.every is not None and meaning.every.unit in SECONDS
        if meaning.since is None and not begins_at_clock:
            return window_end(meaning, present.local)
        last = window_end(meaning, first)
        return last - timedelta(seconds=1) if last and not meaning.lasting.seconds else last
    if meaning.shift is not None and meaning.shift.unit == "week":
        return datetime.combine(week_end(first.date()), UNTIL_DAY_END)
    if (
        meaning.shift is not None
        and meaning.shift.unit in {"month", "year"}
        and meaning.every is not None
        and meaning.every.unit in {"day", "week"}
    ):
        after = shifted_start(Shift(meaning.shift.unit, meaning.shift.steps + 1), present.today)
        return datetime.combine(after, time()) - timedelta(seconds=1) if after else None
    return None


def within_hours(meaning: Meaning) -> Meaning:
    """Every hour from nine to five: the same as daily at each of those clocks; minutes leave the last hour out."""
    if meaning.since is not None and is_time_of_day(meaning.since) and not meaning.clocks:
        meaning = meaning._replace(clocks=meaning.since.clocks, parts=meaning.since.parts, since=None)
    every, until = meaning.every, meaning.until
    if every is None or every.unit not in {"hour", "minute"} or len(meaning.clocks) != 1 or until is None:
        return meaning
    if not is_time_of_day(until):
        return meaning
    step = every.interval * SECONDS[every.unit] // 60
    first = _minute_of_day(meaning.clocks[0], meaning.parts) + (meaning.minute or 0)
    last = _minute_of_day(until.clocks[0], until.parts or meaning.parts)
    last += 0 if last > first else 720 if last + 720 > first else 1440
    minutes = range(first, last + (1 if every.unit == "hour" else 0), step)
    if not 0 < len(minutes) <= MOST_CLOCKS:
        return meaning
    clocks = tuple(sorted({Clock(minute // 60 % 24, minute % 60, 0, "24") for minute in minutes}))
    return meaning._replace(every=Every(1, "day"), clocks=clocks, parts=(), until=None, minute=None)


def _minute_of_day(clock: Clock, parts: tuple[str, ...]) -> int:
    moment = moments(date(2000, 1, 1), clock, parts[0] if parts else "", DayParts())[0]
    return moment.local.hour * 60 + moment.local.minute
