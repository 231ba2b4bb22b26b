"""Find the clock times that a clock and a part of the day may mean, the preferred one first."""

from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from services.time_expressions.model import DayParts
from services.time_expressions.values import LAST_SMALL_HOUR, Clock, is_small_hour

FIRST_AFTERNOON_HOUR, LAST_AFTERNOON_HOUR = 1, 7
"""The bare hours that mean the afternoon; 8 to 11 mean the morning, 12 means noon."""

UNSURE_HOURS = frozenset({6, 7, 8})
"""Bare hours that people use for both halves of the day, so that the half is asked for; not for 8 with minutes."""

MORNING_PARTS = frozenset({"dawn", "early", "morning", "forenoon"})
NIGHT_PARTS = frozenset({"dusk", "evening", "night", "late"})
PART_ENDS = {"dawn": 8, "early": 10, "morning": 12, "forenoon": 12, "noon": 14, "after_noon": 17}
_EARLY_HOUR = 4
_SHORTLY, _SHORTLY_AT_NIGHT, _SHORTLY_IF_UNSURE = timedelta(hours=4), timedelta(hours=2), timedelta(hours=1)
MIDNIGHT_HOUR = 24
NOON_HOUR = 12


class Moment(NamedTuple):
    """A naive local time; `unsure` if the other half of the day may be meant."""

    local: datetime
    has_clock: bool
    unsure: bool = False


def moments(day: date, clock: Clock | None, part: str, parts: DayParts) -> list[Moment]:
    """Return the times of `day` that the clock and the part of the day may mean, the preferred one first."""
    if clock is None:
        at: time = getattr(parts, part or "day")
        return [Moment(local=datetime.combine(day, at), has_clock=False)]
    hours = _hours(clock, part)
    hour = clock.ahead_of or clock.hour
    is_either = hour in UNSURE_HOURS and (hour <= LAST_AFTERNOON_HOUR or is_whole_hour(clock))
    unsure = len(hours) > 1 and is_either
    start = datetime.combine(day, time())
    return [
        Moment(
            local=start + timedelta(hours=hour, minutes=clock.minute, seconds=clock.second),
            has_clock=True,
            unsure=unsure,
        )
        for hour in hours
    ]


def is_shortly_ahead(moment: Moment, now: datetime) -> bool:
    """Return whether a time is so near that a bare hour means it and not the other half of the day."""
    is_night = moment.local.hour < _EARLY_HOUR <= now.hour
    limit = _SHORTLY_IF_UNSURE if moment.unsure else _SHORTLY_AT_NIGHT if is_night else _SHORTLY
    return timedelta() <= moment.local - now <= limit


def is_early_ahead(clock: Clock, now: datetime, parts: DayParts) -> bool:
    """Return whether a clock without a half of the day is shortly ahead in a morning that has begun."""
    halves = moments(now.date(), clock, "", parts)
    is_open = len(halves) > 1 and now.hour >= _EARLY_HOUR
    return is_open and any(is_shortly_ahead(half, now) and half.local.hour < NOON_HOUR for half in halves)


def is_whole_hour(clock: Clock) -> bool:
    """Return whether the words name a full hour, possibly with an offset ("ten to eight")."""
    return clock.grain == "hour" or bool(clock.ahead_of)


def _hours(clock: Clock, part: str) -> list[int]:
    """Return the possible hours from the start of the day (24 and more: the next day), the preferred one first."""
    hour = clock.hour
    if clock.ahead_of:
        named = clock._replace(hour=clock.ahead_of, ahead_of=0)
        return [named_hour - (clock.ahead_of - hour) for named_hour in _hours(named, part)]
    if clock.half in {"am", "pm"}:
        hour = hour % NOON_HOUR + (NOON_HOUR if clock.half == "pm" else 0)
        return [hour + MIDNIGHT_HOUR if part in NIGHT_PARTS and hour <= LAST_SMALL_HOUR else hour]
    if hour > NOON_HOUR or hour == 0:
        return [hour + MIDNIGHT_HOUR if part in NIGHT_PARTS and hour == 0 else hour]
    if part:
        return [_hour_in_part(hour, part)]
    if clock.half == "24":
        return [hour]
    if hour == NOON_HOUR:
        return [NOON_HOUR, MIDNIGHT_HOUR]
    if FIRST_AFTERNOON_HOUR <= hour <= LAST_AFTERNOON_HOUR:
        return [hour + NOON_HOUR, hour]
    return [hour, hour + NOON_HOUR]


def _hour_in_part(hour: int, part: str) -> int:
    if part in MORNING_PARTS:
        return 0 if hour == NOON_HOUR and part == "dawn" else hour
    if part in NIGHT_PARTS:
        if is_small_hour(hour, part):
            return MIDNIGHT_HOUR + hour % NOON_HOUR
        return hour + NOON_HOUR
    if part == "noon" and hour >= 10:
        return hour
    return hour % NOON_HOUR + NOON_HOUR


def is_part_over(part: str, now: datetime) -> bool:
    """Return whether the part of the day has ended at `now`."""
    return now.hour >= PART_ENDS.get(part, MIDNIGHT_HOUR)


def next_default(now: datetime, part: str, parts: DayParts) -> datetime | None:
    """Return a time later today if the default hour of the day or its part has passed; None if the part is over."""
    if part:
        if is_part_over(part, now):
            return None
    else:
        for name in ("day", "noon", "afternoon", "evening", "night"):
            at = datetime.combine(now.date(), getattr(parts, name))
            if at > now:
                return at
    quarter = now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0) + timedelta(minutes=15)
    return quarter if quarter.date() == now.date() else now.replace(hour=23, minute=59, second=59, microsecond=0)
