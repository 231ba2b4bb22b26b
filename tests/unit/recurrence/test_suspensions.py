"""Suspensions of reminders for a period."""

from datetime import UTC, datetime, timedelta

import pytest

from services.recurrence.edits import (
    Suspension,
    can_suspend,
    is_next_suspended,
    resume_suspended,
    suspend,
    suspended_fires,
)
from services.recurrence.fires import next_fires
from services.recurrence.schedule import Schedule, mark_done, read_schedule

NOW = datetime(2026, 11, 23, 14, 30, tzinfo=UTC)
DAILY = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"


def at(rule: str, zone: str = "UTC") -> Schedule:
    return read_schedule(datetime(2026, 11, 2, 9, 0), zone, rule)


def suspension(days: float) -> Suspension:
    return Suspension(since=NOW, until=NOW + timedelta(days=days))


@pytest.mark.parametrize(
    "rule",
    [
        DAILY,
        "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0",
        "FREQ=DAILY;BYHOUR=9,13,16;BYMINUTE=0,30",
        f"{DAILY};EXDATE=20261124",
        "LUNAR 10-20;BYHOUR=9;BYMINUTE=0",
    ],
)
@pytest.mark.parametrize("days", [0.9, 3, 3.01, 40])
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland"])
def test_suspended_reminder_fires_at_all_other_times_only(rule, days, zone):
    old, while_ = at(rule, zone), suspension(days)

    new = suspend(old, while_)

    end = while_.until + timedelta(days=90)
    usual = [fire for fire in next_fires(old, NOW, 2000) if while_.until <= fire < end]
    assert [fire for fire in next_fires(new, NOW, 2000) if fire < end] == usual


def test_reminder_of_many_times_a_day_is_suspended_to_the_end():
    hours = ",".join(map(str, range(8, 20)))
    new = suspend(at(f"FREQ=MINUTELY;INTERVAL=5;BYHOUR={hours}"), suspension(30))

    assert next_fires(new, NOW, 1) == (datetime(2026, 12, 23, 14, 30, tzinfo=UTC),)


def test_suspended_reminder_is_deferred_until_resumed():
    new = suspend(at(DAILY), suspension(7))

    assert is_next_suspended(new, NOW)
    assert resume_suspended(new, NOW) == at(DAILY)


def test_coming_suspension_does_not_move_the_next_time():
    new = suspend(at(DAILY), Suspension(since=NOW + timedelta(days=7), until=NOW + timedelta(days=9)))

    assert resume_suspended(new, NOW) == at(DAILY) != new
    assert not is_next_suspended(new, NOW)


def test_follow_up_continues_after_the_suspension():
    new = suspend(at(f"{DAILY};NAG=10;NAGS=3"), suspension(1))

    assert new == at(f"{DAILY};EXDATE=20261124T090000;NAG=10;NAGS=3")


def test_done_follow_ups_stay_done_after_the_suspension():
    new = suspend(mark_done(at(f"{DAILY};NAG=10;NAGS=3"), NOW), suspension(1))

    assert new.follow_up is not None
    assert new.follow_up.done_until == NOW


def test_resuming_excludes_past_occurrences():
    old = at(f"{DAILY};EXDATE=20261110")

    assert resume_suspended(suspend(old, suspension(7)), NOW) == old


@pytest.mark.parametrize(("rule", "expected"), [(DAILY, True), ("", False), ("FREQ=MINUTELY;INTERVAL=90", False)])
def test_only_daily_rules_can_be_suspended(rule, expected):
    assert can_suspend(at(rule)) is expected


def test_suspended_occurrences_are_listed():
    assert suspended_fires(at(DAILY), suspension(2)) == (
        datetime(2026, 11, 24, 9, 0, tzinfo=UTC),
        datetime(2026, 11, 25, 9, 0, tzinfo=UTC),
    )
