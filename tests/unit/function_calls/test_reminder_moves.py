"""Moves of a recurring reminder to another day or time."""

from datetime import datetime

import pytest

from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.functions.reminders.schedule_changes import move_every_fire
from services.recurrence.fires import next_fires
from services.recurrence.schedule import read_schedule


@pytest.mark.parametrize(
    ("rule", "time", "next_two"),
    [
        ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "2026-11-21 16:00", ["11-20 16:00", "11-21 16:00"]),
        ("FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", "2026-11-24", ["11-24 09:00", "12-01 09:00"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0", "2026-11-25", ["11-25 09:00", "12-09 09:00"]),
        ("FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0", "2026-12-03 10:00", ["12-03 10:00", "01-03 10:00"]),
    ],
)
def test_all_times_of_a_day_are_moved_like_the_next_one(context_of, rule, time, next_two):
    old = read_schedule(datetime(2026, 11, 2, 9, 0), "UTC", rule)

    new = move_every_fire(ReminderUpdateArgs(time=time), old, context_of())

    assert new is not None
    assert [f"{fire:%m-%d %H:%M}" for fire in next_fires(new, context_of().now, 2)] == next_two


def test_a_rule_of_several_days_cannot_be_moved_to_one(context_of):
    old = read_schedule(datetime(2026, 11, 2, 9, 0), "UTC", "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0")

    assert move_every_fire(ReminderUpdateArgs(time="2026-11-24"), old, context_of()) is None
