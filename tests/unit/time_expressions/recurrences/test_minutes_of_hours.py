"""Minutes of every hour, and numbers of times a day."""

import pytest

from services.time_expressions import parse


@pytest.mark.parametrize(
    ("text", "moment", "rule"),
    [
        ("every hour on the hour", "11:00", "FREQ=HOURLY"),
        ("at half past every hour", "10:30", "FREQ=HOURLY"),
        ("every hour at 15 past", "10:15", "FREQ=HOURLY"),
        ("at a quarter to every hour", "10:45", "FREQ=HOURLY"),
        ("every hour at :20", "10:20", "FREQ=HOURLY"),
        ("every 2 hours on the hour", "11:00", "FREQ=HOURLY;INTERVAL=2"),
        ("每逢整点提醒我喝水", "11:00", "FREQ=HOURLY"),
        ("每小时整点", "11:00", "FREQ=HOURLY"),
        ("每个半点", "10:30", "FREQ=HOURLY"),
        ("每小时的30分", "10:30", "FREQ=HOURLY"),
        ("工作日每小时整点", "11:00", "FREQ=HOURLY;BYDAY=MO,TU,WE,TH,FR"),
    ],
)
def test_every_hour_starts_at_the_named_minute(read, text, moment, rule):
    reading = read(text)

    assert (f"{reading.start:%H:%M}", reading.rrule) == (moment, rule)


@pytest.mark.parametrize(("text", "moment"), [("at five past the hour", "10:05"), ("at ten to the hour", "10:50")])
def test_minute_of_the_hour_is_the_next_such_time(read, text, moment):
    reading = read(text)

    assert (f"{reading.start:%H:%M}", reading.rrule) == (moment, None)


@pytest.mark.parametrize("text", ["整点报时", "on the hour", "every day on the hour"])
def test_minute_without_an_hour_is_no_time(now, text):
    assert parse(text, now).best is None


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("twice a day", "9,19"),
        ("twice daily", "9,19"),
        ("three times a day", "9,12,19"),
        ("3x daily", "9,12,19"),
        ("four times a day", "9,12,15,19"),
        ("一天三次", "9,12,19"),
        ("每日两次", "9,19"),
        ("每天吃药三次", "9,12,19"),
        ("every morning and evening", "9,19"),
        ("mornings and evenings", "9,19"),
        ("一天两次，早上八点和晚上八点", "8,20"),
        ("after every meal", "9,14,19"),
        ("每天三餐后", "9,14,19"),
        ("每天饭前", "7,10,18"),
    ],
)
def test_number_of_times_a_day_becomes_parts_of_the_day(read, text, hours):
    assert read(text).rrule == f"FREQ=DAILY;BYHOUR={hours};BYMINUTE=0"


@pytest.mark.parametrize("text", ["five times a day", "twice a week", "一天十次", "饭后", "after meals"])
def test_count_without_a_time_is_no_time(now, text):
    assert parse(text, now).best is None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("every 2-3 hours", "FREQ=HOURLY;INTERVAL=2"),
        ("every 20 to 30 minutes", "FREQ=MINUTELY;INTERVAL=20"),
        ("每两三个小时", "FREQ=HOURLY;INTERVAL=2"),
    ],
)
def test_approximate_period_is_the_shorter_one(read, text, rule):
    assert read(text).rrule == rule
