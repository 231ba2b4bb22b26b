"""Workdays, compared with notices of the State Council and laws of other countries."""

from datetime import date, timedelta

import pytest
from loguru import logger

from services.recurrence.calendars.workdays import Workdays

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


def is_announced(day: date) -> bool:
    starts = {date.fromisoformat(first): length for first, length in OFF.items()}
    if any(first <= day < first + timedelta(days=length) for first, length in starts.items()):
        return False
    return day.weekday() < 5 or day.isoformat() in MADE_UP


def test_workdays_of_two_years_in_china_follow_the_notices():
    days = [date(2025, 1, 1) + timedelta(days=each) for each in range(730)]
    china = Workdays(region="CN")

    assert [day for day in days if china.is_workday(day) != is_announced(day)] == []


def test_country_with_holidays_by_law_is_known_without_limit():
    assert Workdays(region="DE").known_until is None


def test_country_with_decreed_workdays_is_known_until_the_last_decree():
    end = Workdays(region="CN").known_until

    assert end is not None
    assert end >= date(2026, 12, 31)
    assert (end.month, end.day) == (12, 31)


@pytest.mark.parametrize(("region", "works"), [("DE-BY", False), ("DE-BE", True), ("DE", True)])
def test_subdivision_has_its_own_holidays(region, works):
    epiphany = date(2026, 1, 6)

    assert Workdays(region=region).is_workday(epiphany) is works


@pytest.mark.parametrize("region", ["", "XX", "CHINA", "DE-ZZ", "DE-", "de", "../x"])
def test_unknown_region_is_refused(region):
    with pytest.raises(ValueError, match="no calendar knows the region"):
        Workdays(region=region).load()


class FourDayWeek(Workdays, frozen=True, kw_only=True):
    """The workdays of a country that rests from Friday to Sunday."""

    def is_workday(self, day: date) -> bool:
        return day.weekday() < 4 and self.region == "XX"


def test_each_day_is_a_workday_or_a_rest_day():
    start = date(2026, 11, 19)
    work = FourDayWeek(region="XX").dates_from(start)
    rest = FourDayWeek(region="XX", is_rest=True).dates_from(start)

    assert [next(work).day for _ in range(4)] == [19, 23, 24, 25]
    assert [next(rest).day for _ in range(4)] == [20, 21, 22, 27]


def test_a_calendar_without_workdays_ends():
    assert list(FourDayWeek(region="YY").dates_from(date(2026, 1, 1))) == []


def test_rest_days_end_with_the_calendar():
    days = list(FourDayWeek(region="XX", is_rest=True).dates_from(date(2100, 12, 20)))

    assert days[-1] == date(2100, 12, 31)


@pytest.fixture
def logged():
    lines: list[str] = []
    sink = logger.add(lambda line: lines.append(str(line)), level="WARNING")
    yield lines
    logger.remove(sink)


def test_days_without_a_decree_are_logged_once(logged):
    for day in (date(2089, 1, 3), date(2089, 1, 4)):
        Workdays(region="HU").is_workday(day)

    assert len([line for line in logged if "workdays of HU are known until" in line]) == 1
