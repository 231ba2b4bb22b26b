"""Resolve a recurring meaning to its first fire and its RRULE."""

from datetime import UTC, date, datetime, time, timedelta

from services.time_expressions.model import DayParts, Grain
from services.time_expressions.resolve.clocks import Moment, moments
from services.time_expressions.resolve.context import Answer, ReadingContext, in_zone, is_before
from services.time_expressions.resolve.days import WEEK, add_months, monday_of, shifted_start
from services.time_expressions.resolve.instants import resolve_instants
from services.time_expressions.resolve.rule import MONTHS, MONTHS_OF_QUARTER, Rule, build_rule
from services.time_expressions.values import SECONDS_OF, Clock, Every, Meaning, Shift, is_time_of_day, spread_over_day


def day_times(meaning: Meaning, day: date, parts: DayParts) -> list[Moment]:
    """Return the sorted times of `day` at which a recurrence fires; one default if the words name none."""
    named = meaning.parts or ("",)
    if len(meaning.clocks) > 1 and len(named) > 1:
        named = ("",)
    clocks = meaning.clocks if meaning.parts else spread_over_day(meaning.clocks) or meaning.clocks
    found = [moments(day, clock, part, parts)[0] for clock in clocks or (None,) for part in named]
    return sorted(found, key=lambda moment: moment.local)


def clock_parts(rule: Rule, meaning: Meaning, day: date, parts: DayParts) -> list[str] | None:
    """Return BYHOUR and BYMINUTE if the words named a clock or a part of the day; None if no rule can express it.

    Clocks that differ in both hour and minute are selected from the product of both with BYSETPOS, which needs a daily
    rule.
    """
    if not meaning.clocks and not meaning.parts:
        return []
    times = [moment.local for moment in day_times(meaning, day, parts)]
    hours, minutes = sorted({t.hour for t in times}), sorted({t.minute for t in times})
    rendered = [f"BYHOUR={','.join(map(str, hours))}", f"BYMINUTE={','.join(map(str, minutes))}"]
    wanted = {(t.hour, t.minute) for t in times}
    product = [(hour, minute) for hour in hours for minute in minutes]
    if len(wanted) == len(product):
        return rendered
    if rule.frequency not in {"DAILY", "WEEKLY"} or rule.interval != 1:
        return None
    places = [str(place) for place, pair in enumerate(product, start=1) if pair in wanted]
    return [*rendered, f"BYSETPOS={','.join(places)}"]


def first_fire(rule: Rule, meaning: Meaning, after: datetime, parts: DayParts) -> Moment | None:
    """Return the first local time at or after `after` that fits the rule; elapsed periods begin one period later."""
    every = meaning.every
    if every is not None and every.unit in SECONDS_OF:
        return _first_elapsed(rule, meaning, every, after, parts)
    if every is not None and rule.is_open:
        return _first_whole_period(meaning, every, after, parts)
    times = (moment for day in rule.days_from(after.date()) for moment in day_times(meaning, day, parts))
    return next((moment for moment in times if moment.local >= after), None)


def _first_whole_period(meaning: Meaning, every: Every, after: datetime, parts: DayParts) -> Moment | None:
    """Return the time of today if it is ahead, else the time one period later."""
    for moment in day_times(meaning, after.date(), parts):
        if moment.local >= after:
            return moment
    months = {"month": 1, "quarter": MONTHS_OF_QUARTER, "year": MONTHS}.get(every.unit, 0) * every.interval
    day = add_months(after.date(), months)
    if day is None:
        return None
    return day_times(meaning, day + timedelta(days=0 if months else WEEK * every.interval), parts)[0]


def _first_elapsed(rule: Rule, meaning: Meaning, every: Every, after: datetime, parts: DayParts) -> Moment | None:
    """Return the first fire of every N seconds, minutes or hours: the named clock, else one period from now."""
    if meaning.minute is not None:
        ahead_minutes = (meaning.minute - after.minute - 1) % 60 + 1
        return Moment(local=after.replace(second=0) + timedelta(minutes=ahead_minutes), has_clock=True)
    if meaning.clocks or meaning.parts:
        for ahead in range(WEEK + 1):
            for moment in day_times(meaning, after.date() + timedelta(days=ahead), parts):
                if moment.local >= after and (not rule.weekdays or moment.local.weekday() in rule.weekdays):
                    return moment
        return None
    if meaning.since is not None and meaning.since.clocks:
        return Moment(local=after, has_clock=True)
    try:
        local = after + timedelta(seconds=every.interval * SECONDS_OF[every.unit])
    except OverflowError:
        return None
    return Moment(local=local, has_clock=True)


def window_end(meaning: Meaning, first: datetime) -> datetime | None:
    """Return the last moment of "for two months", counted from the day of the first fire."""
    if meaning.lasting is None:
        return None
    span = meaning.lasting
    moved = add_months(first.date(), span.months)
    if moved is None:
        return None
    try:
        return datetime.combine(moved, first.time()) + timedelta(days=span.days, seconds=span.seconds)
    except OverflowError:
        return None


