"""Seasons, quarters, weeks of the year and solar terms."""

import pytest

from services.time_expressions import parse, parse_all


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("remind me next summer to book a hotel", "2027-06-01"),
        ("in spring", "2027-03-01"),
        ("in the fall of 2027", "2027-09-01"),
        ("next year in autumn", "2027-09-01"),
        ("this winter", "2026-12-01"),
        ("明年春天", "2027-03-01"),
        ("今年冬天提醒我买手套", "2026-12-01"),
        ("春天的时候种花", "2027-03-01"),
        ("Q1", "2027-01-01"),
        ("in the third quarter", "2027-07-01"),
        ("q3 2028", "2028-07-01"),
        ("2027-Q2", "2027-04-01"),
        ("the first quarter of next year", "2027-01-01"),
        ("the end of the third quarter", "2027-09-30"),
        ("明年第三季度", "2027-07-01"),
        ("一季度", "2027-01-01"),
        ("下季度初", "2027-01-01"),
        ("本季度末", "2026-12-31"),
        ("第四季度末", "2026-12-31"),
        ("calendar week 32", "2027-08-09"),
        ("monday of week 32", "2027-08-09"),
        ("thursday, week 23", "2027-06-10"),
        ("week 1 of 2027", "2027-01-04"),
        ("2027年第5周", "2027-02-01"),
        ("明年第10周", "2027-03-08"),
        ("第32周的周三", "2027-08-11"),
        ("first week of october", "2027-10-04"),
        ("in the first week of december on friday", "2026-12-11"),
        ("the last week of july", "2027-07-26"),
        ("1st week of Oct. on Friday", "2027-10-08"),
        ("first week of the month", "2026-12-07"),
        ("下月第四周", "2026-12-28"),
        ("12月第二周的周三", "2026-12-16"),
        ("今年第五十个星期", "2026-12-07"),
        ("立春那天", "2027-02-04"),
        ("明年立秋", "2027-08-08"),
        ("冬至提醒我吃饺子", "2026-12-22"),
        ("大雪那天", "2026-12-07"),
        ("on the summer solstice", "2027-06-21"),
        ("first day of spring", "2027-03-01"),
        ("明年下半年", "2027-07-01"),
        ("2027年上半年", "2027-01-01"),
        ("second half of next year", "2027-07-01"),
        ("h1 2027", "2027-01-01"),
        ("mid next year", "2027-07-01"),
        ("the second half of december", "2026-12-16"),
        ("十二月下半月", "2026-12-16"),
        ("by year end", "2026-12-31"),
        ("the last quarter of 2027", "2027-10-01"),
        ("by mid-year", "2027-07-01"),
    ],
)
def test_a_part_of_the_year_begins_on_its_first_day(read, text, day):
    reading = read(text)

    assert str(reading.start.date()) == day
    assert reading.rrule is None


@pytest.mark.parametrize("text", ["last summer", "去年春天", "the first quarter of 2020"])
def test_elapsed_part_of_the_year_is_past(now, text):
    found = parse(text, now)

    assert found.best is None
    assert found.past


@pytest.mark.parametrize(
    "text",
    [
        "week 3",
        "week 53 of 2027",
        "the spring is broken",
        "fall asleep",
        "我们还是大夏天",
        "还好是冬天，应该会好的快一点",
        "the fall fundraiser",
        "大雪纷飞",
    ],
)
def test_similar_words_are_no_parts_of_the_year(now, text):
    assert parse(text, now).best is None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("every spring", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1"),
        ("每年秋天", "FREQ=YEARLY;BYMONTH=9;BYMONTHDAY=1"),
        ("first monday of each quarter", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYDAY=1MO"),
        ("the last friday of every quarter", "FREQ=YEARLY;BYMONTH=3,6,9,12;BYDAY=-1FR"),
        ("at the end of each quarter", "FREQ=YEARLY;BYMONTH=3,6,9,12;BYMONTHDAY=-1"),
        ("first day of each quarter", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYMONTHDAY=1"),
        ("每季度第一天", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYMONTHDAY=1"),
        ("每季度末", "FREQ=YEARLY;BYMONTH=3,6,9,12;BYMONTHDAY=-1"),
        ("每季度第一个周一", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYDAY=1MO"),
        ("1st of every quarter", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYMONTHDAY=1"),
        ("quarterly on the 15th, from now on", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYMONTHDAY=15"),
        ("每季度1号", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYMONTHDAY=1"),
        ("el 1 de cada trimestre", "FREQ=YEARLY;BYMONTH=1,4,7,10;BYMONTHDAY=1"),
        ("every quarter on the 1st starting in march", "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1"),
        ("every two quarters on the 1st", "FREQ=MONTHLY;INTERVAL=6;BYMONTHDAY=1"),
        ("隔月", "FREQ=MONTHLY;INTERVAL=2"),
        ("三个月一次", "FREQ=MONTHLY;INTERVAL=3"),
        ("一个月一次", "FREQ=MONTHLY"),
        ("8小时一次", "FREQ=HOURLY;INTERVAL=8"),
        ("every quarter on the last day", "FREQ=YEARLY;BYMONTH=3,6,9,12;BYMONTHDAY=-1"),
    ],
)
def test_days_of_quarters_and_seasons_repeat(read, text, rule):
    assert read(text).rrule == rule


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("every saturday mow the lawn in the summer", "2026-11-21"),
        ("buy tomorrow what we need in winter", "2026-11-21"),
        ("下个星期中国队比赛", "2026-11-23"),
    ],
)
def test_season_beside_another_time_belongs_to_the_content(now, text, day):
    assert [str(one.best.start.date()) for one in parse_all(text, now)] == [day]
