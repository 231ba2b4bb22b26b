"""Choose the occurrences of a reminder to send, and compute its next fire."""

from datetime import datetime, timedelta

from msgspec import Struct

from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_after
from services.recurrence.missed import missed_between
from services.recurrence.schedule import Schedule
from services.reminders.model import CatchUp

MAX_CAUGHT_UP = 10
"""The limit of missed occurrences that `CatchUp.ALL` sends separately; the first of them has the number of others."""

_ON_TIME = timedelta(minutes=2)  # a smaller delay does not count as missed


class Occurrence(Struct, frozen=True, kw_only=True):
    """A due fire and the number of missed ones before it. A skipped occurrence is recorded and not sent."""

    due_at: datetime
    missed: int
    is_skipped: bool = False


class DuePlan(Struct, frozen=True, kw_only=True):
    """The occurrences of a reminder to insert into the ledger, oldest first, and its next fire.

    `is_readable` is False if this version cannot read the rule; then the fire is sent and the reminder paused.
    """

    occurrences: tuple[Occurrence, ...]
    next_fire_at: datetime | None
    is_readable: bool = True

    @property
    def due_at(self) -> datetime:
        """The latest fire."""
        return self.occurrences[-1].due_at


def plan_due(schedule: Schedule, catch_up: CatchUp, due_at: datetime, now: datetime) -> DuePlan:
    """Plan the occurrences of a reminder whose stored next fire `due_at` has passed or comes within seconds."""
    if not schedule.is_repeated:
        return DuePlan(occurrences=(Occurrence(due_at=due_at, missed=0),), next_fire_at=None)
    try:
        latest, missed = missed_between(schedule, due_at, now) if due_at < now else (due_at, 0)
        occurrences = _plan_repeated(schedule, catch_up, (due_at, latest, missed), now)
        return DuePlan(occurrences=occurrences, next_fire_at=next_after(schedule, latest))
    except RequestRefused:
        fire = Occurrence(due_at=due_at, missed=0)
        return DuePlan(occurrences=(fire,), next_fire_at=None, is_readable=False)


def _plan_repeated(
    schedule: Schedule, catch_up: CatchUp, due: tuple[datetime, datetime, int], now: datetime
) -> tuple[Occurrence, ...]:
    first, latest, missed = due
    if catch_up is CatchUp.NONE:
        return _skip_missed(schedule, due, now)
    if catch_up is CatchUp.LATEST or not missed:
        return (Occurrence(due_at=latest, missed=missed),)
    fires = _last_fires(schedule, first, latest, missed)
    older = missed + 1 - len(fires)
    return tuple(Occurrence(due_at=fire, missed=0 if place else older) for place, fire in enumerate(fires))


def _skip_missed(schedule: Schedule, due: tuple[datetime, datetime, int], now: datetime) -> tuple[Occurrence, ...]:
    first, latest, missed = due
    if now - latest > _ON_TIME:
        return (Occurrence(due_at=latest, missed=missed, is_skipped=True),)
    sent = Occurrence(due_at=latest, missed=0)
    if not missed:
        return (sent,)
    before = _last_fires(schedule, first, latest, missed)[-2]
    return (Occurrence(due_at=before, missed=missed - 1, is_skipped=True), sent)


def _last_fires(schedule: Schedule, first: datetime, latest: datetime, missed: int) -> list[datetime]:
    """Return the last fires from `first` to `latest`, at most `MAX_CAUGHT_UP`; `missed` are before `latest`."""
    wanted = min(missed + 1, MAX_CAUGHT_UP)
    reach = (latest - first) / missed * MAX_CAUGHT_UP
    while True:
        start = max(first, latest - reach)
        fires = [first] if start == first else []
        fire = next_after(schedule, start)
        while fire is not None and fire <= latest:
            fires.append(fire)
            fire = next_after(schedule, fire)
        if len(fires) >= wanted:
            return fires[-wanted:]
        reach *= 2


def pause_after(schedule: Schedule, due: datetime) -> timedelta | None:
    """Return the interval to the follow-up of the fire at `due` (timezone-aware); None if there is none, or unknown."""
    if schedule.follow_up is None:
        return None
    try:
        following = next_after(schedule, due)
    except RequestRefused:
        return None
    every = schedule.follow_up.every
    return every if following is not None and following - due == every else None
