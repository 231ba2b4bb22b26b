"""Holidays and lunar dates. It is Friday 20 November 2026, 10:00."""

from datetime import date, timedelta

import pytest
from borax.calendars import LCalendars, LunarDate
from borax.calendars.lunardate import TermUtils

from services.kernel.lunar_calendar import FIRST_YEAR, dates_of, lunar_months
from services.recurrence.rules import parse_rule
from services.time_expressions import parse
from services.time_expressions.resolve.holidays import holiday_dates
from services.time_expressions.values import Holiday

YEARS = range(FIRST_YEAR, 2101)


@pytest.mark.parametrize("year", [FIRST_YEAR, 2023, 2025, 2033, 2099])
def test_lunar_months_are_those_of_the_library(year):
    months = [(one.number, one.length, int(one.is_leap)) for one in lunar_months(year)]

    assert months == [tuple(one) for one in LCalendars.iter_year_month(year)]


def test_every_lunar_year_begins_on_its_new_year():
    assert [lunar_months(year)[0].begins for year in YEARS] == [
        LunarDate(year, 1, 1, 0).to_solar_date() for year in YEARS
    ]


def test_the_days_of_a_lunar_year_are_those_of_the_library():
    days = [LunarDate.from_solar(date(2027, 2, 6) + timedelta(days=step)) for step in range(0, 354, 7)]

    found = [list(dates_of(each.month, each.day, each.year)) for each in days]

    assert found == [[each.to_solar_date()] for each in days]


@pytest.mark.parametrize("year", [FIRST_YEAR - 1, 2101])
def test_lunar_day_beyond_the_table_is_no_time(year):
    assert list(dates_of(1, 1, year)) == []


@pytest.mark.parametrize(
    ("kind", "term"),
    [
        ("xiaohan", "小寒"),
        ("dahan", "大寒"),
        ("lichun", "立春"),
        ("yushui", "雨水"),
        ("jingzhe", "惊蛰"),
        ("spring_equinox", "春分"),
        ("qingming", "清明"),
        ("guyu", "谷雨"),
        ("lixia", "立夏"),
        ("xiaoman", "小满"),
        ("mangzhong", "芒种"),
        ("summer_solstice", "夏至"),
        ("xiaoshu", "小暑"),
        ("dashu", "大暑"),
        ("liqiu", "立秋"),
        ("chushu", "处暑"),
        ("bailu", "白露"),
        ("autumn_equinox", "秋分"),
        ("hanlu", "寒露"),
        ("shuangjiang", "霜降"),
        ("lidong", "立冬"),
        ("xiaoxue", "小雪"),
        ("daxue", "大雪"),
        ("winter_solstice", "冬至"),
    ],
)
def test_solar_terms_are_those_of_the_library(kind, term):
    years = range(2000, 2100)

    found = [next(holiday_dates(Holiday(kind), year)) for year in years]

    assert found == [TermUtils.day_start_from_term(year, term) for year in years]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on thanksgiving", "2026-11-26"),
        ("on good friday", "2027-03-26"),
        ("new year's eve at midnight", "2027-01-01"),
        ("midnight on christmas eve", "2026-12-25"),
        ("除夕夜12点", "2027-02-06"),
        ("平安夜下午四点", "2026-12-24"),
        ("圣诞前夕晚上八点", "2026-12-24"),
        ("双十节早上九点", "2027-10-10"),
        ("跨年夜零点", "2027-01-01"),
        ("平安夜那天", "2026-12-24"),
        ("whit monday", "2027-05-17"),
        ("mothering sunday", "2027-03-07"),
        ("easter mon", "2027-03-29"),
        ("labor day weekend", "2027-09-04"),
        ("over thanksgiving weekend", "2026-11-28"),
        ("summer bank holiday", "2027-08-30"),
        ("圣周五", "2027-03-26"),
        ("国际劳动节那天", "2027-05-01"),
        ("on easter monday", "2027-03-29"),
        ("call gran easter monday", "2027-03-29"),
        ("new shoes black friday", "2026-11-27"),
        ("cyber monday", "2026-11-30"),
        ("on labor day", "2027-09-06"),
        ("on mother's day", "2027-05-09"),
        ("the day after christmas", "2026-12-26"),
        ("on memorial day", "2027-05-31"),
        ("lunar new year", "2027-02-06"),
        ("by chinese new year", "2027-02-06"),
        ("the day before mid-autumn festival", "2027-09-14"),
        ("on the dragon boat festival", "2027-06-09"),
        ("three days before lunar new year's eve", "2027-02-02"),
        ("thanksgiving of next year", "2027-11-25"),
        ("春节", "2027-02-06"),
        ("除夕", "2027-02-05"),
        ("大年三十", "2027-02-05"),
        ("大年初三", "2027-02-08"),
        ("元宵節", "2027-02-20"),
        ("清明节", "2027-04-05"),
        ("端午", "2027-06-09"),
        ("中秋節那天", "2027-09-15"),
        ("重陽節", "2027-10-08"),
        ("腊八节", "2027-01-15"),
        ("冬至", "2026-12-22"),
        ("农历八月十五", "2027-09-15"),
        ("農曆正月初三", "2027-02-08"),
        ("阴历腊月二十三", "2027-01-30"),
        ("腊月廿三", "2027-01-30"),
        ("2028年中秋节", "2028-10-03"),
        ("明年端午节", "2027-06-09"),
        ("国庆节后一天", "2027-10-02"),
        ("除夕前一天", "2027-02-04"),
        ("父亲节", "2027-06-20"),
        ("感恩节", "2026-11-26"),
        ("2月5号除夕", "2027-02-05"),
        ("March 28, Easter Sunday at 10", "2027-03-28"),
    ],
)
def test_holiday_is_the_next_such_day(read, text, day):
    assert str(read(text).start.date()) == day


