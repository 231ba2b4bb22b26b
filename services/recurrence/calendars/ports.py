"""Declare the interfaces of calendars."""

from collections.abc import Iterator
from datetime import date
from typing import Protocol


class WorkCalendar(Protocol):
    """The workdays of a region: weekends, public holidays, and the weekend days that are worked instead."""

    def is_workday(self, day: date, region: str) -> bool:
        """Return whether `day` is worked in `region`: an ISO 3166 country code, or one with a subdivision (`DE-BY`).

        Raises:
            ValueError: the calendar does not know the region; the text says why.
        """
        ...

    def known_until(self, region: str) -> date | None:
        """Return the last day that is decreed; None where the days follow from the law for ever.

        After it, the answers of `is_workday` leave out what a government has not announced yet.
        """
        ...


class CalendarDays(Protocol):
    """The days of one rule of a calendar, such as the workdays of China; `str` is their text in the rule."""

    def load(self) -> None:
        """Load the data of the calendar.

        Raises:
            ValueError: they are not installed, or the region is unknown; the text says which.
        """
        ...

    def dates_from(self, first: date) -> Iterator[date]:
        """Yield the days of the rule from `first` on, ascending, as far as the calendar goes."""
        ...

    @property
    def known_until(self) -> date | None:
        """After this day the rule is a forecast; None when it never is."""
        ...
