"""Reminders that are repeated until they are done."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_after, next_fires
from services.recurrence.schedule import FollowUp, Schedule, mark_done, read_schedule, rule_text
from services.reminders.audit.expected_fires import expected_fires

START = datetime(2026, 11, 20, 17, 0)
FIVE = datetime(2026, 11, 20, 17, 0, tzinfo=UTC)


def reminder_until_done(rule: str = "", *, minutes: int = 10, times: int = 3) -> Schedule:
    return replace(read_schedule(START, "UTC", rule), follow_up=FollowUp(every=timedelta(minutes=minutes), times=times))


def clocks(schedule: Schedule, after: datetime) -> list[str]:
    return [f"{fire:%d %H:%M}" for fire in next_fires(schedule, after, 6)]


def test_once_reminder_is_repeated_and_then_ends():
    assert clocks(reminder_until_done(), FIVE - timedelta(hours=1)) == ["20 17:00", "20 17:10", "20 17:20", "20 17:30"]


def test_daily_reminder_is_repeated_each_day():
    assert clocks(reminder_until_done("FREQ=DAILY", times=1), FIVE) == [
        "20 17:10",
        "21 17:00",
        "21 17:10",
        "22 17:00",
        "22 17:10",
        "23 17:00",
    ]


def test_follow_ups_end_at_the_next_occurrence():
    schedule = reminder_until_done("FREQ=DAILY;BYHOUR=17;BYMINUTE=0,15", minutes=10, times=5)

    assert clocks(schedule, FIVE)[:3] == ["20 17:10", "20 17:15", "20 17:25"]


def test_done_reminder_is_not_repeated_until_its_next_time():
    schedule = reminder_until_done("FREQ=DAILY")
    done = mark_done(schedule, FIVE + timedelta(minutes=5))

    assert clocks(done, FIVE + timedelta(minutes=5))[0] == "21 17:00"
    assert clocks(done, FIVE + timedelta(days=1))[0] == "21 17:10"


def test_done_daily_reminder_is_sent_the_next_day():
    done = mark_done(mark_done(reminder_until_done("FREQ=DAILY"), FIVE), FIVE + timedelta(days=1))

    assert rule_text(done) == "FREQ=DAILY;NAG=10;NAGS=3;NAGAFTER=20261121T170000Z"


@pytest.mark.parametrize("rule", ["", "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"])
def test_text_of_a_schedule_is_parsed_as_the_same_schedule(rule: str):
    schedule = mark_done(reminder_until_done(rule), FIVE)

    assert read_schedule(START, "UTC", rule_text(schedule)) == schedule


def test_second_of_two_equal_wall_times_is_kept_with_follow_ups():
    start, text = datetime(2026, 10, 25, 2, 30, fold=1), rule_text(reminder_until_done())

    assert read_schedule(start, "Europe/Berlin", text).start.fold == 1


@pytest.mark.parametrize(
    "rule", ["FREQ=MINUTELY;INTERVAL=5;NAG=1;NAGS=3", "FREQ=DAILY;NAG=10", "FREQ=DAILY;NAG=0;NAGS=3", "NAG=10;NAGS=3"]
)
def test_invalid_repeats_are_refused(rule: str):
    with pytest.raises(RequestRefused, match="rule_not_understood"):
        next_after(read_schedule(START, "UTC", rule), FIVE)


@settings(deadline=None)
@given(
    base=st.sampled_from(
        ["", "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0", "WORKDAYS;REGION=DE"]
    ),
    minutes=st.integers(1, 300),
    times=st.integers(1, 12),
    done=st.none() | st.integers(-500, 5000),
    zone=st.sampled_from(["UTC", "Europe/Berlin", "America/New_York"]),
)
def test_verification_expects_repeats_like_the_scheduler(base, minutes, times, done, zone):
    schedule = replace(reminder_until_done(base, minutes=minutes, times=times), zone=zone)
    schedule = schedule if done is None else mark_done(schedule, FIVE + timedelta(minutes=done))
    since, until = FIVE - timedelta(days=1), FIVE + timedelta(days=3)

    fires = [fire.astimezone(UTC) for fire in next_fires(schedule, since, 200) if fire <= until]

    assert list(expected_fires(schedule, since + timedelta(microseconds=1), until)) == fires
