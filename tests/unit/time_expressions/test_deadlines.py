"""Times before and after a day or an event, and deadlines."""

import pytest


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("pay rent before dec 1st", "30 09:00"),
        ("before friday", "26 09:00"),
        ("before next week", "22 09:00"),
        ("before the 5th of december", "04 09:00"),
        ("before christmas", "24 09:00"),
        ("下个月一号之前", "30 09:00"),
        ("周五前交报告", "26 09:00"),
        ("春节前", "05 09:00"),
        ("before tomorrow", "20 12:00"),
        ("明天之前", "20 12:00"),
        ("the night before christmas", "24 21:00"),
        ("the evening before the 5th", "04 19:00"),
        ("on the eve of 5 december at 6pm", "04 18:00"),
        ("12月5号前一晚八点", "04 20:00"),
        ("la noche anterior al 5 de diciembre a las 8", "04 20:00"),
        ("la víspera del 5 de diciembre", "04 09:00"),
        ("el día anterior al 5 de diciembre a las 18", "04 18:00"),
        ("el día de Navidad a las 9", "25 09:00"),
    ],
)
def test_time_before_a_day_is_on_the_previous_day(read, text, moment):
    assert f"{read(text).start:%d %H:%M}" == moment


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("10 minutes before dinner", "20 17:50"),
        ("30 mins before lunch", "20 11:30"),
        ("an hour before lunch at 1", "20 12:00"),
        ("half an hour before lunch on sunday at 11:30", "22 11:00"),
        ("2 hours before supper tomorrow at 8", "21 18:00"),
        ("2 hours after lunch on friday", "20 15:00"),
        ("an hour before bedtime tomorrow", "21 21:00"),
        ("tomorrow, 15 minutes before 3pm", "21 14:45"),
        ("on saturday an hour and a half after noon", "21 13:30"),
        ("周六中午过后一个半小时", "21 13:30"),
        ("esta noche, media hora antes de las 8", "20 19:30"),
        ("mañana 15 minutos antes de las 3 de la tarde", "21 14:45"),
    ],
)
def test_duration_is_counted_from_a_meal_or_a_clock_time(read, text, moment):
    assert f"{read(text).start:%d %H:%M}" == moment


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("by friday", "27 09:00"),
        ("no later than friday", "27 09:00"),
        ("最晚周五", "27 09:00"),
        ("不晚于周五", "27 09:00"),
        ("before monday 9am", "23 09:00"),
        ("before friday at 5", "20 17:00"),
        ("before noon tomorrow", "21 12:00"),
        ("before friday evening", "20 19:00"),
        ("下周五下午三点前", "27 15:00"),
        ("五点之前", "20 17:00"),
        ("before the end of the month", "30 09:00"),
        ("月底前", "30 09:00"),
        ("10 minutes before the 2pm meeting", "20 14:00"),
    ],
)
def test_deadline_with_by_or_a_clock_time_is_not_moved(read, text, moment):
    assert f"{read(text).start:%d %H:%M}" == moment


@pytest.mark.parametrize("text", ["every day before christmas", "圣诞节之前每天"])
def test_repetition_before_a_day_ends_on_that_day(read, text):
    assert read(text).rrule == "FREQ=DAILY;UNTIL=20261225T235959Z"
