"""Which occurrence of a reminder is to be said, and when the one after it comes."""

from dataclasses import dataclass
from datetime import datetime

from services.errors import RequestRefused
from services.reminders.model import Schedule
from services.reminders.recurrence import missed_between, next_after


@dataclass(frozen=True, kw_only=True, slots=True)
class Occurrence:
    """One fire that is due: how many earlier ones it stands for, and the next fire of the reminder.

    `is_readable` is False when this version cannot read the rule: the fire is said and the reminder then pauses.
    """

    due_at: datetime
    missed: int
    next_fire_at: datetime | None
    is_readable: bool = True


def occurrence_due(schedule: Schedule, due_at: datetime, now: datetime) -> Occurrence:
    """What to say of a reminder whose stored next fire is `due_at`, now or a little ahead of it."""
    if not schedule.rule:
        return Occurrence(due_at=due_at, missed=0, next_fire_at=None)
    try:
        latest, missed = missed_between(schedule, due_at, now) if due_at < now else (due_at, 0)
        return Occurrence(due_at=latest, missed=missed, next_fire_at=next_after(schedule, latest))
    except RequestRefused:
        return Occurrence(due_at=due_at, missed=0, next_fire_at=None, is_readable=False)