def week_end(day: date) -> date:
    """Return the Sunday of the calendar week of `day`."""
    return monday_of(day) + timedelta(days=WEEK - 1)


UNTIL_DAY_END = time(23, 59, 59)
PARTS_OF_DAY = {
    2: ("morning", "evening"),
    3: ("morning", "noon", "evening"),
    4: ("morning", "noon", "afternoon", "evening"),
}
"""The parts of the day for a number of times a day."""
MAX_CLOCKS = 100
"""The limit of clocks for "every 15 minutes from 9 to 5"."""


def resolve_recurrence(meaning: Meaning, present: ReadingContext) -> Answer | None:
    """Return the first fire and the RRULE of a recurrence; None if it makes no sense or never fires."""
    within = None if _is_span_of_every_year(meaning) else _bound_to_day(meaning)
    return (
        None
        if within is None
        else _resolve_rule(expand_hours(_with_clock_of_bound(_add_default_parts(within))), present)
    )


def _resolve_rule(meaning: Meaning, present: ReadingContext) -> Answer | None:
    rule = build_rule(meaning)
    if rule is None or meaning.every is None:
        return None
    unit = meaning.every.unit
    counts = {len(meaning.clocks), len(meaning.parts), len(meaning.weekdays), len(meaning.days)}
    if meaning.per is not None and meaning.per not in counts:
        return None
    if unit in SECONDS_OF:
        period = timedelta(seconds=meaning.every.interval * SECONDS_OF[unit])
        if period < present.shortest_period:
            return None
    after = _earliest_start(meaning, present)
    first = first_fire(rule, meaning, after, present.parts) if after else None
    while first is not None and is_before(in_zone(first.local, present.zone), present.now.replace(microsecond=0)):
        first = first_fire(rule, meaning, first.local + timedelta(minutes=1), present.parts)
    if first is None:
        return None
    end = None
    if meaning.until is not None and meaning.clocks and is_time_of_day(meaning.until):
        end = _end_of_day_window(meaning, meaning.until, first.local, present)
        meaning = meaning._replace(until=None)
    begins_only = unit in SECONDS_OF and len(meaning.clocks) == 1
    clock = [] if begins_only else clock_parts(rule, meaning, first.local.date(), present.parts)
    if clock is None:
        return None
    rule = _daily_for_positions(rule, clock)
    ending = _end_parts(meaning, rule, first.local, present)
    if ending is None:
        return None
    grain = Grain.MINUTE if meaning.clocks or unit in SECONDS_OF else Grain.DAY
    return Answer(
        start=in_zone(first.local, present.zone),
        grain=grain,
        has_clock=first.has_clock,
        end=end,
        rrule=";".join([*rule.render(), *clock, *ending]),
    )


def _add_default_parts(meaning: Meaning) -> Meaning:
    """Add default parts of the day to "twice a day", up to four times, without clock times."""
    is_daily = meaning.every is not None and meaning.every.unit == "day"
    parts = PARTS_OF_DAY.get(meaning.per or 0)
    if parts is None or not is_daily or meaning.clocks or meaning.parts:
        return meaning
    return meaning._replace(parts=parts)


def _bound_to_day(meaning: Meaning) -> Meaning | None:
    """Bound an hourly period to one day ("every hour today"); None for a later day without hours."""
    every, shift, since, until = meaning.every, meaning.shift, meaning.since, meaning.until
    if every is None or every.unit not in SECONDS_OF:
        return meaning
    if since is not None and until is not None and is_time_of_day(since) and until.clocks and until.shift is not None:
        return meaning._replace(since=until._replace(clocks=since.clocks, parts=since.parts))
    if since is not None and until is None and since.clocks and len(meaning.clocks) == 1:  # 从今晚8点到11点每小时
        return meaning._replace(clocks=(), parts=(), until=since._replace(clocks=meaning.clocks))
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
    """Return whether `meaning` is a recurring period such as "every year from 1 to 5 June", which no rule expresses."""
    bounds = (meaning.since, meaning.until)
    is_yearly = meaning.every is not None and meaning.every.unit == "year"
    return is_yearly and all(bound is not None and bound.days and bound.year is None for bound in bounds)


def _with_clock_of_bound(meaning: Meaning) -> Meaning:
    """Use the clock of a bound as that of each day ("every day until Christmas at nine"); midnight is only an end."""
    if meaning.every is None or meaning.every.unit in SECONDS_OF or meaning.clocks or meaning.parts:
        return meaning
    for bound in (meaning.since, meaning.until):
        if bound is not None and bound.clocks and bound.clocks[0].hour and not is_time_of_day(bound):
            return meaning._replace(clocks=bound.clocks, parts=bound.parts)
    return meaning


