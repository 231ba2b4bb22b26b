"""Read rules of the calendars beside RRULE, and compute workdays."""

from collections.abc import Iterator
from datetime import date, timedelta

from msgspec import Struct

from services.recurrence.calendars.lunar import read_lunar
from services.recurrence.calendars.ports import CalendarDays, WorkCalendar
from services.recurrence.calendars.work_calendar import HOLIDAYS

_DAY = timedelta(days=1)
_LONGEST_REST = 60
_LAST_YEAR = 2100  # no calendar is computed further


class Workdays(Struct, frozen=True, kw_only=True):
    """The days on which people of `region` work, or with `is_rest` those on which they do not."""

    region: str
    calendar: WorkCalendar = HOLIDAYS
    is_rest: bool = False

    def __str__(self) -> str:
        """Return the text that names these days in a rule."""
        return f"{'RESTDAYS' if self.is_rest else 'WORKDAYS'};REGION={self.region}"

    def load(self) -> None:
        """Load the holidays; a region that no calendar knows is refused now and not at the first fire."""
        self.calendar.known_until(self.region)

    def dates_from(self, first: date) -> Iterator[date]:
        """Yield the days from `first` on, until the calendar has none for two months or its last year ends."""
        day, barren = first, 0
        while barren < _LONGEST_REST and day.year <= _LAST_YEAR:
            if self.calendar.is_workday(day, self.region) is not self.is_rest:
                barren = 0
                yield day
            else:
                barren += 1
            day += _DAY

    @property
    def known_until(self) -> date | None:
        """The last decreed day of the region."""
        return self.calendar.known_until(self.region)


def read_calendar_days(text: str, region: str) -> CalendarDays:
    """Return the days that the first part of a rule names, such as `LUNAR 8-15`, or `WORKDAYS` with a region.

    Raises:
        ValueError: it is no kind of rule.
    """
    if text in {"WORKDAYS", "RESTDAYS"} and region:
        return Workdays(region=region, is_rest=text == "RESTDAYS")
    if region:
        raise ValueError(region)
    return read_lunar(text)