@pytest.mark.parametrize(
    ("text", "rule", "start"),
    [
        ("每年农历八月十五晚上七点", "LUNAR 8-15;BYHOUR=19;BYMINUTE=0", "2027-09-15 19:00"),
        ("每年除夕", "LUNAR 12-LAST", "2027-02-05 09:00"),
        ("every lunar new year at 10am", "LUNAR 1-1;BYHOUR=10;BYMINUTE=0", "2027-02-06 10:00"),
        ("农历每月初一和十五早上八点", "LUNAR *-1,*-15;BYHOUR=8;BYMINUTE=0", "2026-11-23 08:00"),
        ("每月初一十五早上八点", "LUNAR *-1,*-15;BYHOUR=8;BYMINUTE=0", "2026-11-23 08:00"),
        ("every thanksgiving", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "2026-11-26 09:00"),
        ("每年母亲节", "FREQ=YEARLY;BYMONTH=5;BYDAY=2SU", "2027-05-09 09:00"),
    ],
)
def test_recurring_holiday_is_a_supported_rule(read, text, rule, start):
    reading = read(text)

    assert (reading.rrule, f"{reading.start:%Y-%m-%d %H:%M}") == (rule, start)
    assert parse_rule(rule) is not None


@pytest.mark.parametrize("text", ["every easter", "every black friday", "每年清明节", "闰六月初五", "大年三十五"])
def test_unsupported_recurrence_is_no_time(now, text):
    assert parse(text, now).best is None


@pytest.mark.parametrize("text", ["春节快乐", "happy easter everyone", "we hid the easter eggs", "中秋节的月饼真好吃"])
def test_holiday_that_is_only_mentioned_is_no_time(now, text):
    assert parse(text, now).best is None


@pytest.mark.parametrize("text", ["super tuesday", "on orthodox easter", "clean monday"])
def test_unknown_holiday_is_not_its_weekday(now, text):
    assert parse(text, now).best is None
