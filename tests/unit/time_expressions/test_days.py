"""Days and dates. It is Friday 20 November 2026, 10:00."""

from datetime import UTC, datetime

import pytest

from services.time_expressions import DateOrder, Grain, parse_all


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", "2026-11-20"),
        ("tomorrow", "2026-11-21"),
        ("the day after tomorrow", "2026-11-22"),
        ("monday", "2026-11-23"),
        ("this sunday", "2026-11-22"),
        ("next friday", "2026-11-27"),
        ("next monday", "2026-11-23"),
        ("next sunday", "2026-11-29"),
        ("wednesday of next week", "2026-11-25"),
        ("two sundays from now", "2026-11-29"),
        ("january 5th", "2027-01-05"),
        ("5 January 2028", "2028-01-05"),
        ("the 15th of march", "2027-03-15"),
        ("on the 15th", "2026-12-15"),
        ("on 3rd Feb", "2027-02-03"),
        ("on the 14th Mar", "2027-03-14"),
        ("last friday of october 2027", "2027-10-29"),
        ("third monday next month", "2026-12-21"),
        ("tuesday 15th", "2026-12-15"),
        ("friday 27", "2026-11-27"),
        ("tuesday 15", "2026-12-15"),
        ("friday 4", "2026-11-27"),  # the figure is an hour, which the reader leaves out
        ("friday the 4", "2026-12-04"),
        ("friday the 13th", "2027-08-13"),
        ("feb 29", "2028-02-29"),
        ("2027-01-05", "2027-01-05"),
        ("the closest monday to oct 5th", "2027-10-04"),
        ("end of the month", "2026-11-30"),
        ("at month end", "2026-11-30"),
        ("by cob friday", "2026-11-20"),
        ("in q3", "2027-07-01"),
        ("end of q2", "2027-06-30"),
        ("end of the quarter", "2026-12-31"),
        ("on 21 march to go", "2027-03-21"),
        ("day after tmrw", "2026-11-22"),
        ("提醒我一下周五开会", "2026-11-27"),
        ("记一下周五交房租", "2026-11-27"),
        ("christmas", "2026-12-25"),
        ("in two weeks", "2026-12-04"),
        ("monday two weeks from now", "2026-11-30"),
        ("a week on thursday", "2026-12-03"),
        ("thursday fortnight", "2026-12-10"),
        ("end of march", "2027-03-31"),
        ("the day before christmas", "2026-12-24"),
        ("今天", "2026-11-20"),
        ("明天", "2026-11-21"),
        ("大后天", "2026-11-23"),
        ("周三", "2026-11-25"),
        ("这周日", "2026-11-22"),
        ("下周三", "2026-11-25"),
        ("下周五", "2026-11-27"),
        ("下下周一", "2026-11-30"),
        ("1月5日", "2027-01-05"),
        ("二零二八年一月五号", "2028-01-05"),
        ("15号", "2026-12-15"),
        ("下个月二十号", "2026-12-20"),
        ("十月第一个星期一", "2027-10-04"),
        ("月底", "2026-11-30"),
        ("国庆节", "2027-10-01"),
        ("2027年第一天", "2027-01-01"),
        ("pay ann by 5 december", "2026-12-05"),
        ("meet on january 5 am", "2027-01-05"),
        ("before tue", "2026-11-23"),
        ("see the doctor fri", "2026-11-27"),
        ("the tuesday before christmas", "2026-12-22"),
        ("the first monday after christmas", "2026-12-28"),
        ("two weeks tomorrow", "2026-12-05"),
        ("the weekend after next", "2026-12-05"),
        ("middle of next month", "2026-12-15"),
        ("middle of the month", "2026-12-15"),
        ("early next month", "2026-12-01"),
        ("late february", "2027-02-25"),
        ("the first monday of the month", "2026-12-07"),
        ("the 5th of the month", "2026-12-05"),
        ("the last working day of the month", "2026-11-30"),
        ("second business day of january", "2027-01-04"),
        ("tommorow", "2026-11-21"),
        ("20270109", "2027-01-09"),
        ("2027/1/1", "2027-01-01"),
        ("sep.  3", "2027-09-03"),
        ("6月18交论文", "2027-06-18"),
        ("下周3", "2026-11-25"),
        ("下个月中旬", "2026-12-15"),
        ("月初", "2026-12-01"),
        ("大大后天", "2026-11-24"),
        ("二○二七年三月一日", "2027-03-01"),
        ("week of dec 7", "2026-12-07"),
        ("latest by monday", "2026-11-23"),
        ("wensday", "2026-11-25"),
        ("febuary 3", "2027-02-03"),
        ("09/2027", "2027-09-01"),
        ("两个月后的15号", "2027-01-15"),
        ("下月十五", "2026-12-15"),
        ("下下周末", "2026-12-05"),
        ("3.5号", "2027-03-05"),
        ("十一那天", "2027-10-01"),
        ("国庆期间", "2027-10-01"),
        ("penultimate friday of december", "2026-12-18"),
        ("Dec-05-2026", "2026-12-05"),
        ("2027-W10-3", "2027-03-10"),
        ("2027W10", "2027-03-08"),
        ("2027-070", "2027-03-11"),
        ("in 2 months on the 5th", "2027-01-05"),
        ("one week before new year's", "2026-12-25"),
        ("in 2028", "2028-01-01"),
        ("the last weekend of november", "2026-11-28"),
        ("all saints' day", "2027-11-01"),
        ("明年年中", "2027-07-01"),
        ("the weekend before christmas", "2026-12-19"),
        ("on 2nd wed of month", "2026-12-09"),
        ("2day", "2026-11-20"),
        ("in the year 2030", "2030-01-01"),
        ("外后天", "2026-11-23"),
        ("the morning after christmas", "2026-12-26"),
        ("the last sunday before christmas", "2026-12-20"),
        ("圣诞节前的周日", "2026-12-20"),
        ("next weekend, on sunday", "2026-11-29"),
        ("the second monday from now", "2026-11-30"),
    ],
)
def test_day_is_the_next_such_day(read, text, day):
    reading = read(text)

    assert str(reading.start.date()) == day
    assert reading.rrule is None


