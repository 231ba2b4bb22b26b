"""The start of the period of a regular digest."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from services.recurrence.fires import previous_fire
from services.recurrence.schedule import Schedule, read_schedule

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("rule", "due", "before"),
    [
        ("FREQ=DAILY;BYHOUR=18;BYMINUTE=0", "2026-11-20T18:00", "2026-11-19T18:00"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=18;BYMINUTE=0", "2026-11-23T18:00", "2026-11-20T18:00"),
        ("FREQ=WEEKLY;BYDAY=FR;BYHOUR=18;BYMINUTE=0", "2026-11-20T18:00", "2026-11-13T18:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0", "2026-11-01T09:00", "2026-10-01T09:00"),
        ("FREQ=DAILY;BYHOUR=18;BYMINUTE=0", "2026-10-25T18:00", "2026-10-24T18:00"),
        ("FREQ=HOURLY;INTERVAL=1", "2026-11-20T18:00", "2026-11-20T17:00"),
        ("FREQ=MINUTELY;BYHOUR=8,9,10,11,12,13,14,15,16,17", "2026-11-20T08:00", "2026-11-19T17:59"),
    ],
)
def test_previous_fire_is_found(rule, due, before):
    schedule = read_schedule(datetime(2026, 1, 1, 18, 0), "Europe/Berlin", rule)

    found = previous_fire(schedule, datetime.fromisoformat(due).replace(tzinfo=BERLIN))

    assert found == datetime.fromisoformat(before).replace(tzinfo=BERLIN)


def test_first_or_only_occurrence_has_no_previous_one():
    start = datetime(2026, 11, 20, 18, 0)
    due = start.replace(tzinfo=BERLIN)
    daily = "FREQ=DAILY;BYHOUR=18;BYMINUTE=0"

    assert previous_fire(Schedule(start=start, zone="Europe/Berlin"), due) is None
    assert previous_fire(read_schedule(start, "Europe/Berlin", daily), due) is None
