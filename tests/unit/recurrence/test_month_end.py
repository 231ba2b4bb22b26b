"""Monthly rules by a day that shorter months lack."""

from datetime import UTC, datetime

import pytest

from services.recurrence.edits import clamp_to_month_end
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule, read_schedule

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


def berlin_schedule(rule: str, first: str) -> Schedule:
    return read_schedule(datetime.fromisoformat(first), "Europe/Berlin", rule)


@pytest.mark.parametrize(
    ("rule", "first", "days"),
    [
        ("FREQ=MONTHLY;BYMONTHDAY=31", "2026-12-31T10:00", ["11-30", "12-31", "01-31", "02-28"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31", "2027-03-31T10:00", ["03-31", "04-30", "05-31", "06-30"]),
        ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=31", "2026-12-31T10:00", ["12-31", "02-28", "04-30", "06-30"]),
        ("FREQ=MONTHLY;BYMONTHDAY=1,29", "2026-11-29T10:00", ["11-29", "12-01", "12-29", "01-01"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2028-02-29T10:00", ["02-28", "02-29", "02-28", "02-28"]),
    ],
)
def test_missing_day_of_a_month_is_its_last_day(rule: str, first: str, days: list[str]):
    schedule = clamp_to_month_end(berlin_schedule(rule, first), NOW)

    assert [f"{fire:%m-%d}" for fire in next_fires(schedule, NOW, 4)] == days


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "FREQ=MONTHLY",
        "FREQ=MONTHLY;BYMONTHDAY=28",
        "FREQ=MONTHLY;BYMONTHDAY=-1",
        "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=OMIT",
        "FREQ=MONTHLY;BYDAY=MO;BYMONTHDAY=29",
        "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=31",
        "LUNAR 1-30",
    ],
)
def test_other_schedules_are_unchanged(rule: str):
    schedule = berlin_schedule(rule, "2026-12-31T10:00")

    assert clamp_to_month_end(schedule, NOW) == schedule
