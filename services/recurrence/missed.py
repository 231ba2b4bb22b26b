"""Count the fires that were due while the bot was not running, in nearly constant time.

A clock set forward by decades makes millions of fires due. Up to `MAX_LISTED` are listed, so that ordinary pauses are
counted exactly. Beyond that, the number of days is multiplied by the fires of a day, which ignores fires that DST
changes merged. Follow-ups, rules that dateutil walks and periods beyond four years are extrapolated.
"""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import islice, takewhile

from msgspec.structs import replace

from services.recurrence.fires import fires_after, just_before, last_instant, midnight, zone_of
from services.recurrence.rules import ELAPSED, Rule, load_calendar
from services.recurrence.schedule import Schedule
from services.recurrence.wall_times import dates_from, elapsed_step, grid_walls, has_common_shape, is_day_allowed

MAX_LISTED = 400
"""More than a daily reminder has in a year."""

_DAY = timedelta(days=1)
_FOUR_YEARS = timedelta(days=1461)


def missed_between(schedule: Schedule, first: datetime, now: datetime) -> tuple[datetime, int]:
    """Return the latest fire up to `now` and the number of fires before it, counted from the fire `first`.

    Raises:
        RequestRefused: the rule or the zone is not supported.
    """
    rule = schedule.rule
    if rule is None:
        fires = [first, *_due(schedule, first, now)]
        return fires[-1], len(fires) - 1
    load_calendar(rule)
    begin, missed = _skip_whole_steps(schedule, rule, first, now) if rule.is_elapsed else (first, 0)
    listed = [begin, *islice(_due(schedule, begin, now), MAX_LISTED)]
    if len(listed) <= MAX_LISTED:
        return listed[-1], missed + len(listed) - 1
    latest = _latest(schedule, listed[-1], now)
    return latest, missed + MAX_LISTED + _count_beyond(schedule, rule, listed, latest)


def _due(schedule: Schedule, after: datetime, until: datetime) -> Iterator[datetime]:
    """Yield the fires after one instant up to another, also beyond the range of `fires_after`."""
    last: datetime | None = after
    while last is not None:
        begin, last = last, None
        for fire in fires_after(schedule, begin):
            if fire > until:
                return
            last = fire
            yield fire


def _skip_whole_steps(schedule: Schedule, rule: Rule, first: datetime, now: datetime) -> tuple[datetime, int]:
    """Return a fire less than a step before the latest one, and the number of fires from `first` to it."""
    step = elapsed_step(rule)
    steps = max(0, (min(now, last_instant(schedule) or now) - first) // step)
    return first + step * steps, steps * max(1, len(rule.minutes))


def _latest(schedule: Schedule, known: datetime, now: datetime) -> datetime:
    """Return the latest fire up to `now`, searched backwards in doubling periods to the fire `known`."""
    end = min(now, last_instant(schedule) or now)
    reach = _DAY
    while end - reach > known:
        found = list(_due(schedule, end - reach, end))
        if found:
            return found[-1]
        reach *= 2
    return [known, *_due(schedule, known, end)][-1]


def _count_beyond(schedule: Schedule, rule: Rule, listed: list[datetime], latest: datetime) -> int:
    """Count the fires after the last of `listed` up to `latest`; only the days at both ends are listed."""
    known, zone = listed[-1], zone_of(schedule)
    if rule.frequency not in ELAPSED and not has_common_shape(rule):
        return round((latest - known) / (known - listed[0]) * MAX_LISTED)
    low, high = (moment.astimezone(zone).date() + _DAY * later for moment, later in ((known, 1), (latest, 0)))
    if low >= high:
        return _count(_due(schedule, known, latest))
    head = _count(_due(schedule, known, just_before(midnight(low, zone))))
    tail = _count(_due(schedule, just_before(midnight(high, zone)), latest))
    middle = min(high, low + _FOUR_YEARS)
    scale = (high - low) / (middle - low) * _repeats(schedule, listed)
    return head + round(_count_on_days(rule, schedule.start, low, middle) * scale) + tail


def _count(fires: Iterator[datetime]) -> int:
    return sum(1 for _ in fires)


def _repeats(schedule: Schedule, listed: list[datetime]) -> float:
    """Return the average number of fires per occurrence, including follow-ups."""
    if schedule.follow_up is None:
        return 1.0
    bare = replace(schedule, follow_up=None)
    return len(listed) / max(1, _count(_due(bare, just_before(listed[0]), listed[-1])))


def _count_on_days(rule: Rule, start: datetime, low: date, high: date) -> int:
    """Count the wall times from the day `low` until the day before `high`, both after the start of the rule."""
    start = start.replace(microsecond=0, fold=0)
    excepted = sum(low <= wall.date() < high for wall in rule.except_walls)
    if rule.frequency in ELAPSED:
        return _count_on_grid(rule, start, low, high) - excepted
    days = takewhile(lambda day: day < high, dates_from(rule, start.date(), low))
    fires_a_day = max(1, len(rule.hours)) * max(1, len(rule.minutes))
    return sum(low <= day and day not in rule.except_days for day in days) * fires_a_day - excepted


def _count_on_grid(rule: Rule, start: datetime, low: date, high: date) -> int:
    """Count like `_count_on_days` for MINUTELY and HOURLY rules; days with the same phase have the same number."""
    step = elapsed_step(rule)
    known: dict[timedelta, int] = {}
    total = 0
    for day in (low + _DAY * number for number in range((high - low).days)):
        if day in rule.except_days or not is_day_allowed(rule, day):
            continue
        begin = datetime.combine(day, time.min)
        phase = (begin - start) % step
        if phase not in known:
            known[phase] = _count_on_grid_day(rule, start, begin)
        total += known[phase]
    return total


def _count_on_grid_day(rule: Rule, start: datetime, begin: datetime) -> int:
    walls = takewhile(lambda wall: wall < begin + _DAY, grid_walls(rule, start, begin))
    return sum(wall >= begin for wall in walls)
