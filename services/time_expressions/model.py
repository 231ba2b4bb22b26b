"""The values of the public interface: date orders, grains, parts of the day and readings.

All values of this package are named tuples: importing `dataclasses` would take as long as the rest of the package.
"""

import re
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol

# One clock a day; a rule with several hours has no clock of its own.
_BY_CLOCK = re.compile(r"BYHOUR=(\d+);BYMINUTE=(\d+)(?=;|$)")


class DateOrder(StrEnum):
    """The order of numeric dates: month, day, year; day, month, year; or year, month, day."""

    MDY = "mdy"
    DMY = "dmy"
    YMD = "ymd"


class Grain(StrEnum):
    """The finest unit that the words named."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class DayParts(NamedTuple):
    """The local clock times used for a part of the day, and for a day without a clock time."""

    day: time = time(9)
    dawn: time = time(5)
    early: time = time(7)
    morning: time = time(9)
    forenoon: time = time(10)
    noon: time = time(12)
    after_noon: time = time(14)
    afternoon: time = time(15)
    after_school: time = time(16)
    dusk: time = time(18)
    evening: time = time(19)
    night: time = time(21)
    late: time = time(22)


class Reading(NamedTuple):
    """A possible meaning of the time words in a text.

    Attributes:
        start: Timezone-aware, in the zone of `now`; the first fire of a recurrence.
        grain: The finest unit that the words named; finer units of `start` are defaults.
        has_clock: The words named a clock time or an exact offset.
        has_day: The words named a day or an offset, not only a clock time or a part of the day.
        end: The exclusive end of an interval; None for others.
        rrule: The value of an RRULE with `start` as its DTSTART; None for an instant. A recurring lunar date is
            `LUNAR 8-15`, as in the rules of reminders. Source: RFC 5545 section 3.3.10.
        spans: Half-open offsets into the text of the words that this reading explains.
        part: The part of the day that the words named, a field of `DayParts`; empty for none.
        zone: The zone that the words named, as an IANA name or an offset (`+0200`); empty for none. `start` and `rrule`
            are in the zone of `now` nevertheless.
    """

    start: datetime
    grain: Grain
    has_clock: bool
    has_day: bool
    end: datetime | None
    rrule: str | None
    spans: tuple[tuple[int, int], ...]
    part: str = ""
    zone: str = ""

    @property
    def wall(self) -> datetime:
        """The naive wall-clock time of `start`, with the clock time of the recurrence.

        The two differ if the first fire falls into a DST gap: 02:30 every day stays 02:30, although its first fire is
        at 03:30.
        """
        shown = self.start.replace(tzinfo=None)
        clock = _BY_CLOCK.search(self.rrule or "")
        if clock is None:
            return shown
        named = shown.replace(hour=int(clock[1]), minute=int(clock[2]))
        return named - timedelta(days=1) if named - shown > timedelta(hours=12) else named


class TimeReadings(NamedTuple):
    """All readings of one text or expression.

    Attributes:
        text: The text as given.
        readings: Best first; empty if the text has no time, or only past ones.
        ambiguous: There are several future readings, and the person should be asked.
        past: Readings before `now`, which are not in `readings`.
    """

    text: str
    readings: tuple[Reading, ...]
    ambiguous: bool
    past: tuple[Reading, ...] = ()

    @property
    def best(self) -> Reading | None:
        """The preferred reading, if there is any."""
        return self.readings[0] if self.readings else None


class ReadTimes(Protocol):
    """Read every separate time of a text; `parse_all` and `TimeReader.parse_all` are two."""

    def __call__(
        self, text: str, now: datetime, *, language: str | None = None, eager: bool = False
    ) -> tuple[TimeReadings, ...]:
        """Return the times in order; `now` is timezone-aware, `eager` accepts weak evidence."""
        ...
