"""The kinds of rules beside RRULE, and which of them a text is."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from services.reminders.calendars.lunar import read_lunar
from services.reminders.calendars.ports import CalendarDays
from services.reminders.calendars.workdays import read_workdays


def _read_lunar(text: str, region: str) -> CalendarDays:
    if region:
        raise ValueError(region)
    return read_lunar(text)


# The first word of a rule -> what reads it, given its first part and its region.
KINDS: Mapping[str, Callable[[str, str], CalendarDays]] = MappingProxyType(
    {"WORKDAYS": read_workdays, "RESTDAYS": read_workdays, "LUNAR": _read_lunar}
)


def read_calendar_days(text: str, region: str) -> CalendarDays:
    """The days that the first part of a rule names, such as `LUNAR 8-15`, or `WORKDAYS` with a region.

    Raises:
        ValueError: no kind of rule, or one whose calendar is missing; the text says which.
    """
    read = KINDS.get(text.partition(" ")[0])
    if read is None:
        raise ValueError(text)
    return read(text, region)
