"""The present moment that words are read against, and the answers that come of it."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple

from services.time_expressions.model import DayParts, Grain


class Present(NamedTuple):
    """What the words are read against."""

    now: datetime
    parts: DayParts
    future: bool
    shortest_period: timedelta

    @property
    def local(self) -> datetime:
        """The wall clock of `now`, without its zone."""
        return self.now.replace(tzinfo=None)

    @property
    def today(self) -> date:
        """The day by that clock."""
        return self.now.date()

    @property
    def zone(self) -> tzinfo:
        """The zone of `now`."""
        return self.now.tzinfo or UTC


class Answer(NamedTuple):
    """One resolved time; `past` when it lies before now although a future one was asked for."""

    start: datetime
    grain: Grain
    has_clock: bool
    end: datetime | None = None
    rrule: str | None = None
    past: bool = False
    unsure: bool = False


def in_zone(local: datetime, zone: tzinfo) -> datetime:
    """Give a wall clock its zone; a time in a gap moves forward by the gap, a folded one is the first."""
    return datetime.combine(local, local.time(), zone).astimezone(UTC).astimezone(zone)


def is_before(start: datetime, other: datetime) -> bool:
    """Compare instants, not wall clocks: two times of one zone would compare without their fold."""
    return start.astimezone(UTC) < other.astimezone(UTC)


def judged(answer: Answer, present: Present) -> Answer:
    """Mark an answer that lies before now although a future one was asked for."""
    if present.future and is_before(answer.start, present.now.replace(microsecond=0)):
        return answer._replace(past=True)
    return answer
