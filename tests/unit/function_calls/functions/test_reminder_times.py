"""Schedules from the time arguments of a reminder."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from function_calls.models import ReminderArgs
from function_calls.understanding.reminder_times import schedule_from
from services.kernel.errors import RequestRefused
from services.time_expressions import TimeReader

BERLIN = ZoneInfo("Europe/Berlin")
FRIDAY_TEN = datetime(2026, 11, 20, 10, 0, tzinfo=BERLIN)


def schedule(kind, time, **more):
    arguments = ReminderArgs(type=kind, time=time, content="tea", **more)
    return schedule_from(arguments, now=FRIDAY_TEN.astimezone(UTC), zone=BERLIN, language="en", times=TimeReader())


def test_single_reminder_is_at_a_wall_clock_time_of_the_person():
    found = schedule("once", "2026-11-21 08:30")

    assert (found.start, found.zone, found.rule) == (datetime(2026, 11, 21, 8, 30), "Europe/Berlin", None)


def test_seconds_may_be_named():
    assert schedule("once", "2026-11-20 10:00:10").start == datetime(2026, 11, 20, 10, 0, 10)


def test_time_in_words_is_parsed():
    assert schedule("once", "tomorrow at 8:30").start == datetime(2026, 11, 21, 8, 30)


def test_repetition_in_words_becomes_a_rule():
    assert str(schedule("once", "every day at 7am").rule) == "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"


@pytest.mark.parametrize(("clock", "day"), [("10:01", 20), ("10:00", 21), ("09:59", 21), ("00:00", 21)])
def test_a_daily_reminder_starts_at_its_next_clock_and_never_now(clock, day):
    found = schedule("daily", clock)

    assert found.start.day == day
    assert str(found.rule).startswith("FREQ=DAILY;BYHOUR=")


@pytest.mark.parametrize(
    ("weekday", "clock", "day"), [(4, "10:30", 20), (4, "09:00", 27), (0, "09:00", 23), (3, "09:00", 26)]
)
def test_a_weekly_reminder_starts_on_the_next_such_day(weekday, clock, day):
    assert schedule("weekly", clock, weekday=weekday).start.day == day


def test_a_weekly_rule_names_its_day():
    assert str(schedule("weekly", "09:00", weekday=0).rule) == "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"


def test_weekly_without_a_day_is_refused():
    with pytest.raises(RequestRefused) as error:
        schedule("weekly", "09:00")

    assert error.value.code == "weekday_missing"


@pytest.mark.parametrize(
    "time", ["soonish maybe", "2026-13-01 10:00", "2026-02-30 10:00", "0001-01-01 00:00", "9999-12-31 23:59"]
)
def test_meaningless_time_is_refused_with_its_text(time):
    with pytest.raises(RequestRefused) as error:
        schedule("once", time)

    assert error.value.code == "time_not_understood"
    assert error.value.fields["time"] == time


def test_first_occurrence_of_a_rule_is_read_from_the_time():
    found = schedule("once", "2026-11-30 09:00", rrule="RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0")

    assert found.start == datetime(2026, 11, 30, 9, 0)
    assert str(found.rule) == "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0"
