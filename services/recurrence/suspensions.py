"""Suspend a repeating schedule for a period, after which it continues by itself."""

from datetime import datetime, time, timedelta
from itertools import takewhile
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from services.recurrence.edits import drop_follow_up
from services.recurrence.fires import next_fires
from services.recurrence.rules import with_exceptions, without_exceptions_from
from services.recurrence.schedule import Schedule

_TICK: Final = timedelta(microseconds=1)
_DAY: Final = timedelta(days=1)
_MOST_TIMES: Final = 2000


class Suspension(Struct, frozen=True, kw_only=True):
    """A period without fires, timezone-aware; `until` is its end, exclusive."""

    since: datetime
    until: datetime


def suspended_fires(schedule: Schedule, rest: Suspension) -> tuple[datetime, ...]:
    """Return the fires that `schedule` would have in `rest`."""
    after = rest.since - _TICK
    return tuple(takewhile(lambda fire: fire < rest.until, next_fires(schedule, after, _MOST_TIMES)))


def can_suspend(schedule: Schedule) -> bool:
    """Return whether it comes on days of the wall clock, of which some can be left out."""
    return schedule.rule is not None and not schedule.rule.is_elapsed


def suspend(old: Schedule, rest: Suspension) -> Schedule:
    """Return `old` without its fires in `rest`.

    Source: RFC 5545 section 3.8.5.1 (EXDATE).
    """
    if old.rule is None:
        return old
    plain = drop_follow_up(old)
    fires = [fire.replace(tzinfo=None) for fire in suspended_fires(plain, rest)]
    zone = ZoneInfo(old.zone)
    last = rest.until.astimezone(zone).replace(tzinfo=None)
    whole = [fire for fire in fires if datetime.combine(fire, time.min) + _DAY <= last]
    others = [fire for fire in fires if fire not in whole]
    without_days = with_exceptions(old.rule, whole, days_only=True)
    return replace(old, rule=with_exceptions(without_days, others, days_only=False))


def resume_suspended(old: Schedule, now: datetime) -> Schedule:
    """Return `old` with every time that lies ahead, also those that were left out."""
    if old.rule is None:
        return old
    today = now.astimezone(ZoneInfo(old.zone)).date()
    return replace(old, rule=without_exceptions_from(old.rule, today))


def is_suspended(schedule: Schedule, now: datetime) -> bool:
    """Return whether times that lie ahead were left out."""
    return resume_suspended(schedule, now) != schedule


def is_next_suspended(schedule: Schedule, now: datetime) -> bool:
    """Return whether even its next time was left out."""
    return is_suspended(schedule, now) and next_fires(resume_suspended(schedule, now), now, 1) != next_fires(
        schedule, now, 1
    )
