"""Moves of a recurring reminder to another day or time, and lengths of a snooze."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from function_calls.functions.reminders.models import ReminderUpdateArgs
from function_calls.functions.reminders.schedule_changes import move_every_fire, new_schedule
from function_calls.functions.reminders.snooze import read_snooze_target
from services.recurrence.fires import next_fires
from services.recurrence.schedule import read_schedule, schedule_once


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


@pytest.fixture
def at_clock_change(context_of):
    """Make a context in Berlin for a message at `moment`, in UTC."""

    def make(moment):
        now = datetime.fromisoformat(moment).replace(tzinfo=UTC).astimezone(ZoneInfo("Europe/Berlin"))
        return replace(context_of(sent_at=now), now=now, zone=now.tzinfo)

    return make


CHANGES = pytest.mark.parametrize("moment", ["2026-03-29T00:55", "2026-10-25T00:55", "2026-10-25T01:30"])


@CHANGES
@pytest.mark.parametrize(("words", "minutes"), [(None, 10), ("30 minutes", 30), ("2 hours", 120)])
def test_snooze_over_a_clock_change_lasts_the_given_duration(at_clock_change, moment, words, minutes):
    context = at_clock_change(moment)

    until = read_snooze_target(words, context)

    assert until.moment.astimezone(UTC) - context.now.astimezone(UTC) == until.length == timedelta(minutes=minutes)


@CHANGES
@pytest.mark.parametrize(("words", "length"), [("30 minutes", timedelta(minutes=30)), ("2 days", timedelta(days=2))])
def test_pending_reminder_is_postponed_over_a_clock_change_by_the_given_duration(
    at_clock_change, moment, words, length
):
    context = at_clock_change(moment)
    coming = schedule_once(context.now.astimezone(UTC) + timedelta(minutes=1), "Europe/Berlin")
    (fire,) = next_fires(coming, context.now, 1)

    found = read_snooze_target(words, context).time_for(coming, fire, context.now)

    zone = fire.tzinfo if words == "2 days" else UTC
    assert found.astimezone(zone) - fire.astimezone(zone) == length


@CHANGES
@pytest.mark.parametrize("shift", ["+0:15", "+2:30"])
def test_single_reminder_is_shifted_over_a_clock_change_by_the_given_duration(at_clock_change, moment, shift):
    context = at_clock_change(moment)
    due = context.now.astimezone(UTC) + timedelta(minutes=1)

    new = new_schedule(ReminderUpdateArgs(time=shift), schedule_once(due, "Europe/Berlin"), context)

    (fire,) = next_fires(new, context.now, 1)
    hours, minutes = map(int, shift.split(":"))
    assert fire.astimezone(UTC) - due == timedelta(hours=hours, minutes=minutes)
