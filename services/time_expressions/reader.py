"""Times as one bot reads them: the order of its people's dates, and the hours of their day."""

from datetime import datetime, timedelta
from typing import NamedTuple

from services.time_expressions import engine
from services.time_expressions.model import DateOrder, DayParts, TimeReadings

_SHORTEST = timedelta(seconds=1)
"""What comes too often is read, so that whoever is asked for it can refuse it with the reason."""


class TimeReader(NamedTuple):
    """Reads times by fixed conventions.

    Attributes:
        order: Which number comes first in `3/4`; None takes the custom of the language and reports the ambiguity.
        day_parts: The clock times of "morning", "evening", or of a day without a clock.
    """

    order: DateOrder | None = None
    day_parts: DayParts = engine.DEFAULT_PARTS

    def parse(self, text: str, now: datetime, *, language: str | None = None, eager: bool = False) -> TimeReadings:
        """Return the first time that `text` names; `now` is timezone-aware. See `services.time_expressions.parse`."""
        return engine.parse(
            text,
            now,
            language=language,
            order=self.order,
            day_parts=self.day_parts,
            eager=eager,
            shortest_period=_SHORTEST,
        )

    def parse_all(
        self, text: str, now: datetime, *, language: str | None = None, eager: bool = False
    ) -> tuple[TimeReadings, ...]:
        """Every separate time that `text` names, in order; `now` is timezone-aware."""
        return engine.parse_all(
            text,
            now,
            language=language,
            order=self.order,
            day_parts=self.day_parts,
            eager=eager,
            shortest_period=_SHORTEST,
        )
