"""A repeating schedule by the days of its own wall clock: what comes from a day on, and what comes before it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from services.reminders.model import Schedule
from services.reminders.nagging import without_nag
from services.reminders.recurrence import next_fires

_TICK: Final = timedelta(microseconds=1)
_END: Final = "UNTIL="


def bare(schedule: Schedule) -> Schedule:
    """`schedule` without the repetitions until it is done."""
    return replace(schedule, rule=without_nag(schedule.rule))


def fires_from(schedule: Schedule, day: date, now: datetime, limit: int) -> Sequence[datetime]:
    """At most `limit` fires after `now` from the beginning of `day` on."""
    return next_fires(schedule, max(_midnight(schedule, day) - _TICK, now.astimezone(UTC)), limit)


def ended_before(schedule: Schedule, day: date) -> Schedule:
    """`schedule` up to the day before `day`.

    Source: RFC 5545 section 3.3.10 (UNTIL).
    """
    parts = [part for part in schedule.rule.split(";") if not part.startswith(_END)]
    last = _midnight(schedule, day) - timedelta(seconds=1)
    return replace(schedule, rule=";".join([*parts, f"{_END}{last:%Y%m%dT%H%M%SZ}"]))


def _midnight(schedule: Schedule, day: date) -> datetime:
    return datetime.combine(day, time.min, ZoneInfo(schedule.zone)).astimezone(UTC)
