"""Spans of times in a text, separate times, ambiguity, and past times."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from services.time_expressions import parse, parse_all


def cut_spans(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("call mum tomorrow at 5pm", "call mum"),
        ("on friday water the plants", "water the plants"),
        ("stretch in 10 seconds", "stretch"),
        ("remind me every day to drink water at 3pm", "remind me to drink water"),
        ("set a timer for 5 minutes", "set a timer"),
        ("１２月１日 交房租", "交房租"),
        ("每周一早上九点提醒我交周报", "提醒我交周报"),
        ("明天早上８点半叫我起床", "叫我起床"),
        ("每天提醒我早上八点吃药", "提醒我吃药"),
        ("在明天四点提醒我去商场", "提醒我去商场"),
        ("demo on dec 7 (mon) with ann", "demo with ann"),
        ("8点前交报告", "交报告"),
        ("lunch with bob at 12 noon", "lunch with bob"),
    ],
)
def test_cutting_the_spans_out_leaves_the_content(read, text, rest):
    assert cut_spans(text, read(text).spans) == rest


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("the first and third tuesday of january at 3pm", ["2027-01-05 15:00", "2027-01-19 15:00"]),
        ("on the first monday of january and july, 10 am", ["2027-01-04 10:00", "2027-07-05 10:00"]),
        ("下个月的第一个和第三个周二下午三点", ["2026-12-01 15:00", "2026-12-15 15:00"]),
    ],
)
def test_counted_days_in_a_list_are_two_times(now, text, starts):
    assert [f"{each.best.start:%Y-%m-%d %H:%M}" for each in parse_all(text, now)] == starts


@pytest.mark.parametrize(
    ("text", "moment", "rest"),
    [
        ("watch 1917 tonight at 8", "20 20:00", "watch 1917"),
        ("read chapter 12 tomorrow evening", "21 19:00", "read chapter 12"),
        ("send the invoice 30 minutes from now", "20 10:30", "send the invoice"),
        ("buy windows 11 tomorrow", "21 09:00", "buy windows 11"),
        ("cancel jo's one tomorrow", "21 09:00", "cancel jo's one"),
        ("make the dog one 5 tomorrow", "21 17:00", "make the dog one"),
        ("call the dog sitter at one 30 tomorrow", "21 13:30", "call the dog sitter"),
        ("movie 300 on saturday", "21 09:00", "movie 300"),
        ("finish exercise 4.2 by monday", "23 09:00", "finish exercise 4.2"),
        ("email april tomorrow", "21 09:00", "email april"),
        ("give him 5 dollars at 5", "20 17:00", "give him 5 dollars"),
        ("take 2 pills at 8pm", "20 20:00", "take 2 pills"),
        ("pay monday 500", "23 09:00", "pay 500"),
        ("今晚8点两个人吃饭", "20 20:00", "两个人吃饭"),
        ("明天上午十点十楼见", "21 10:00", "十楼见"),
        ("下午3点到302房开会", "20 15:00", "到302房开会"),
        ("今晚九点九号楼集合", "20 21:00", "九号楼集合"),
        ("明天九点起床", "21 09:00", "起床"),
        ("十点前台集合", "20 10:00", "前台集合"),
    ],
)
def test_numbers_of_other_things_stay_in_the_content(read, text, moment, rest):
    reading = read(text)

    assert (f"{reading.start:%d %H:%M}", cut_spans(text, reading.spans)) == (moment, rest)


def test_several_times_are_read_apart(now):
    text = "remind me at 5 to call mum and at 6 to cook"

    found = parse_all(text, now)

    assert [f"{one.best.start:%H}" for one in found] == ["17", "18"]
    assert [text[slice(*one.best.spans[0])] for one in found] == ["at 5", "at 6"]


def test_the_first_of_several_times_is_the_best(read):
    assert f"{read('remind me at 5 to call mum and at 6 to cook').start:%H}" == "17"


def test_bare_hour_in_the_early_morning_is_ambiguous(now):
    found = parse("8点", now.replace(hour=6))

    assert found.ambiguous
    assert [reading.start.hour for reading in found.readings] == [8, 20]


@pytest.mark.parametrize("text", ["差十分八点", "ten to eight", "quarter to 8"])
@pytest.mark.parametrize(("hour", "found"), [(6, [7, 19]), (10, [19]), (21, [7, 19])])
def test_minutes_before_an_hour_are_in_the_half_of_the_day_of_that_hour(now, text, hour, found):
    readings = parse(text, now.replace(hour=hour))
    eight = parse("8点", now.replace(hour=hour))

    assert [reading.start.hour for reading in readings.readings] == found
    assert readings.ambiguous == eight.ambiguous


@pytest.mark.parametrize(
    ("text", "clocks"),
    [
        ("every day at 7:30", {"19:30", "07:30"}),
        ("每天七点半", {"19:30", "07:30"}),
        ("every weekday at 8:15", {"08:15", "20:15"}),
        ("每天差十分八点", {"07:50", "19:50"}),
    ],
)
def test_recurring_hour_with_minutes_is_ambiguous(now, text, clocks):
    found = parse(text, now)

    assert found.ambiguous
    assert {f"{reading.start:%H:%M}" for reading in found.readings} == clocks


def test_recurring_bare_hour_is_ambiguous(now):
    found = parse("every day at 7", now)

    assert found.ambiguous
    assert [reading.rrule for reading in found.readings] == [
        "FREQ=DAILY;BYHOUR=19;BYMINUTE=0",
        "FREQ=DAILY;BYHOUR=7;BYMINUTE=0",
    ]


@pytest.mark.parametrize(
    "text", ["every monday at 9", "每天早上七点", "every day at 07:30", "at 5", "at 8pm", "8:30", "下午8点", "at 11"]
)
def test_hour_with_a_usual_half_of_the_day_is_not_ambiguous(now, text):
    assert not parse(text, now.replace(hour=6)).ambiguous


def test_numeric_date_without_an_order_is_ambiguous(now):
    found = parse("on 5/6", now)

    assert found.ambiguous
    assert {(one.start.month, one.start.day) for one in found.readings} == {(5, 6), (6, 5)}


def test_date_that_is_invalid_in_both_orders_is_no_time(now):
    assert parse("until 5/6", now).best is None


@pytest.mark.parametrize("text", ["yesterday", "2020-01-05", "today at 9am", "昨天下午三点", "three days ago"])
def test_past_time_is_no_reading_but_is_reported(now, text):
    found = parse(text, now)

    assert found.best is None
    assert found.past[0].start < now


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("since monday", "11-16"),
        ("yesterday", "11-19"),
        ("上周五", "11-13"),
        ("since noon", "11-19"),
        ("last week", "11-09"),
    ],
)
def test_past_time_is_a_reading_on_request(read, text, start):
    assert f"{read(text, future=False).start:%m-%d}" == start


def test_time_in_a_clock_gap_moves_forward_by_the_gap():
    now = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/London"))

    reading = parse("tomorrow at 1:30am", now).best

    assert str(reading.start) == "2026-03-29 02:30:00+01:00"


def test_repeated_wall_time_is_the_first():
    now = datetime(2026, 10, 24, 12, tzinfo=ZoneInfo("Europe/London"))

    reading = parse("tomorrow at 1:30am", now).best

    assert reading.start.utcoffset() == timedelta(hours=1)


@pytest.mark.parametrize("text", ["at 1:45am", "every day at 1:45am", "every 15 minutes"])
def test_repeated_wall_time_after_the_first_is_the_second(text):
    now = datetime(2026, 10, 25, 1, 40, fold=1, tzinfo=ZoneInfo("Europe/London"))

    reading = parse(text, now).best

    assert reading.start.astimezone(UTC) > now.astimezone(UTC)


def test_days_count_wall_clock_time_and_hours_elapsed_time():
    now = datetime(2026, 10, 24, 12, tzinfo=ZoneInfo("Europe/London"))

    in_a_day, in_hours = parse("in a day", now).best, parse("in 24 hours", now).best

    assert (in_a_day.start.hour, in_hours.start.hour) == (12, 11)


def test_current_time_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="timezone"):
        parse("tomorrow", datetime(2026, 11, 20))


def test_an_unknown_language_is_refused(now):
    with pytest.raises(ValueError, match="no lexicon for 'xx'"):
        parse("tomorrow", now, language="xx")


@pytest.mark.parametrize(
    ("text", "clocks"),
    [
        ("remind me at 1pm, 2pm, 3pm and 4pm to drink", ["13", "14", "15", "16"]),
        ("at 13:00, 14:00, 15:00, 16:00, 17:00 and 18:00 stand up", ["13", "14", "15", "16", "17", "18"]),
        ("pills tomorrow at 8am, 10am, 12pm, 2pm and 10pm", ["08", "10", "12", "14", "22"]),
        ("at 8am, 10am, 12am and 2pm", ["08", "10", "00", "14"]),
        ("13点、14点、15点、16点、17点提醒我", ["13", "14", "15", "16", "17"]),
        ("零点、三点、六点喂奶", ["00", "03", "06"]),
        ("at midnight and 4", ["00", "04"]),
        ("8点11点15点20点提醒我喝水", ["08", "11", "15", "20"]),
    ],
)
def test_each_clock_time_of_a_long_list_is_a_time(text, clocks):
    found = parse_all(text, datetime(2026, 11, 20, 7, 0, tzinfo=UTC))

    assert [f"{each.best.start:%H}" for each in found] == clocks


@pytest.mark.parametrize(
    ("text", "language", "times"),
    [
        ("7 pm sat and sun this week", "en", "21 19:00, 22 19:00"),
        ("mon, wed and thu next week at 10", "en", "23 10:00, 25 10:00, 26 10:00"),
        ("on the 4th, 6th and 7th at 11", "en", "04 11:00, 06 11:00, 07 11:00"),
        ("Jan, Apr and Jul on the 2nd at noon", "en", "02 12:00, 02 12:00, 02 12:00"),
        ("9a 1p and 5p", "en", "21 09:00, 20 13:00, 20 17:00"),
        ("lunes, martes y jueves de la próxima semana a las 9", "es", "23 09:00, 24 09:00, 26 09:00"),
        ("el 3, 5 y 8 a las 9", "es", "03 09:00, 05 09:00, 08 09:00"),
        ("enero, marzo y mayo el día 2 a las 10", "es", "02 10:00, 02 10:00, 02 10:00"),
        ("1月3月和5月2号中午", "zh", "02 12:00, 02 12:00, 02 12:00"),
    ],
)
def test_each_day_or_month_of_a_list_is_a_time(now, text, language, times):
    found = parse_all(text, now, language=language)

    assert ", ".join(f"{each.best.start:%d %H:%M}" for each in found) == times


@pytest.mark.parametrize("text", ["every day at 8am, 12pm, 4pm and 8pm", "at 8am, 12pm, 4pm and 8pm every day"])
def test_long_list_of_daily_clock_times_is_one_rule(text):
    [found] = parse_all(text, datetime(2026, 11, 20, 7, 0, tzinfo=UTC))

    assert found.best.rrule == "FREQ=DAILY;BYHOUR=8,12,16,20;BYMINUTE=0"


@pytest.mark.parametrize(
    ("text", "language", "starts"),
    [
        ("weds and thurs at 5", "en", "25 17:00, 26 17:00"),
        ("mon and wed at 9am", "en", "23 09:00, 25 09:00"),
        ("tuesday wednesday and thursday at 5:15", "en", "24 17:15, 25 17:15, 26 17:15"),
        ("tuesday & thursday 8:30pm", "en", "24 20:30, 26 20:30"),
        ("tomorrow and sunday at 3pm", "en", "21 15:00, 22 15:00"),
        ("4.10am tomorrow and Monday", "en", "21 04:10, 23 04:10"),
        ("周二、周三和周四早上5点15分", "zh", "24 05:15, 25 05:15, 26 05:15"),
        ("周二周四晚上8点半", "zh", "24 20:30, 26 20:30"),
        ("明天和周日下午3点", "zh", "21 15:00, 22 15:00"),
        ("el martes, miércoles y jueves a las 5:15 de la mañana", "es", "24 05:15, 25 05:15, 26 05:15"),
        ("mañana y el domingo a las 3 de la tarde", "es", "21 15:00, 22 15:00"),
    ],
)
def test_clock_beside_a_list_of_days_belongs_to_all_of_them(now, text, language, starts):
    readings = [each.best for each in parse_all(text, now, language=language)]

    assert ", ".join(f"{reading.start:%d %H:%M}" for reading in readings) == starts
    assert all(reading.has_clock for reading in readings)


def test_short_days_with_mixed_marks_are_a_weekly_rule(now):
    (reading,) = parse_all("Tues Weds and Thurs at 5:15 AM", now)

    assert reading.best.rrule == "FREQ=WEEKLY;BYDAY=TU,WE,TH;BYHOUR=5;BYMINUTE=15"


@pytest.mark.parametrize("text", ["monday at 9, wednesday at 5", "tomorrow, no, sunday at 9", "monday or tuesday at 5"])
def test_days_that_are_no_list_do_not_share_a_clock(now, text):
    readings = [each.best for each in parse_all(text, now)]

    assert len({(reading.start.time(), reading.has_clock) for reading in readings}) == len(readings)


def test_span_of_a_chinese_date_in_a_list_includes_its_month(now):
    text = "3月3号、4号早上8点"
    spans = [each.best.spans[0] for each in parse_all(text, now)]

    assert [text[start:end] for start, end in spans] == ["3月3号", "4号早上8点"]
