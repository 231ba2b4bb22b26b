"""Compute wall times of rules such as "every 30 minutes from 9 to 17 on workdays"."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from itertools import count

from services.recurrence.by_date import is_day_allowed
from services.recurrence.rules import Rule

_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_REACH = timedelta(days=4400)


def grid_walls(rule: Rule, start: datetime, first: datetime) -> Iterator[datetime]:
    """Return ascending naive wall times of a MINUTELY or HOURLY `rule` from `first` on, for some twelve years.

    The grid is counted from `start` on the wall clock; BYMINUTE of an HOURLY rule adds times within the hour.
    """
    is_hourly = rule.frequency == "HOURLY"
    step = timedelta(hours=rule.interval) if is_hourly else timedelta(minutes=rule.interval)
    minutes = rule.minutes if is_hourly else ()
    origin = start.replace(minute=0) if minutes else start
    index = max(0, (first - origin) // step)
    end = first + _REACH
    while (wall := origin + step * index) <= end:
        resume = _blocked_until(rule, wall)
        if resume is not None:
            index = max(index + 1, -((origin - resume) // step))
            continue
        index += 1
        for found in [wall.replace(minute=minute) for minute in minutes] or [wall]:
            if found >= start:
                yield found


def _blocked_until(rule: Rule, wall: datetime) -> datetime | None:
    """Return None if the rule includes `wall`, else the earliest later wall time that it may include."""
    if not is_day_allowed(rule, wall.date()):
        return datetime.combine(wall.date() + _DAY, time.min)
    if rule.hours and wall.hour not in rule.hours:
        return wall.replace(minute=0, second=0) + _HOUR
    if rule.frequency == "MINUTELY" and rule.minutes and wall.minute not in rule.minutes:
        return wall + timedelta(minutes=1)
    return None


_NOTHING = timedelta(0)


def elapsed_step(rule: Rule) -> timedelta:
    """Return the time between two fires; for an hourly rule with minutes, between two fires at the same minute."""
    return timedelta(minutes=rule.interval) if rule.frequency == "MINUTELY" else timedelta(hours=rule.interval)


def elapsed_instants(rule: Rule, start: datetime, minute: int, after: datetime) -> Iterator[datetime]:
    """Return instants of `rule` strictly after `after`, counted from `start`; both in UTC, endless.

    `minute` is the minute of `start` on the wall clock, which BYMINUTE of an HOURLY rule refers to.
    """
    step = elapsed_step(rule)
    offsets = tuple(timedelta(minutes=rule_minute - minute) for rule_minute in rule.minutes) or (_NOTHING,)
    first = max(0, (after - start) // step)
    for index in count(first):
        base = start + step * index
        for offset in offsets:
            instant = base + offset
            if instant >= start and instant > after:
                yield instant
