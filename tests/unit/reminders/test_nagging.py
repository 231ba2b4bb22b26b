"""Reminders that come again until they are done."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.kernel.errors import RequestRefused
from services.recurrence.fires import next_after, next_fires
from services.recurrence.follow_up import mark_done, with_follow_up, without_follow_up
from services.recurrence.schedule import Schedule
from services.reminders.audit.expected import expected_fires

START = datetime(2026, 11, 20, 17, 0)
FIVE = datetime(2026, 11, 20, 17, 0, tzinfo=UTC)


def nagging(rule: str = "", *, minutes: int = 10, times: int = 3) -> Schedule:
    return Schedule(start=START, zone="UTC", rule=with_follow_up(rule, minutes=minutes, times=times))


def clocks(schedule: Schedule, after: datetime) -> list[str]:
    return [f"{fire:%d %H:%M}" for fire in next_fires(schedule, after, 6)]


def test_a_once_reminder_comes_again_and_then_ends():
    assert clocks(nagging(), FIVE - timedelta(hours=1)) == ["20 17:00", "20 17:10", "20 17:20", "20 17:30"]


def test_a_daily_one_is_repeated_each_day():
    assert clocks(nagging("FREQ=DAILY", times=1), FIVE) == [
        "20 17:10",
        "21 17:00",
        "21 17:10",
        "22 17:00",
        "22 17:10",
        "23 17:00",
    ]


def test_repeats_end_where_the_next_fire_comes():
    schedule = nagging("FREQ=DAILY;BYHOUR=17;BYMINUTE=0,15", minutes=10, times=5)

    assert clocks(schedule, FIVE)[:3] == ["20 17:10", "20 17:15", "20 17:25"]


def test_what_is_done_is_not_repeated_and_comes_at_its_next_time():
    schedule = nagging("FREQ=DAILY")
    done = Schedule(start=START, zone="UTC", rule=mark_done(schedule.rule, FIVE + timedelta(minutes=5)))

    assert clocks(done, FIVE + timedelta(minutes=5))[0] == "21 17:00"
    assert clocks(done, FIVE + timedelta(days=1))[0] == "21 17:10"


def test_done_is_said_again_the_next_day():
    rule = mark_done(mark_done(nagging("FREQ=DAILY").rule, FIVE), FIVE + timedelta(days=1))

    assert rule.count("NAGAFTER") == 1


@pytest.mark.parametrize("rule", ["", "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"])
def test_without_its_repeats_a_rule_is_what_it_was(rule: str):
    assert without_follow_up(mark_done(with_follow_up(rule, minutes=5, times=2), FIVE)) == rule


@pytest.mark.parametrize(
    "rule", ["FREQ=MINUTELY;INTERVAL=5;NAG=1;NAGS=3", "FREQ=DAILY;NAG=10", "FREQ=DAILY;NAG=0;NAGS=3", "NAG=10;NAGS=3"]
)
def test_repeats_that_make_no_sense_are_refused(rule: str):
    with pytest.raises(RequestRefused, match="rule_not_understood"):
        next_after(Schedule(start=START, zone="UTC", rule=rule), FIVE)


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
def test_verification_reads_repeats_as_the_scheduler_does(base, minutes, times, done, zone):
    rule = with_follow_up(base, minutes=minutes, times=times)
    rule = rule if done is None else mark_done(rule, FIVE + timedelta(minutes=done))
    schedule = Schedule(start=START, zone=zone, rule=rule)
    since, until = FIVE - timedelta(days=1), FIVE + timedelta(days=3)

    fires = [fire.astimezone(UTC) for fire in next_fires(schedule, since, 200) if fire <= until]

    assert list(expected_fires(schedule, since + timedelta(microseconds=1), until)) == fires
