"""Conventions of the clock: which half of the day is meant, and what a part of the day stands for."""

from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from services.time_expressions.model import DayParts
from services.time_expressions.values import Clock

FIRST_AFTERNOON_HOUR, LAST_AFTERNOON_HOUR = 1, 7
"""A bare "4 o'clock" is meant for the afternoon within these hours, for the morning from 8 to 11, 12 is noon."""

UNSURE_HOURS = frozenset({6, 7, 8})
"""Hours that people use for both halves of the day alike, so that the half is asked for; not for 8 with minutes."""

MORNING_PARTS = frozenset({"dawn", "early", "morning", "forenoon"})
NIGHT_PARTS = frozenset({"dusk", "evening", "night", "late"})
PART_ENDS = {"dawn": 8, "early": 10, "morning": 12, "forenoon": 12, "noon": 14, "after_noon": 17}
LAST_HOUR_OF_SMALL_HOURS = 4
MIDNIGHT_HOUR = 24
NOON_HOUR = 12


class Moment(NamedTuple):
    """A local time without a zone; `forced` marks the half of the day that the words did not prefer."""

    local: datetime
    has_clock: bool
    forced: bool = False
    unsure: bool = False


def moments(day: date, clock: Clock | None, part: str, parts: DayParts) -> list[Moment]:
    """Return times of `day` that the clock and part may mean, the preferred one first."""
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
            forced=place > 0,
            unsure=unsure,
        )
        for place, hour in enumerate(hours)
    ]


def is_whole_hour(clock: Clock) -> bool:
    """Return whether the words name a full hour, be it one that is some minutes off ("ten to eight")."""
    return clock.grain == "hour" or bool(clock.ahead_of)


def _hours(clock: Clock, part: str) -> list[int]:
    """Hours from the start of the day (24 and more belong to the next one), the preferred one first."""
    hour = clock.hour
    if clock.ahead_of:
        named = clock._replace(hour=clock.ahead_of, ahead_of=0)
        return [each - (clock.ahead_of - hour) for each in _hours(named, part)]
    if clock.half in {"am", "pm"}:
        hour = hour % NOON_HOUR + (NOON_HOUR if clock.half == "pm" else 0)
        return [hour + MIDNIGHT_HOUR if part in NIGHT_PARTS and hour <= LAST_HOUR_OF_SMALL_HOURS else hour]
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
        if hour == NOON_HOUR or hour <= LAST_HOUR_OF_SMALL_HOURS:
            return MIDNIGHT_HOUR + hour % NOON_HOUR
        return hour + NOON_HOUR
    if part == "noon" and hour >= 10:
        return hour
    return hour % NOON_HOUR + NOON_HOUR


def part_is_over(part: str, now: datetime) -> bool:
    """Tell whether the part of today has ended at `now`."""
    return now.hour >= PART_ENDS.get(part, MIDNIGHT_HOUR)


def next_default(now: datetime, part: str, parts: DayParts) -> datetime | None:
    """Return a time later today for a day, or a part of it, whose default hour is gone; None when it is over."""
    if part:
        if part_is_over(part, now):
            return None
    else:
        for name in ("day", "noon", "afternoon", "evening", "night"):
            at = datetime.combine(now.date(), getattr(parts, name))
            if at > now:
                return at
    quarter = now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0) + timedelta(minutes=15)
    return quarter if quarter.date() == now.date() else now.replace(hour=23, minute=59, second=59, microsecond=0)
