"""Clock times of other places. It is Friday 20 November 2026, 10:00 in London."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from services.time_expressions import parse


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("at 9pm tokyo time", "2026-11-20 12:00"),
        ("tomorrow at 9am Tokyo time", "2026-11-21 00:00"),
        ("saturday 11:30 am US Central time", "2026-11-21 17:30"),
        ("9am tomorrow new york time", "2026-11-21 14:00"),
        ("5pm PST", "2026-11-21 01:00"),
        ("at 5 pm eastern", "2026-11-20 17:00"),
        ("at 5 pm eastern time", "2026-11-20 22:00"),
        ("monday 10:30 am ET", "2026-11-23 15:30"),
        ("17:00 UTC+2", "2026-11-20 15:00"),
        ("tomorrow 9:30am gmt+5:30", "2026-11-21 04:00"),
        ("at 6pm UTC-3", "2026-11-20 21:00"),
        ("half past eight pm singapore time", "2026-11-20 12:30"),
        ("明天北京时间下午3点", "2026-11-21 07:00"),
        ("東京時間明天早上九點", "2026-11-21 00:00"),
        ("美东时间今晚八点", "2026-11-21 01:00"),
        ("明天下午三点UTC+8", "2026-11-21 07:00"),
    ],
)
def test_clock_time_of_another_place_is_converted(read, text, start):
    assert f"{read(text).start:%Y-%m-%d %H:%M}" == start


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("mañana a las 18 UTC", "2026-11-21 18:00"),
        ("mañana a las 9 de la mañana hora de Madrid", "2026-11-21 08:00"),
        ("mañana a las 9 de la mañana, hora colombiana", "2026-11-21 14:00"),
        ("mañana a las 20:30 (hora de Buenos Aires)", "2026-11-21 23:30"),
        ("mañana a las 5 de la tarde en Madrid", "2026-11-21 17:00"),
        ("mañana a la hora de comer", "2026-11-21 12:00"),
    ],
)
def test_spanish_clock_time_of_another_place_is_converted(read, text, start):
    assert f"{read(text, language='es').start:%Y-%m-%d %H:%M}" == start


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("every day at 9pm tokyo time", "FREQ=DAILY;BYHOUR=12;BYMINUTE=0"),
        ("every monday at 11pm new york time", "FREQ=WEEKLY;BYDAY=TU;BYHOUR=4;BYMINUTE=0"),
        ("每周五北京时间早上六点", "FREQ=WEEKLY;BYDAY=TH;BYHOUR=22;BYMINUTE=0"),
        ("first day of every month at 6pm berlin time", "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=17;BYMINUTE=0"),
    ],
)
def test_days_of_a_repetition_in_another_zone_are_converted(read, text, rule):
    assert read(text).rrule == rule


def test_recurrence_on_inconvertible_days_is_no_rule(now):
    assert parse("first day of every month at 6am tokyo time", now).best is None


def test_name_of_the_place_belongs_to_the_time(read):
    text = "remind me at 9pm tokyo time to call Aiko"

    reading = read(text)

    assert ([text[start:end] for start, end in reading.spans], reading.zone) == (["at 9pm tokyo time"], "Asia/Tokyo")


@pytest.mark.parametrize("text", ["call the tokyo office", "the ist of it", "东京真好玩", "we are on UTC"])
def test_a_place_alone_is_no_time(now, text):
    assert parse(text, now).best is None


def test_day_is_that_of_the_other_place():
    night = datetime(2026, 11, 20, 23, 0, tzinfo=ZoneInfo("Europe/London"))

    reading = parse("today at 3pm tokyo time", night).best

    assert f"{reading.start:%Y-%m-%d %H:%M}" == "2026-11-21 06:00"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-25T10:00:00+01:00", "25 09:00"),
        ("2026-11-25T10:00:00-05:00", "25 15:00"),
        ("2026-11-25T10:00+0800", "25 02:00"),
        ("2026-11-25T10:00:00.000Z", "25 10:00"),
        ("2026-11-25 10:00:00 +02:00", "25 08:00"),
        ("2026-11-25T23:00-05", "26 04:00"),
        ("在2026-11-25T10:00:00+08:00开会", "25 02:00"),
    ],
)
def test_offset_of_a_timestamp_is_applied(read, text, moment):
    assert f"{read(text).start:%d %H:%M}" == moment


def test_two_clock_times_with_a_dash_are_no_offset(read):
    reading = read("tomorrow 10:00-11:30")

    assert (f"{reading.start:%H:%M}", f"{reading.end:%H:%M}") == ("10:00", "11:30")
