"""Read and compute rules of the Chinese lunar calendar: `LUNAR 8-15`, `LUNAR *-1,*-15`, `LUNAR 12-LAST`."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from importlib import import_module
from types import ModuleType

from msgspec import Struct

_DATE = re.compile(r"(\*|1[0-2]|[1-9])-(LAST|30|[12][0-9]|[1-9])")
LAST_DAY = 31  # stands for the last one; a lunar month has 29 or 30 days
_FIRST_YEAR, _LAST_YEAR = 1900, 2100


class LunarDays(Struct, frozen=True, kw_only=True):
    """Days of the lunar year, as (month, day) pairs; month 0 is every month, leap months included.

    A day that a month lacks is its last one: the 30th of a month of 29 days is the 29th, and so is New Year's Eve
    (12-LAST, 除夕) found. A named month means the ordinary one, not the leap month that may follow it.
    """

    days: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        """Return the text that `read_lunar` reads as these days."""
        return "LUNAR " + ",".join(f"{month or '*'}-{'LAST' if day == LAST_DAY else day}" for month, day in self.days)

    def load(self) -> None:
        """Load the library."""
        _library()

    def dates_from(self, first: date) -> Iterator[date]:
        """Yield the days from `first` on, until the lunar year 2100 ends."""
        for year in range(max(_FIRST_YEAR, first.year - 1), _LAST_YEAR + 1):
            for day in sorted(set(self._dates_of(year))):
                if day >= first:
                    yield day

    @property
    def known_until(self) -> date | None:
        """Astronomy decrees nothing."""
        return None

    def _dates_of(self, year: int) -> Iterator[date]:
        lunar = _library()
        months: list[tuple[int, int, int]] = list(lunar.LCalendars.iter_year_month(year))
        for wanted_month, wanted_day in self.days:
            for month, length, leap in months:
                if wanted_month in {0, month} and not (wanted_month and leap):
                    found: date = lunar.LunarDate(year, month, min(wanted_day, length), leap).to_solar_date()
                    yield found


def read_lunar(text: str) -> LunarDays:
    """Read `LUNAR M-D,M-D…`: M is 1–12 or `*`, D is 1–30 or `LAST`.

    Raises:
        ValueError: it is not that.
    """
    kind, _, listed = text.partition(" ")
    found = [_DATE.fullmatch(each.strip()) for each in listed.split(",")]
    pairs = {_pair(each) for each in found if each is not None}
    if kind != "LUNAR" or None in found:
        raise ValueError(text)
    return LunarDays(days=tuple(sorted(pairs)))


def _pair(found: re.Match[str]) -> tuple[int, int]:
    month, day = found.groups()
    return (0 if month == "*" else int(month), LAST_DAY if day == "LAST" else int(day))


@cache
def _library() -> ModuleType:
    """Return the library `borax`, which ships no types (the extra `calendars`)."""
    try:
        return import_module("borax.calendars")
    except ImportError as error:
        raise ValueError("calendars are not installed: pip install 'bubbles[calendars]'") from error
