"""Expected occurrences for verification, compared with the scheduler."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from services.recurrence.fires import next_after
from services.recurrence.schedule import read_schedule
from services.reminders.audit.expected_fires import expected_fires

RULES = [
    "",
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3;BYHOUR=2,14;BYMINUTE=30",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU",
    "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD",
    "FREQ=MONTHLY;BYDAY=-1FR;COUNT=7",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=DAILY;UNTIL=20270401;EXDATE=20270328,20270330T023000",
    "FREQ=MINUTELY;INTERVAL=45",
    "FREQ=HOURLY;BYHOUR=1,2,3",
]


def test_daily_time_in_a_clock_gap_is_expected_an_hour_later():
    schedule = read_schedule(datetime.fromisoformat("2027-03-01T02:30"), "Europe/Berlin", "FREQ=DAILY")

    fires = expected_fires(schedule, datetime(2027, 3, 27, tzinfo=UTC), datetime(2027, 3, 29, 12, tzinfo=UTC))

    assert [fire.strftime("%d %H:%M") for fire in fires] == ["27 01:30", "28 01:30", "29 00:30"]


def test_period_includes_both_ends():
    schedule = read_schedule(datetime.fromisoformat("2027-01-01T09:00"), "UTC", "FREQ=DAILY")
    nine = datetime(2027, 1, 5, 9, tzinfo=UTC)

    assert expected_fires(schedule, nine, nine + timedelta(days=1)) == (nine, nine + timedelta(days=1))


def test_lunar_dates_are_expected():
    schedule = read_schedule(datetime.fromisoformat("2026-01-01T09:00"), "Asia/Shanghai", "LUNAR 8-15;COUNT=2")

    fires = expected_fires(schedule, datetime(2026, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC))

    assert [fire.date().isoformat() for fire in fires] == ["2026-09-25", "2027-09-15"]


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(RULES),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Shanghai", "Africa/Cairo"]),
    st.datetimes(min_value=datetime.fromisoformat("2025-06-01"), max_value=datetime.fromisoformat("2027-12-31")),
    st.integers(min_value=0, max_value=300),
    st.integers(min_value=0, max_value=8),
)
def test_expected_occurrences_equal_those_of_the_scheduler(rule, zone, start, days_later, days):
    schedule = read_schedule(start.replace(second=0, microsecond=0), zone, rule)
    since = start.replace(tzinfo=UTC) + timedelta(days=days_later)
    until = since + timedelta(days=days)
    scheduled, moment = [], next_after(schedule, since - timedelta(microseconds=1))
    while moment is not None and moment <= until:
        scheduled.append(moment)
        moment = next_after(schedule, moment)

    assert list(expected_fires(schedule, since, until)) == scheduled
