"""Rules as people mean them who say them in words."""

from calendar import monthrange
from datetime import datetime

from msgspec.structs import replace

from services.reminders.model import Schedule
from services.reminders.recurrence import next_fires, zone_of

_BY_OTHER_THAN_DATE = frozenset({"BYDAY", "BYSETPOS", "BYYEARDAY", "BYWEEKNO"})
_NO_LEAP_YEAR = 2025


def as_meant(schedule: Schedule, now: datetime) -> Schedule:
    """The schedule; where a month lacks its day the last one is meant: "every 31st" is to leave no month out.

    Nor the present one: when the schedule begins with its first fire after `now` (timezone-aware), so does the result.
    Not for rules that are written as RRULE, which leave out such months.

    Source: RFC 7529 section 4.1 (SKIP).
    """
    if not _may_lack_a_day(schedule.rule):
        return schedule
    meant = replace(schedule, rule=f"{schedule.rule};SKIP=BACKWARD")
    today = datetime.combine(now.astimezone(zone_of(schedule)).date(), schedule.start.time())
    if "INTERVAL" in schedule.rule or _first(replace(schedule, start=today), now) != schedule.start:
        return meant
    return replace(meant, start=_first(replace(meant, start=today), now) or schedule.start)


def _may_lack_a_day(rule: str) -> bool:
    """Return whether the rule goes by days of the month that not every month of it has."""
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    if parts.get("FREQ") not in {"MONTHLY", "YEARLY"} or parts.keys() & {*_BY_OTHER_THAN_DATE, "SKIP"}:
        return False
    days = [int(day) for day in parts.get("BYMONTHDAY", "1").split(",")]
    months = [int(month) for month in parts["BYMONTH"].split(",")] if "BYMONTH" in parts else range(1, 13)
    return max(days) > min(monthrange(_NO_LEAP_YEAR, month)[1] for month in months)


def _first(schedule: Schedule, now: datetime) -> datetime | None:
    """The wall time of the first fire after `now`."""
    fires = next_fires(schedule, now, 1)
    return fires[0].replace(tzinfo=None) if fires else None
