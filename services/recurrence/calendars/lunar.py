"""Read and compute rules of the Chinese lunar calendar: `LUNAR 8-15`, `LUNAR *-1,*-15`, `LUNAR 12-LAST`."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from msgspec import Struct

from services.kernel.lunar_calendar import FIRST_YEAR, LAST_YEAR, dates_of

LAST_DAY: Final = 31
"""The number for the last day of a lunar month, which has 29 or 30 days."""

_DATE: Final = re.compile(r"(\*|1[0-2]|[1-9])-(LAST|30|[12][0-9]|[1-9])")


class LunarDays(Struct, frozen=True, kw_only=True):
    """Days of the lunar year, as (month, day) pairs; month 0 is every month, leap months included.

    The 30th of a month of 29 days is the 29th; 12-LAST is New Year's Eve (除夕). A numbered month does not include the
    leap month that may follow it.
    """

    days: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        """Return the text that `read_lunar` reads as these days."""
        return "LUNAR " + ",".join(f"{month or '*'}-{'LAST' if day == LAST_DAY else day}" for month, day in self.days)

    def dates_from(self, first: date) -> Iterator[date]:
        """Yield the days from `first` on, until the lunar year 2100 ends."""
        for year in range(max(FIRST_YEAR, first.year - 1), LAST_YEAR + 1):
            dates = {day for month, number in self.days for day in dates_of(month, number, year)}
            yield from (day for day in sorted(dates) if day >= first)


def read_lunar(text: str) -> LunarDays:
    """Read `LUNAR M-D,M-D…`: M is 1–12 or `*`, D is 1–30 or `LAST`.

    Raises:
        ValueError: `text` has another form.
    """
    kind, _, listed = text.partition(" ")
    found = [_DATE.fullmatch(date_text.strip()) for date_text in listed.split(",")]
    pairs = {_pair(date_text) for date_text in found if date_text is not None}
    if kind != "LUNAR" or None in found:
        raise ValueError(text)
    return LunarDays(days=tuple(sorted(pairs)))


def _pair(found: re.Match[str]) -> tuple[int, int]:
    month, day = found.groups()
    return (0 if month == "*" else int(month), LAST_DAY if day == "LAST" else int(day))