def test_weekday_of_today_is_today_before_its_hour(read, now):
    reading = read("friday", now=now.replace(hour=8))

    assert reading.start == now.replace(hour=9)


def test_weekday_of_today_is_next_week_after_its_hour(read):
    assert str(read("friday").start) == "2026-11-27 09:00:00+00:00"


def test_past_date_of_this_year_is_next_year(read):
    assert str(read("19 november").start.date()) == "2027-11-19"


@pytest.mark.parametrize(("order", "day"), [(DateOrder.MDY, "2027-05-06"), (DateOrder.DMY, "2027-06-05")])
def test_date_order_decides_numeric_dates(read, order, day):
    assert str(read("on 5/6", order=order).start.date()) == day


def test_number_above_twelve_is_the_day_in_any_order(read):
    assert str(read("25/4 at 4pm", order=DateOrder.MDY).start.date()) == "2027-04-25"


@pytest.mark.parametrize(
    ("text", "grain"),
    [
        ("tomorrow", Grain.DAY),
        ("next week", Grain.WEEK),
        ("next month", Grain.MONTH),
        ("next quarter", Grain.QUARTER),
        ("next year", Grain.YEAR),
        ("tomorrow at 5pm", Grain.HOUR),
        ("tomorrow at 17:30", Grain.MINUTE),
        ("in 10 seconds", Grain.SECOND),
    ],
)
def test_grain_is_the_precision_of_the_words(read, text, grain):
    assert read(text).grain is grain


def test_next_week_starts_on_monday(read):
    assert str(read("next week").start.date()) == "2026-11-23"


def test_today_without_a_clock_is_later_today(read, now):
    reading = read("today")

    assert now < reading.start < now.replace(hour=23)
    assert not reading.has_clock


def test_a_dotted_date_puts_the_month_first_in_chinese(read):
    assert read("12.24晚上7点").start.strftime("%m-%d %H") == "12-24 19"
    assert read("24.12. at 7pm").start.strftime("%m-%d %H") == "12-24 19"


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("dec 1-5", "12-01", "12-06"),
        ("28 to 30 november", "11-28", "12-01"),
        ("from nov 28 to dec 2", "11-28", "12-03"),
        ("12月1号到5号", "12-01", "12-06"),
        ("2026-12-24 to 2026-12-26", "12-24", "12-27"),
    ],
)
def test_dates_from_one_to_another_are_an_interval(read, text, first, after):
    reading = read(text)

    assert (f"{reading.start:%m-%d}", f"{reading.end:%m-%d}") == (first, after)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("pay the last friday of the month", "2026-11-27"),
        ("remind me the first monday of the month to pay", "2026-12-07"),
        ("the dentist one 4pm", "2026-11-20"),
        ("move the one tomorrow", "2026-11-21"),
    ],
)
def test_day_is_read_beside_other_words(text, day):
    (found,) = parse_all(text, datetime(2026, 11, 20, 10, tzinfo=UTC))

    assert str(found.readings[0].start.date()) == day
