"""The fire before a fire: what a digest that comes by a rule reaches back to."""

from datetime import datetime, timedelta

from services.reminders.model import Schedule
from services.reminders.recurrence import next_fires

_REACHES = (timedelta(hours=2), timedelta(hours=26), timedelta(days=8), timedelta(days=32), timedelta(days=367))
_MOST = 400
"""Fires that are looked at; the shortest interval is a minute."""


def previous_fire(schedule: Schedule, due: datetime) -> datetime | None:
    """The last fire of `schedule` before `due` (timezone-aware); None where there was none in a year."""
    if not schedule.rule:
        return None
    for reach in _REACHES:
        before = [fire for fire in next_fires(schedule, due - reach, _MOST) if fire < due]
        if before:
            return before[-1]
    return None
