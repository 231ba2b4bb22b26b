"""Compute workdays from the public holidays of a region."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

from loguru import logger
from msgspec import Struct


def region_of(zone: str) -> str | None:
    """Return the ISO 3166 code of the country of a zone (IANA name); None for a zone without a country.

    Source: the table `zone.tab` of the IANA time zone database.
    """
    return _countries().get(zone)


@cache
def _countries() -> dict[str, str]:
    lines = files("tzdata").joinpath("zoneinfo", "zone.tab").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {columns[2]: columns[0] for columns in rows}


if TYPE_CHECKING:
    from holidays import HolidayBase

_REGION = re.compile(r"([A-Z]{2})(?:-([A-Z0-9]{1,3}))?")


def has_calendars() -> bool:
    """Return whether public holidays are known: the extra `calendars` is installed."""
    return find_spec("holidays") is not None


@cache
def _region(region: str) -> "HolidayBase":
    """Return the holidays of a region.

    Raises:
        ValueError: the region is unknown, or the library is not installed.
    """
    found = _REGION.fullmatch(region)
    if found is None:
        raise ValueError(f"no calendar knows the region {region!r}")
    try:
        import holidays
    except ImportError as error:
        problem = "calendars are not installed; install them: in the project's folder, pip install -e '.[calendars]'"
        raise ValueError(problem) from error
    try:
        return holidays.country_holidays(found[1], subdiv=found[2])
    except NotImplementedError as error:
        raise ValueError(f"no calendar knows the region {region!r}") from error


@cache
def _decreed_until(region: str) -> date | None:
    known = _region(region)
    decreed: set[int] = set(getattr(known, "special_public_holidays", None) or ())
    for year in decreed:
        known.get(date(year, 1, 1))  # loads the decrees of the year
    swapped = {day.year for day in known.weekend_workdays}
    return date(max(decreed | swapped), 12, 31) if swapped else None


@cache
def _warn(region: str, end: date) -> None:
    logger.warning(
        "workdays of {} are known until {}; later ones are a forecast: update the library `holidays`", region, end
    )


_DAY = timedelta(days=1)
_MAX_FREE_DAYS = 60
_LAST_YEAR = 2100  # no calendar is computed further


class Workdays(Struct, frozen=True, kw_only=True):
    """The workdays of `region`, an ISO 3166 code such as `CN` or `DE-BY`, or with `is_rest` its days off.

    They come from the library `holidays` (the extra `calendars`), imported on first use. In some regions the government
    decrees each year which weekend days are workdays. Such a region is known until the end of the last year in the
    installed library; later years follow weekends and fixed holidays.
    """

    region: str
    is_rest: bool = False

    def __str__(self) -> str:
        """Return the text that names these days in a rule."""
        return f"{'RESTDAYS' if self.is_rest else 'WORKDAYS'};REGION={self.region}"

    def load(self) -> None:
        """Load the holidays of the region.

        Raises:
            ValueError: no calendar knows the region, or the library is not installed.
        """
        _decreed_until(self.region)

    def is_workday(self, day: date) -> bool:
        """Return whether `day` is a workday; log a warning, once, if it is after the known years."""
        end = self.known_until
        if end is not None and day > end:
            _warn(self.region, end)
        return _region(self.region).is_working_day(day)

    def dates_from(self, first: date) -> Iterator[date]:
        """Yield the days from `first` on, until there is none for 60 days or the last year ends."""
        day, empty = first, 0
        while empty < _MAX_FREE_DAYS and day.year <= _LAST_YEAR:
            if self.is_workday(day) is not self.is_rest:
                empty = 0
                yield day
            else:
                empty += 1
            day += _DAY

    @property
    def known_until(self) -> date | None:
        """The last decreed day of the region; None without weekend workdays."""
        return _decreed_until(self.region)
