"""Read rules of the calendars beside RRULE, and compute workdays."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from types import MappingProxyType

from msgspec import Struct

from services.recurrence.calendars.lunar import read_lunar
from services.recurrence.calendars.ports import CalendarDays, WorkCalendar
from services.recurrence.calendars.work_calendar import HolidayCalendar

_DAY = timedelta(days=1)
_LONGEST_REST = 60
_LAST_YEAR = 2100  # no calendar is computed further


class Workdays(Struct, frozen=True, kw_only=True):
    """The days on which people of `region` work, or with `is_rest` those on which they do not."""

    region: str
    calendar: WorkCalendar
    is_rest: bool = False

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


def read_workdays(text: str, region: str, *, calendar: WorkCalendar | None = None) -> Workdays:
    """Read `WORKDAYS` or `RESTDAYS` of a region.

    Raises:
        ValueError: it is neither, no calendar knows the region, or the library is not installed.
    """
    if text not in {"WORKDAYS", "RESTDAYS"}:
        raise ValueError(text)
    days = Workdays(region=region, calendar=calendar or HolidayCalendar(), is_rest=text == "RESTDAYS")
    days.calendar.known_until(region)  # refuses a region that there is not, now and not at the first fire
    return days


def _read_lunar(text: str, region: str) -> CalendarDays:
    if region:
        raise ValueError(region)
    return read_lunar(text)


# The first word of a rule -> what reads it, given its first part and its region.
KINDS: Mapping[str, Callable[[str, str], CalendarDays]] = MappingProxyType(
    {"WORKDAYS": read_workdays, "RESTDAYS": read_workdays, "LUNAR": _read_lunar}
)


def read_calendar_days(text: str, region: str) -> CalendarDays:
    """Return the days that the first part of a rule names, such as `LUNAR 8-15`, or `WORKDAYS` with a region.

    Raises:
        ValueError: no kind of rule, or one whose calendar is missing; the text says which.
    """
    read = KINDS.get(text.partition(" ")[0])
    if read is None:
        raise ValueError(text)
    return read(text, region)
