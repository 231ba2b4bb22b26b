"""Edit a repeating schedule: end it, clamp it to the ends of months, or suspend it for a period."""

from calendar import monthrange
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, takewhile
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from services.recurrence.calendars.workdays import Workdays, region_of
from services.recurrence.fires import fires_after, just_before, load_zone_or_utc, midnight, next_fires, zone_of
from services.recurrence.rules import Rule, with_exceptions, without_exceptions_from
from services.recurrence.schedule import Schedule

_FIVE_DAYS: Final = tuple((0, weekday) for weekday in range(5))


def drop_follow_up(schedule: Schedule) -> Schedule:
    """Return `schedule` without its follow-ups."""
    return replace(schedule, follow_up=None)


def fires_from(schedule: Schedule, day: date, now: datetime, limit: int) -> Sequence[datetime]:
    """Return at most `limit` fires after `now`, from the beginning of `day` on."""
    return next_fires(schedule, max(just_before(midnight(day, zone_of(schedule))), now.astimezone(UTC)), limit)


def on_workdays(rule: Rule, zone: str) -> Rule | None:
    """Return a rule for Monday to Friday as one for the workdays of the country of `zone`; None for another rule."""
    if (rule.frequency, rule.interval, rule.days) != ("WEEKLY", 1, _FIVE_DAYS):
        return None
    return replace(rule, frequency="DAILY", days=(), calendar=Workdays(region=region_of(zone) or ""))


def end_before(schedule: Schedule, day: date) -> Schedule:
    """Return `schedule` with the day before `day` as its last. Source: RFC 5545 section 3.3.10 (UNTIL)."""
    if schedule.rule is None:
        return schedule
    last = midnight(day, zone_of(schedule)) - timedelta(seconds=1)
    return replace(schedule, rule=replace(schedule.rule, until=last))


_COMMON_YEAR = 2025


def clamp_to_month_end(schedule: Schedule, now: datetime) -> Schedule:
    """Return the schedule with the last day of months that are too short, so that "every 31st" includes every month.

    That includes the present month if the schedule begins with its first fire after `now` (timezone-aware). A rule that
    a person writes as RRULE is not clamped.

    Source: RFC 7529 section 4.1 (SKIP).
    """
    if schedule.rule is None or not _may_lack_a_day(schedule.rule):
        return schedule
    return begin_anew(replace(schedule, rule=replace(schedule.rule, skip="BACKWARD")), schedule, now)


def begin_anew(new: Schedule, old: Schedule, now: datetime) -> Schedule:
    """Return `new` from its first fire after `now` (timezone-aware) on, where `old` begins with its own first one.

    An `old` that begins later, with a day that somebody has chosen, or that repeats every few weeks keeps its begin.
    """
    today = datetime.combine(now.astimezone(zone_of(old)).date(), old.start.time())
    if old.rule is None or old.rule.interval != 1 or _first(replace(old, start=today), now) != old.start:
        return new
    return replace(new, start=_first(replace(new, start=today), now) or new.start)


def _may_lack_a_day(rule: Rule) -> bool:
    """Return whether the rule has a day of the month that some of its months lack."""
    if rule.frequency not in {"MONTHLY", "YEARLY"} or rule.days or rule.is_rare or rule.skip:
        return False
    months = rule.months or range(1, 13)
    return max(rule.month_days, default=1) > min(monthrange(_COMMON_YEAR, month)[1] for month in months)


def _first(schedule: Schedule, now: datetime) -> datetime | None:
    """Return the wall time of the first fire after `now`."""
    fires = next_fires(schedule, now, 1)
    return fires[0].replace(tzinfo=None) if fires else None


_DAY: Final = timedelta(days=1)
_MAX_FIRES: Final = 20_000


class Suspension(Struct, frozen=True, kw_only=True):
    """A period without fires, timezone-aware; `until` is its end, exclusive."""

    since: datetime
    until: datetime


def suspended_fires(schedule: Schedule, suspension: Suspension) -> tuple[datetime, ...]:
    """Return the fires of `schedule` in the period of `suspension`."""
    zone, after = zone_of(schedule), just_before(suspension.since).astimezone(UTC)
    fires = takewhile(lambda fire: fire < suspension.until, fires_after(schedule, after))
    return tuple(fire.astimezone(zone) for fire in islice(fires, _MAX_FIRES))


def can_suspend(schedule: Schedule) -> bool:
    """Return whether the schedule has a wall-clock rule, whose occurrences can be skipped."""
    return schedule.rule is not None and not schedule.rule.is_elapsed


def suspend(old: Schedule, suspension: Suspension) -> Schedule:
    """Return `old` without its fires in the period. Source: RFC 5545 section 3.8.5.1 (EXDATE)."""
    if old.rule is None:
        return old
    plain = drop_follow_up(old)
    fires = [fire.replace(tzinfo=None) for fire in suspended_fires(plain, suspension)]
    zone = zone_of(old)
    last = suspension.until.astimezone(zone).replace(tzinfo=None)
    whole = [fire for fire in fires if datetime.combine(fire, time.min) + _DAY <= last]
    others = [fire for fire in fires if fire not in whole]
    without_days = with_exceptions(old.rule, whole, days_only=True)
    return replace(old, rule=with_exceptions(without_days, others, days_only=False))


def resume_suspended(old: Schedule, now: datetime, *, days_only: bool = False) -> Schedule:
    """Return `old` with all occurrences from today on; with `days_only` those skipped by their clock stay skipped."""
    if old.rule is None:
        return old
    today = now.astimezone(load_zone_or_utc(old.zone)).date()
    return replace(old, rule=without_exceptions_from(old.rule, today, days_only=days_only))


def is_next_suspended(schedule: Schedule, now: datetime) -> bool:
    """Return whether the next occurrence is skipped."""
    resumed = resume_suspended(schedule, now)
    return resumed != schedule and next_fires(resumed, now, 1) != next_fires(schedule, now, 1)
