"""Workdays against the notices of the State Council and the laws of other countries."""

from datetime import date, timedelta

import pytest
from loguru import logger

from services.recurrence.calendars.workdays import HolidayCalendar, Workdays

pytest.importorskip("holidays")

# Source: the General Office of the State Council, notices on holidays of 2025 (2024-11-12) and 2026 (2025-11-04).
OFF = {
    "2025-01-01": 1,
    "2025-01-28": 8,
    "2025-04-04": 3,
    "2025-05-01": 5,
    "2025-05-31": 3,
    "2025-10-01": 8,
    "2026-01-01": 3,
    "2026-02-15": 9,
    "2026-04-04": 3,
    "2026-05-01": 5,
    "2026-06-19": 3,
    "2026-09-25": 3,
    "2026-10-01": 7,
}
MADE_UP = {
    *("2025-01-26", "2025-02-08", "2025-04-27", "2025-09-28", "2025-10-11"),
    *("2026-01-04", "2026-02-14", "2026-02-28", "2026-05-09", "2026-09-20", "2026-10-10"),
}


def noticed(day: date) -> bool:
    starts = {date.fromisoformat(first): length for first, length in OFF.items()}
    if any(first <= day < first + timedelta(days=length) for first, length in starts.items()):
        return False
    return day.weekday() < 5 or day.isoformat() in MADE_UP


def test_every_day_of_two_years_in_china_is_as_the_notices_say():
    days = [date(2025, 1, 1) + timedelta(days=each) for each in range(730)]
    calendar = HolidayCalendar()

    assert [day for day in days if calendar.is_workday(day, "CN") != noticed(day)] == []


def test_country_with_holidays_by_law_is_known_without_limit():
    assert HolidayCalendar().known_until("DE") is None


def test_country_with_decreed_workdays_is_known_until_the_last_decree():
    end = HolidayCalendar().known_until("CN")

    assert end is not None
    assert end >= date(2026, 12, 31)
    assert (end.month, end.day) == (12, 31)


@pytest.mark.parametrize(("region", "works"), [("DE-BY", False), ("DE-BE", True), ("DE", True)])
def test_subdivision_has_its_own_holidays(region, works):
    epiphany = date(2026, 1, 6)

    assert HolidayCalendar().is_workday(epiphany, region) is works


@pytest.mark.parametrize("region", ["", "XX", "CHINA", "DE-ZZ", "DE-", "de", "../x"])
def test_unknown_region_is_refused(region):
    with pytest.raises(ValueError, match="no calendar knows the region"):
        Workdays(region=region).load()


class FourDayWeek:
    """A calendar of a country that rests from Friday to Sunday, decreed until 2027."""

    def is_workday(self, day: date, region: str) -> bool:
        return day.weekday() < 4 and region == "XX"

    def known_until(self, region: str) -> date | None:
        return date(2027, 12, 31) if region == "XX" else None


def test_workdays_and_rest_days_share_the_week_between_them():
    start, calendar = date(2026, 11, 19), FourDayWeek()
    work = Workdays(region="XX", calendar=calendar).dates_from(start)
    rest = Workdays(region="XX", calendar=calendar, is_rest=True).dates_from(start)

    assert [next(work).day for _ in range(4)] == [19, 23, 24, 25]
    assert [next(rest).day for _ in range(4)] == [20, 21, 22, 27]


def test_a_calendar_without_workdays_ends():
    assert list(Workdays(region="YY", calendar=FourDayWeek()).dates_from(date(2026, 1, 1))) == []


def test_rest_days_end_with_the_calendar():
    days = list(Workdays(region="XX", calendar=FourDayWeek(), is_rest=True).dates_from(date(2100, 12, 20)))

    assert days[-1] == date(2100, 12, 31)


def test_the_end_of_the_decrees_is_known_of_a_rule():
    assert Workdays(region="XX", calendar=FourDayWeek()).known_until == date(2027, 12, 31)


@pytest.fixture
def logged():
    lines: list[str] = []
    sink = logger.add(lambda line: lines.append(str(line)), level="WARNING")
    yield lines
    logger.remove(sink)


def test_the_log_says_once_that_days_are_not_decreed_yet(logged):
    calendar = HolidayCalendar()
    for day in (date(2089, 1, 3), date(2089, 1, 4)):
        calendar.is_workday(day, "HU")

    assert len([line for line in logged if "workdays of HU are known until" in line]) == 1
