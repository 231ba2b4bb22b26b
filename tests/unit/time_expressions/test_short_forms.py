"""Short forms of clock times and days in everyday language."""

import pytest

from services.time_expressions import parse


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("明早8叫我", "21 08:00"),
        ("今晚9", "20 21:00"),
        ("晚9叫我", "20 21:00"),
        ("周五晚8开会", "20 20:00"),
        ("明天早7:30", "21 07:30"),
        ("次日早上八点", "21 08:00"),
        ("第二天早上", "21 09:00"),
        ("后半夜", "21 02:00"),
        ("今晚后半夜三点", "21 03:00"),
        ("明天后半夜两点", "22 02:00"),
        ("前半夜", "20 21:00"),
        ("quarter til 5", "20 16:45"),
        ("monday 915", "23 09:15"),
        ("on thurs 245", "26 14:45"),
        ("ten 'til nine", "20 20:50"),
        ("tomorrow week", "28 09:00"),
        ("in two fridays", "04 09:00"),
        ("in 1:30 hours", "20 11:30"),
        ("差10分钟8点", "20 19:50"),
        ("还有十分钟到八点", "20 19:50"),
        ("两个来小时后", "20 12:00"),
        ("一小时左右后", "20 11:00"),
        ("元月1号", "01 09:00"),
        ("下下下周一", "07 09:00"),
        ("国庆第三天", "03 09:00"),
        ("五一假期第二天早上", "02 09:00"),
        ("tomorrow, 21 november", "21 09:00"),
        ("in an hour and half", "20 11:30"),
        ("in one and half hour", "20 11:30"),
        ("in two and three quarters hours", "20 12:45"),
        ("in one and a quarter of an hour", "20 11:15"),
        ("mid-day tomorrow", "21 12:00"),
        ("within the hour", "20 11:00"),
        ("same time tomorrow", "21 10:00"),
        ("下周同一时间", "27 10:00"),
        ("3-ish tomorrow", "21 15:00"),
        ("at nineish", "21 09:00"),
        ("tomorrow eve", "21 19:00"),
        ("around dinner", "20 19:00"),
        ("please 18th", "18 09:00"),
        ("5/31谢谢", "31 09:00"),
        ("the third business day of the month", "03 09:00"),
        ("初一早上八点", "09 08:00"),
        ("third tuesday after christmas", "12 09:00"),
        ("apr 30, nine in the morning", "30 09:00"),
        ("quarter to 12am on friday", "20 23:45"),
        ("第三天上午", "22 10:00"),
        ("2morrow at 3", "21 15:00"),
        ("2nite at 8", "20 20:00"),
        ("tomorrow nite", "21 21:00"),
        ("1500h tomorrow", "21 15:00"),
        ("mid next week", "25 09:00"),
        ("下周中", "25 09:00"),
        ("下个月中", "15 09:00"),
        ("明天下午三四点", "21 15:00"),
        ("七八点", "20 19:00"),
        ("first business day after christmas", "28 09:00"),
        ("国庆节后的第一个工作日", "04 09:00"),
        ("五一后第一个工作日", "03 09:00"),
        ("thurs 3-4:30pm", "26 15:00"),
        ("tomorrow at 7h", "21 07:00"),
        ("今晚安排聚餐", "20 19:00"),
        ("明早就出发", "21 09:00"),
        ("明天才有空", "21 09:00"),
        ("明天中午休息时", "21 12:00"),
        ("下周报名", "23 09:00"),
        ("12月5日报名", "05 09:00"),
        ("明天晚上好好睡觉", "21 19:00"),
        ("明晚饭局八点", "21 20:00"),
        ("下午两点说明会", "20 14:00"),
        ("下午一点小王来", "20 13:00"),
        ("明天有三点的课", "21 15:00"),
        ("下个月8号门诊复查", "08 09:00"),
        ("六点二十分之前", "20 18:20"),
        ("一时三十分开会", "20 13:30"),
        ("七点一起吃饭", "20 19:00"),
        ("9点05开会", "21 09:05"),
        ("今天午休后", "20 14:00"),
        ("今晚一起吃饭", "20 19:00"),
        ("明早一定要去", "21 09:00"),
        ("周五点外卖", "27 09:00"),
        ("周五晚一起吃饭", "20 19:00"),
        ("明天底薪谈判", "21 09:00"),
        ("下周三个快递", "23 09:00"),
        ("三天后面试", "23 10:00"),
        ("半小时后排队", "20 10:30"),
        ("下周年会", "23 09:00"),
        ("八点半年会", "20 20:30"),
        ("八点半夜班", "20 20:30"),
        ("下周日程安排", "23 09:00"),
        ("at 5 a friend calls", "20 17:00"),
        ("at 7:15a", "21 07:15"),
        ("tomorrow at 9 two eggs", "21 09:00"),
        ("on friday second dose", "27 09:00"),
        ("tomorrow 3-2 win", "21 09:00"),
        ("tomorrow christmas tree", "21 09:00"),
        ("on the 15th time sheet", "15 09:00"),
        ("friday the thirteenth", "13 09:00"),
        ("by end of day thursday", "26 23:59"),
        ("by the end of monday", "23 23:59"),
    ],
)
def test_a_short_form_is_a_time(read, text, moment):
    reading = read(text)

    assert f"{reading.start:%d %H:%M}" == moment
    assert reading.rrule is None


