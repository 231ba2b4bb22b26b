"""Leads such as "two days before", which are separate from the time beside them."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from services.time_expressions import parse, parse_all


def spans_of(text: str, now: datetime) -> list[str]:
    """Return the words of each time in `text`, those of one time joined by bars."""
    found = (each.readings or each.past for each in parse_all(text, now))
    return ["|".join(text[start:end] for start, end in readings[0].spans) for readings in found]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("on 27 November at 5pm, two days before", ["on 27 November at 5pm"]),
        ("visa appointment 2 dec 8am, 2 days ahead and 2 hours before", ["2 dec 8am"]),
        ("inspection June 9 8 AM, one week prior for everyone", ["June 9 8 AM"]),
        ("the meeting on monday at 5pm, 2 weeks before please", ["on monday at 5pm"]),
        ("on 5 december at 5pm, 2h before", ["on 5 december at 5pm"]),
        ("the flight is at 6am on 5 december, three hours early", ["at 6am on 5 december"]),
        ("in 10 minutes before i forget", ["in 10 minutes"]),
        ("4月10号交，提前三天上午9点提醒我们", ["4月10号", "上午9点"]),
        ("周五下午三点开会，提早两天早上九点叫我", ["周五下午三点", "早上九点"]),
    ],
)
def test_duration_without_in_is_not_added_to_a_clock_time(now, text, times):
    assert spans_of(text, now) == times


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("in two days at 5pm", "22 17:00"),
        ("call bob at 5, in two days", "22 17:00"),
        ("2 days 5pm", "22 17:00"),
        ("三天后上午9点", "23 09:00"),
        ("推迟三天上午9点", "23 09:00"),
    ],
)
def test_duration_from_now_is_combined_with_a_clock_time(read, text, start):
    assert f"{read(text).start:%d %H:%M}" == start


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("dentist on 27 November, remind me two days before at 9am", ["on 27 November", "at 9am"]),
        ("football is every friday, the day before at 6pm", ["every friday", "at 6pm"]),
        ("mum comes on sunday so warn matt the night before at 8", ["on sunday", "at 8"]),
        ("tues 2pm, the day before remember the shepherd's towel", ["tues 2pm"]),
    ],
)
def test_clock_time_after_a_lead_is_another_time(now, text, times):
    assert spans_of(text, now) == times


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("考试24号上午，一天前提醒大家带口罩", ["24号上午", "一天前"]),
        ("决赛下周六下午两点，两天前背资料", ["下周六下午两点", "两天前"]),
        ("年会1月6号14:00，四十分钟前叫我", ["1月6号14:00", "四十分钟前"]),
    ],
)
def test_days_ahead_are_not_added_to_the_clock_of_the_event(now, text, times):
    assert spans_of(text, now) == times


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("2 days before 27 November", "11-25"),
        ("the week before christmas", "12-18"),
        ("the night before christmas", "12-24"),
        ("an hour before dinner tomorrow", "11-21"),
        ("in the morning before 8", "11-21"),
        ("元旦前三天", "12-29"),
    ],
)
def test_duration_before_a_time_is_subtracted(read, text, start):
    assert f"{read(text).start:%m-%d}" == start


def test_chinese_day_before_has_its_clock_time(now):
    assert spans_of("12月3号我生日，前一天晚上八点提醒我订蛋糕", now) == ["12月3号", "一天晚上八点"]


def test_repetition_and_date_around_a_lead_are_one_time(now):
    [found] = parse_all("Ellie's birthday is 12 June, remind me a week before every year", now)

    assert found.best.rrule == "FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=12"


@pytest.mark.parametrize(
    "text",
    ["5月3号开会，当天下午两点半提醒我", "5月3号开会，同一天下午两点半提醒我", "5月3号當天下午兩點半提醒我"],
)
def test_same_day_refers_to_the_named_day(text):
    now = datetime(2026, 4, 1, 10, 0, tzinfo=ZoneInfo("Asia/Shanghai"))

    assert str(parse(text, now).best.start)[:16] == "2026-05-03 14:30"


@pytest.mark.parametrize("text", ["同一天下午两点半", "当天下午两点半", "改到同一天下午两点半"])
def test_same_day_without_a_named_day_leaves_a_clock_time(now, text):
    best = parse(text, now).best

    assert (best.start.hour, best.start.minute, best.has_day) == (14, 30, False)
    assert text[slice(*best.spans[0])] == "下午两点半"
