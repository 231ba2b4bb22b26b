"""Schedules by rules of other calendars: instants, ends, exceptions and refusals."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.kernel.errors import RequestRefused
from services.recurrence.fires import check, known_until, next_after, next_fires
from services.recurrence.missed import missed_between
from services.recurrence.rules import load_calendar, parse_rule
from services.recurrence.schedule import Schedule, read_schedule

pytest.importorskip("holidays")

BEFORE = datetime(2026, 9, 29, 12, 0, tzinfo=UTC)


def schedule(rule: str, *, start: str = "2026-09-01T09:00", zone: str = "Asia/Shanghai") -> Schedule:
    return read_schedule(datetime.fromisoformat(start), zone, rule)


def local(fires) -> list[str]:
    return [fire.strftime("%m-%d %H:%M") for fire in fires]


def test_workday_reminder_skips_the_golden_week_and_fires_on_the_make_up_saturday():
    found = next_fires(schedule("WORKDAYS;REGION=CN"), BEFORE, 5)

    assert local(found) == ["09-30 09:00", "10-08 09:00", "10-09 09:00", "10-10 09:00", "10-12 09:00"]


def test_clock_time_of_the_rule_overrides_that_of_the_start():
    found = next_fires(schedule("WORKDAYS;REGION=CN;BYHOUR=8,18;BYMINUTE=30"), BEFORE, 4)

    assert local(found) == ["09-30 08:30", "09-30 18:30", "10-08 08:30", "10-08 18:30"]


def test_rest_days_are_the_days_that_are_no_workdays():
    found = next_fires(schedule("RESTDAYS;REGION=CN"), BEFORE, 8)

    assert [fire.day for fire in found] == [1, 2, 3, 4, 5, 6, 7, 11]


def test_a_lunar_reminder_fires_on_the_evening_of_the_mid_autumn_festival():
    found = next_fires(schedule("LUNAR 8-15;BYHOUR=18;BYMINUTE=0", zone="Asia/Taipei"), BEFORE, 2)

    assert [fire.isoformat() for fire in found] == ["2027-09-15T18:00:00+08:00", "2028-10-03T18:00:00+08:00"]


def test_a_count_ends_a_lunar_rule():
    counted = schedule("LUNAR 1-1;COUNT=2")

    assert [fire.year for fire in next_fires(counted, BEFORE, 5)] == [2027, 2028]


def test_an_end_ends_a_workday_rule():
    found = next_fires(schedule("WORKDAYS;REGION=CN;UNTIL=20261009"), BEFORE, 5)

    assert local(found)[-1] == "10-09 09:00"


def test_excepted_days_and_times_are_left_out():
    found = next_fires(schedule("WORKDAYS;REGION=CN;BYHOUR=9,17;EXDATE=20260930,20261008T170000"), BEFORE, 3)

    assert local(found) == ["10-08 09:00", "10-09 09:00", "10-09 17:00"]


def test_an_ordinary_rule_has_exceptions_too_and_counts_them():
    found = next_fires(schedule("FREQ=DAILY;COUNT=3;EXDATE=20260902"), datetime(2026, 8, 1, tzinfo=UTC), 9)

    assert local(found) == ["09-01 09:00", "09-03 09:00"]


def test_missed_occurrences_are_counted():
    first = next_after(schedule("WORKDAYS;REGION=CN"), BEFORE)

    assert first is not None
    latest, missed = missed_between(schedule("WORKDAYS;REGION=CN"), first, datetime(2026, 10, 12, 12, 0, tzinfo=UTC))
    assert (latest.day, missed) == (12, 4)


def test_schedule_knows_the_end_of_the_decreed_workdays():
    ends = [
        known_until(schedule(rule))
        for rule in ("WORKDAYS;REGION=CN", "WORKDAYS;REGION=DE", "WORKDAYS;REGION=XX", "LUNAR 1-1", "", "FREQ=DAILY")
    ]

    assert ends[0] is not None
    assert ends[0] >= date(2026, 12, 31)
    assert ends[1:] == [None] * 5


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("LUNAR 13-1", "rule_not_understood"),
        ("LUNAR 8-15;REGION=CN", "rule_not_understood"),
        ("LUNAR 8-15;INTERVAL=2", "rule_not_understood"),
        ("LUNAR 8-15;LUNAR 1-1", "rule_not_understood"),
        ("FREQ=DAILY;LUNAR 1-1", "rule_not_understood"),
        ("=LUNAR 1-1", "rule_not_understood"),
        ("WORKDAYS;REGION=CN;FREQ=WEEKLY", "rule_not_understood"),
        ("WORKDAYS;REGION=CN;BYDAY=MO", "rule_not_understood"),
        ("WORKDAYS", "rule_not_understood"),
        ("WORKDAYS;REGION=XX", "rule_not_understood"),
        ("FREQ=DAILY;EXDATE=tomorrow", "rule_not_understood"),
        ("FREQ=MINUTELY;INTERVAL=5;EXDATE=20261225", "rule_not_understood"),
        ("RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=15", "rule_not_understood"),
        ("LUNAR 1-1;BYSECOND=3", "rule_too_often"),
    ],
)
def test_unsupported_rule_is_refused(rule, code):
    with pytest.raises(RequestRefused) as refusal:
        load_calendar(parse_rule(rule))

    assert refusal.value.code == code


def test_refusal_of_an_unknown_region_names_it():
    with pytest.raises(RequestRefused) as refusal:
        load_calendar(parse_rule("WORKDAYS;REGION=XX"))

    assert refusal.value.fields == {"rule": "WORKDAYS;REGION=XX", "because": "no calendar knows the region 'XX'"}


def test_expired_rule_never_fires():
    with pytest.raises(RequestRefused) as refusal:
        check(schedule("LUNAR 1-1;UNTIL=20260901"), BEFORE)

    assert refusal.value.code == "rule_never_fires"


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(
        ["WORKDAYS;REGION=CN", "WORKDAYS;REGION=US-CA", "RESTDAYS;REGION=GB", "LUNAR *-1,*-15", "LUNAR 12-LAST"]
    ),
    st.sampled_from(["Asia/Shanghai", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Africa/Cairo"]),
    st.datetimes(min_value=datetime.fromisoformat("2010-01-01"), max_value=datetime.fromisoformat("2040-12-31")),
    st.integers(min_value=0, max_value=2000),
)
def test_fires_are_the_days_of_the_calendar_at_the_wall_clock(rule, zone, start, days_later):
    start = start.replace(second=0, microsecond=0, fold=0)  # of an hour that comes twice a reminder takes the first
    schedule = read_schedule(start, zone, rule)
    after = (start + timedelta(days=days_later)).replace(tzinfo=ZoneInfo(zone))
    days = parse_rule(rule).calendar

    fires = [fire.astimezone(UTC) for fire in next_fires(schedule, after, 6)]

    assert all(earlier < later for earlier, later in pairwise((after.astimezone(UTC), *fires)))
    assert days is not None
    for day in days.dates_from(after.date()):
        due = datetime.combine(day, start.time()).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        if after < due <= fires[-1]:
            assert due in fires
        elif due > fires[-1]:
            break
