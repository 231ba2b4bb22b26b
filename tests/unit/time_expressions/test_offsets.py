"""Times counted from now or from another time."""

from datetime import timedelta

import pytest


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("in 10 seconds", timedelta(seconds=10)),
        ("in 2 hours", timedelta(hours=2)),
        ("in half an hour", timedelta(minutes=30)),
        ("in an hour and a half", timedelta(minutes=90)),
        ("in three-quarters of an hour", timedelta(minutes=45)),
        ("in three hours' time", timedelta(hours=3)),
        ("in an hour and a quarter", timedelta(minutes=75)),
        ("in a couple of minutes", timedelta(minutes=2)),
        ("5 minutes from now", timedelta(minutes=5)),
        ("+1 day 2 hours", timedelta(days=1, hours=2)),
        ("in a day", timedelta(days=1)),
        ("set a timer for 1 hour and 30 seconds", timedelta(hours=1, seconds=30)),
        ("open the door in 5 minutes", timedelta(minutes=5)),
        ("10秒后", timedelta(seconds=10)),
        ("半小时之内", timedelta(minutes=30)),
        ("一个半小时后", timedelta(minutes=90)),
        ("两个小时后", timedelta(hours=2)),
        ("1个小时15分30秒后", timedelta(hours=1, minutes=15, seconds=30)),
        ("一天后", timedelta(days=1)),
        ("计时器10分钟", timedelta(minutes=10)),
        ("三刻钟后", timedelta(minutes=45)),
        ("过俩小时", timedelta(hours=2)),
        ("十来分钟后", timedelta(minutes=10)),
        ("九十一分钟后", timedelta(minutes=91)),
        ("一年后的今天", timedelta(days=365)),
        ("in 2 1/2 hours", timedelta(minutes=150)),
        ("in 1½ hours", timedelta(minutes=90)),
        ("in a hundred days", timedelta(days=100)),
        ("in a quarter hour", timedelta(minutes=15)),
        ("半个多小时后", timedelta(minutes=30)),
        ("定时一个小时三十秒", timedelta(hours=1, seconds=30)),
        ("in less than an hour", timedelta(hours=1)),
        ("this time tomorrow", timedelta(days=1)),
        ("明天这个时候", timedelta(days=1)),
        ("個半鐘後", timedelta(minutes=90)),
        ("一百分钟后", timedelta(minutes=100)),
        ("timer: 1 hr 30", timedelta(minutes=90)),
        ("remind me in one minute", timedelta(minutes=1)),
        ("两个半钟后", timedelta(minutes=150)),
        ("四个半钟头之后", timedelta(minutes=270)),
        ("满两个半小时后", timedelta(minutes=150)),
        ("2h45min后", timedelta(minutes=165)),
        ("等兩個字", timedelta(minutes=10)),
    ],
)
def test_duration_is_counted_from_now(read, now, text, delta):
    reading = read(text)

    assert reading.start == now + delta
    assert reading.has_clock


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("in 20 to 30 minutes", timedelta(minutes=20)),
        ("in 20-30 minutes", timedelta(minutes=20)),
        ("in 2 or 3 hours", timedelta(hours=2)),
        ("in half an hour to an hour", timedelta(minutes=30)),
        ("20到30分钟后", timedelta(minutes=20)),
        ("两三个小时后", timedelta(hours=2)),
        ("三五天后", timedelta(days=3)),
        ("二三十分钟后", timedelta(minutes=20)),
        ("十五六分钟后", timedelta(minutes=15)),
    ],
)
def test_lower_end_of_an_approximate_duration_is_used(read, now, text, delta):
    assert read(text).start == now + delta


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a week from tomorrow at noon", "2026-11-28 12:00"),
        ("2 days after next friday", "2026-11-29 09:00"),
        ("one hour before tuesday", "2026-11-23 23:00"),
        ("two weeks from january 15", "2027-01-29 09:00"),
        ("in 7 days at 5pm", "2026-11-27 17:00"),
        ("three months from now", "2027-02-20 10:00"),
        ("三天后下午三点", "2026-11-23 15:00"),
        ("the tuesday after christmas at 5pm", "2026-12-29 17:00"),
        ("国庆节前的周五晚上九点半", "2027-09-24 21:30"),
    ],
)
def test_duration_is_counted_from_another_time(read, text, start):
    assert f"{read(text).start:%Y-%m-%d %H:%M}" == start


def test_bare_duration_in_a_sentence_is_no_time(now):
    from services.time_expressions import parse

    assert parse("i waited 2 hours for you", now).best is None


def test_bare_duration_is_an_offset_on_request(read, now):
    assert read("snooze my alarm for 10 minutes", eager=True).start == now + timedelta(minutes=10)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("in 3 working days", "2026-11-25 10:00"),
        ("two business days from now", "2026-11-24 10:00"),
        ("in 2 business days at 5pm", "2026-11-24 17:00"),
        ("三个工作日后上午九点", "2026-11-25 09:00"),
        ("5个工作日内", "2026-11-27 10:00"),
        ("two business days before christmas", "2026-12-23 09:00"),
    ],
)
def test_working_days_exclude_the_weekend(read, text, start):
    assert f"{read(text).start:%Y-%m-%d %H:%M}" == start


def test_hours_and_minutes_in_one_number_after_in_are_a_duration(read):
    assert read("remind me in 2h30 to move the car").start.strftime("%H:%M") == "12:30"
    assert read("at 14h30").start.strftime("%H:%M") == "14:30"
