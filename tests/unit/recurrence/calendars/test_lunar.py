"""Lunar dates, compared with published days and the tables of another library."""

from datetime import UTC, date, datetime, timedelta
from itertools import islice, pairwise

import pytest

from services.recurrence.calendars.lunar import read_lunar


def days_of(text: str, first: date, count: int) -> list[str]:
    return [day.isoformat() for day in islice(read_lunar(text).dates_from(first), count)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Source: Hong Kong Observatory, Gregorian-lunar calendar conversion tables.
        ("LUNAR 1-1", ["2024-02-10", "2025-01-29", "2026-02-17", "2027-02-06", "2028-01-26"]),
        ("LUNAR 5-5", ["2024-06-10", "2025-05-31", "2026-06-19", "2027-06-09", "2028-05-28"]),
        ("LUNAR 8-15", ["2024-09-17", "2025-10-06", "2026-09-25", "2027-09-15", "2028-10-03"]),
        ("LUNAR 12-LAST", ["2024-02-09", "2025-01-28", "2026-02-16", "2027-02-05", "2028-01-25"]),
    ],
)
def test_festivals_fall_on_the_published_days(text, expected):
    assert days_of(text, date(2024, 1, 1), 5) == expected


def test_new_years_eve_is_the_day_before_new_year_for_a_century():
    eves = islice(read_lunar("LUNAR 12-LAST").dates_from(date(1950, 2, 16)), 120)
    new_years = islice(read_lunar("LUNAR 1-1").dates_from(date(1950, 2, 17)), 120)

    assert [day + timedelta(days=1) for day in eves] == list(new_years)


@pytest.mark.parametrize(("text", "name"), [("LUNAR 9-9", "Chung Yeung"), ("LUNAR 4-8", "Birthday of the Buddha")])
def test_other_festivals_equal_the_tables_of_another_library(text, name):
    holidays = pytest.importorskip("holidays")
    hong_kong = holidays.country_holidays("HK", years=range(2022, 2051), observed=False, language="en_HK")
    expected = sorted(day for day, called in hong_kong.items() if name in called and "following" not in called)

    found = read_lunar(text).dates_from(date(2022, 1, 1))

    assert list(islice(found, len(expected))) == expected
    assert len(expected) > 25


def test_the_first_of_every_month_counts_leap_months():
    found = days_of("LUNAR *-1", date(2025, 6, 25), 4)

    assert found == ["2025-06-25", "2025-07-25", "2025-08-23", "2025-09-22"]  # the second one begins leap month 6


def test_named_month_is_no_leap_month():
    assert days_of("LUNAR 6-1", date(2025, 1, 1), 2) == ["2025-06-25", "2026-07-14"]


def test_thirtieth_of_a_short_month_is_its_last_day():
    assert days_of("LUNAR 12-30", date(2026, 1, 1), 2) == ["2026-02-16", "2027-02-05"]


def test_several_days_are_ordered_and_unique():
    assert days_of("LUNAR *-15,8-15,1-1", date(2027, 1, 25), 3) == ["2027-02-06", "2027-02-20", "2027-03-22"]


def test_every_month_begins_29_or_30_days_after_the_one_before():
    firsts = list(islice(read_lunar("LUNAR *-1").dates_from(date(1990, 1, 1)), 1300))
    gaps = {(later - earlier).days for earlier, later in pairwise(firsts)}

    assert gaps == {29, 30}


def test_months_begin_on_the_day_of_the_new_moon_in_china():
    """Meeus, Astronomical Algorithms, chapter 49: the mean new moon is less than 15 hours from the true one."""
    epoch, month = datetime(2000, 1, 6, 14, 20, 37, tzinfo=UTC), timedelta(days=29.530588861)
    for day in islice(read_lunar("LUNAR *-1").dates_from(date(2000, 2, 1)), 500):
        noon = datetime(day.year, day.month, day.day, 4, tzinfo=UTC)
        nearest = epoch + month * round((noon - epoch) / month)
        assert abs(nearest - noon) < timedelta(hours=15 + 12)


@pytest.mark.parametrize(
    "text",
    ["LUNAR", "LUNAR ", "LUNAR 13-1", "LUNAR 0-1", "LUNAR 1-31", "LUNAR 1-0", "LUNAR 1-1,", "LUNAR 8/15", "LUNA 1-1"],
)
def test_invalid_lunar_date_is_an_error(text):
    with pytest.raises(ValueError, match="LUN"):
        read_lunar(text)


def test_the_calendar_ends_with_its_tables():
    assert list(read_lunar("LUNAR 1-1").dates_from(date(2100, 2, 10))) == []