@pytest.mark.parametrize(("text", "hours"), [("每天早8晚9", "8,21"), ("每天早九晚六", "9,18")])
def test_early_and_late_hours_are_clock_times_of_one_rule(read, text, hours):
    assert read(text).rrule == f"FREQ=DAILY;BYHOUR={hours};BYMINUTE=0"


@pytest.mark.parametrize("text", ["朝九晚五", "早三天", "他晚三站下车", "晚3个小时", "2015-2018"])
def test_early_or_late_by_a_number_is_no_clock_time(now, text):
    assert parse(text, now).best is None


@pytest.mark.parametrize("text", ["明早8个人", "明早30分钟"])
def test_number_of_other_things_is_no_hour(read, text):
    assert f"{read(text).start:%d %H:%M}" == "21 09:00"


@pytest.mark.parametrize("text", ["tomorrow 0715-0830", "0715-0830", "tomorrow 07:15-08:30"])
def test_clocks_without_a_colon_are_a_span(read, text):
    reading = read(text)

    assert (f"{reading.start:%d %H:%M}", f"{reading.end:%H:%M}") == ("21 07:15", "08:30")


@pytest.mark.parametrize("text", ["tomorrow 3 to 5", "tomorrow 3-5", "明天下午3到5点"])
def test_bare_hours_beside_a_day_are_a_span(read, text):
    reading = read(text)

    assert (f"{reading.start:%d %H:%M}", f"{reading.end:%H:%M}") == ("21 15:00", "17:00")


@pytest.mark.parametrize("text", ["read 2 to 3 pages tomorrow", "tomorrow 2 to 3 people come"])
def test_bare_numbers_of_other_things_are_no_span(read, text):
    assert f"{read(text).start:%d %H:%M}" == "21 09:00"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("每月逢五", "FREQ=MONTHLY;BYMONTHDAY=5,15,25"),
        ("每月逢五逢十", "FREQ=MONTHLY;BYMONTHDAY=5,10,15,20,25,30"),
        ("非工作日", "FREQ=WEEKLY;BYDAY=SA,SU"),
        ("每周1-5", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("每天三次，早中晚", "FREQ=DAILY;BYHOUR=9,12,19;BYMINUTE=0"),
    ],
)
def test_chinese_short_forms_of_days_are_read(read, text, rule):
    assert read(text).rrule == rule


@pytest.mark.parametrize("text", ["last weekend", "上周末"])
def test_last_weekend_is_in_the_past(now, text):
    found = parse(text, now)

    assert found.best is None
    assert found.past


@pytest.mark.parametrize(
    "text",
    [
        "two fridays ago",
        "in two weekends",
        "单周五",
        "单周的周三",
        "下个月初一",
        "13月1日",
        "32nd of december",
        "tomorrow 5 december",
        "on public holidays at 10am",
        "节假日早上十点",
        "every hour tomorrow",
        "every 10 minutes tomorrow morning",
        "明天每小时",
        "every year from june 1 to june 5",
    ],
)
def test_unsupported_time_is_not_misread(now, text):
    assert parse(text, now).best is None
