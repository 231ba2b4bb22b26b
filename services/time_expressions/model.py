"""The words that callers of the time-expression room speak: orders, grains, readings.

All of this room are named tuples: to import `dataclasses` takes as long as all the rest of it.
"""

import re
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import NamedTuple

# One clock a day; a rule with several hours has no clock of its own.
_BY_CLOCK = re.compile(r"BYHOUR=(\d+);BYMINUTE=(\d+)(?=;|$)")


class DateOrder(StrEnum):
    """Which number comes first in `3/4`."""

    MDY = "mdy"
    DMY = "dmy"
    YMD = "ymd"


class Grain(StrEnum):
    """How finely the words fixed a time."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class DayParts(NamedTuple):
    """The local clock times that stand in where a text names a part of the day, or only a day."""

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
    """One way to read the time words of a text.

    Attributes:
        start: Timezone-aware, in the zone of `now`; the first fire of a recurrence.
        grain: What the words fixed; below it `start` carries defaults.
        has_clock: The words named a clock time or an exact offset.
        has_day: The words named a day or an offset, not the clock or part of a day alone.
        end: For intervals, exclusive.
        rrule: Value of an RRULE with `start` as its DTSTART; None for an instant. A lunar date that repeats is
            `LUNAR 8-15`, as the rules of reminders write it. Source: RFC 5545 section 3.3.10.
        spans: Offsets into the text, half open, of the words that this reading explains.
        coverage: Share of the text's time words explained, 0 to 1.
        part: The part of the day that the words named, as `DayParts` calls it; empty for none.
        zone: The place whose clock the words named, as an IANA name or an offset (`+0200`); empty for none. `start` and
            `rrule` are told by the clock of `now` all the same.
    """

    start: datetime
    grain: Grain
    has_clock: bool
    has_day: bool
    end: datetime | None
    rrule: str | None
    spans: tuple[tuple[int, int], ...]
    coverage: float
    part: str = ""
    zone: str = ""

    @property
    def wall(self) -> datetime:
        """`start` as naive wall clock, with the clock that a recurrence names.

        The two differ where the first fire falls into a gap of the clock: 02:30 every day stays 02:30, although the
        first of them is said at 03:30.
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
        readings: Best first; empty when the text holds no time (or only times gone by).
        ambiguous: Two future readings differ, and a person should be asked.
        past: Readings left out of `readings` because they lie before `now`.
    """

    text: str
    readings: tuple[Reading, ...]
    ambiguous: bool
    past: tuple[Reading, ...] = ()

    @property
    def best(self) -> Reading | None:
        """The preferred reading, if there is any."""
        return self.readings[0] if self.readings else None