def _end_of_day_window(meaning: Meaning, until: Meaning, first: datetime, present: ReadingContext) -> datetime:
    """Return the end of "every day from 3 to 4 pm" on the day of the first fire, or the day after."""
    parts = until.parts or meaning.parts
    candidates = moments(first.date(), until.clocks[0], parts[0] if parts else "", present.parts)
    later = [moment.local for moment in candidates if moment.local > first]
    return in_zone(min(later) if later else candidates[0].local + timedelta(days=1), present.zone)


def _daily_for_positions(rule: Rule, clock: list[str]) -> Rule:
    """Make a weekly rule with BYSETPOS daily, because BYSETPOS counts within the period."""
    if rule.frequency == "WEEKLY" and any(part.startswith("BYSETPOS") for part in clock):
        return rule._replace(frequency="DAILY")
    return rule


def _earliest_start(meaning: Meaning, present: ReadingContext) -> datetime | None:
    """Return the local time before which the rule does not fire."""
    now = present.local.replace(microsecond=0)
    if meaning.since is not None:
        answers = resolve_instants(meaning.since, present)
        if not answers:
            return None
        start = answers[0].start.replace(tzinfo=None)
        if _is_running(meaning.since, meaning.until, start, present):
            return now
        return max(now, start if answers[0].has_clock else datetime.combine(start.date(), time()))
    if meaning.shift is not None and meaning.shift.steps > 0:
        first = shifted_start(meaning.shift, now.date())
        return max(now, datetime.combine(first, time())) if first else None
    return now


def _is_running(since: Meaning, until: Meaning | None, start: datetime, present: ReadingContext) -> bool:
    """Return whether a period between two dates of each year has begun: "from 1 November to 15 December" in November.

    `start` is the next first day. Of two possible periods, the one with the nearer first day is meant.
    """
    if until is None or since.year is not None or since.shift is not None or not (since.days or since.months):
        return False
    starts = resolve_instants(since, present._replace(future=False))
    ends = resolve_instants(until, present)
    if not starts or not ends or not ends[0].start.replace(tzinfo=None) < start:
        return False
    return present.local - starts[0].start.replace(tzinfo=None) < start - present.local


def _end_parts(meaning: Meaning, rule: Rule, first: datetime, present: ReadingContext) -> list[str] | None:
    """Return COUNT or UNTIL, an empty list without an end, None if the rule would never fire."""
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


def _ends(until: Meaning, first: datetime, present: ReadingContext) -> list[Answer]:
    """Resolve `until` from now, or from the first fire if the result is earlier than that."""
    started = in_zone(first, present.zone)
    answers = resolve_instants(until, present._replace(future=True))
    if until.shift is None and (not answers or answers[0].start < started):
        return resolve_instants(until, present._replace(now=started, future=True))
    return answers


def _last_moment(meaning: Meaning, first: datetime, present: ReadingContext) -> datetime | None:
    if meaning.until is not None:
        answers = _ends(meaning.until, first, present)
        if not answers:
            return first - timedelta(seconds=1)
        end = answers[0].start.replace(tzinfo=None)
        if answers[0].grain in {Grain.MONTH, Grain.YEAR, Grain.QUARTER, Grain.WEEK}:
            return datetime.combine(end.date(), time()) - timedelta(seconds=1)
        is_of_hours = meaning.every is not None and meaning.every.unit in SECONDS_OF and bool(meaning.until.parts)
        return end if answers[0].has_clock or is_of_hours else datetime.combine(end.date(), UNTIL_DAY_END)
    if meaning.lasting is not None:
        begins_at_clock = bool(meaning.clocks) and meaning.every is not None and meaning.every.unit in SECONDS_OF
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


def expand_hours(meaning: Meaning) -> Meaning:
    """Expand "every hour from nine to five" to a daily rule with these clocks; periods in minutes exclude the end."""
    if meaning.since is not None and is_time_of_day(meaning.since) and not meaning.clocks:
        meaning = meaning._replace(clocks=meaning.since.clocks, parts=meaning.since.parts, since=None)
    every, until = meaning.every, meaning.until
    if every is None or every.unit not in {"hour", "minute"} or len(meaning.clocks) != 1 or until is None:
        return meaning
    if not is_time_of_day(until):
        return meaning
    step = every.interval * SECONDS_OF[every.unit] // 60
    first = _minute_of_day(meaning.clocks[0], meaning.parts) + (meaning.minute or 0)
    last = _minute_of_day(until.clocks[0], until.parts or meaning.parts)
    last += 0 if last > first else 720 if last + 720 > first else 1440
    minutes = range(first, last + (1 if every.unit == "hour" else 0), step)
    if not 0 < len(minutes) <= MAX_CLOCKS:
        return meaning
    clocks = tuple(sorted({Clock(minute // 60 % 24, minute % 60, 0, "24") for minute in minutes}))
    return meaning._replace(every=Every(1, "day"), clocks=clocks, parts=(), until=None, minute=None)


def _minute_of_day(clock: Clock, parts: tuple[str, ...]) -> int:
    moment = moments(date(2000, 1, 1), clock, parts[0] if parts else "", DayParts())[0]
    return moment.local.hour * 60 + moment.local.minute
