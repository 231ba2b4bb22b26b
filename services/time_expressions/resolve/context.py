"""The moment and the conventions against which words are resolved, and the resolved answers."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple

from services.time_expressions.model import DayParts, Grain


class ReadingContext(NamedTuple):
    """The moment `now` and the conventions against which meanings are resolved; see `parse` for the fields.

    With `is_figure` the whole text is a clock as calls write it ("10:30"), which is not moved to the evening.
    """

    now: datetime
    parts: DayParts
    future: bool
    shortest_period: timedelta
    is_figure: bool = False

    @property
    def local(self) -> datetime:
        """The naive wall-clock time of `now`."""
        return self.now.replace(tzinfo=None)

    @property
    def today(self) -> date:
        """The date of `now`."""
        return self.now.date()

    @property
    def zone(self) -> tzinfo:
        """The zone of `now`."""
        return self.now.tzinfo or UTC


class Answer(NamedTuple):
    """A resolved time; `past`: before now although a future time is wanted; `unsure`: another may be meant."""

    start: datetime
    grain: Grain
    has_clock: bool
    end: datetime | None = None
    rrule: str | None = None
    past: bool = False
    unsure: bool = False


def in_zone(local: datetime, zone: tzinfo) -> datetime:
    """Add the zone to a wall-clock time; a time in a DST gap moves forward, an ambiguous one is the first."""
    return datetime.combine(local, local.time(), zone).astimezone(UTC).astimezone(zone)


def is_before(start: datetime, other: datetime) -> bool:
    """Compare instants; datetimes of the same zone would be compared by wall clock, without their fold."""
    return start.astimezone(UTC) < other.astimezone(UTC)


def mark_past(answer: Answer, present: ReadingContext) -> Answer:
    """Mark an answer as past if it is before now although a future time is wanted."""
    if present.future and is_before(answer.start, present.now.replace(microsecond=0)):
        return answer._replace(past=True)
    return answer
