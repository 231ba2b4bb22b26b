"""Split a repeating schedule at a day of its own wall clock."""

from calendar import monthrange
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from services.recurrence.fires import next_fires, zone_of
from services.recurrence.rules import Rule
from services.recurrence.schedule import Schedule

_TICK: Final = timedelta(microseconds=1)


def drop_follow_up(schedule: Schedule) -> Schedule:
    """Return `schedule` without its follow-ups."""
    return replace(schedule, follow_up=None)


def fires_from(schedule: Schedule, day: date, now: datetime, limit: int) -> Sequence[datetime]:
    """Return at most `limit` fires after `now` from the beginning of `day` on."""
    return next_fires(schedule, max(_midnight(schedule, day) - _TICK, now.astimezone(UTC)), limit)


def end_before(schedule: Schedule, day: date) -> Schedule:
    """Return `schedule` up to the day before `day`.

    Source: RFC 5545 section 3.3.10 (UNTIL).
    """
    if schedule.rule is None:
        return schedule
    last = _midnight(schedule, day) - timedelta(seconds=1)
    return replace(schedule, rule=replace(schedule.rule, until=last))


def _midnight(schedule: Schedule, day: date) -> datetime:
    return datetime.combine(day, time.min, ZoneInfo(schedule.zone)).astimezone(UTC)


_NO_LEAP_YEAR = 2025


def clamp_to_month_end(schedule: Schedule, now: datetime) -> Schedule:
    """Return the schedule with the last day of months that are too short: "every 31st" is to leave no month out.

    Nor the present one: when the schedule begins with its first fire after `now` (timezone-aware), so does the result.
    Not for rules that are written as RRULE, which leave out such months.

    Source: RFC 7529 section 4.1 (SKIP).
    """
    if schedule.rule is None or not _may_lack_a_day(schedule.rule):
        return schedule
    meant = replace(schedule, rule=replace(schedule.rule, skip="BACKWARD"))
    today = datetime.combine(now.astimezone(zone_of(schedule)).date(), schedule.start.time())
    if schedule.rule.interval != 1 or _first(replace(schedule, start=today), now) != schedule.start:
        return meant
    return replace(meant, start=_first(replace(meant, start=today), now) or schedule.start)


def _may_lack_a_day(rule: Rule) -> bool:
    """Return whether the rule goes by days of the month that not every month of it has."""
    if rule.frequency not in {"MONTHLY", "YEARLY"} or rule.days or rule.is_rare or rule.skip:
        return False
    months = rule.months or range(1, 13)
    return max(rule.month_days, default=1) > min(monthrange(_NO_LEAP_YEAR, month)[1] for month in months)


def _first(schedule: Schedule, now: datetime) -> datetime | None:
    """Return the wall time of the first fire after `now`."""
    fires = next_fires(schedule, now, 1)
    return fires[0].replace(tzinfo=None) if fires else None
