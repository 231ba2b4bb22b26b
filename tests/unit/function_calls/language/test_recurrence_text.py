"""Texts for durations and repetitions."""

from datetime import timedelta

import pytest

from function_calls.language.date_format import distance
from function_calls.language.recurrence_text import is_custom, rule, without_rule_text
from tests.unit.function_calls.recurring_reminder import make_recurring


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(seconds=10), "10 seconds"),
        (timedelta(seconds=10, milliseconds=900), "10 seconds"),
        (timedelta(seconds=90), "90 seconds"),
        (timedelta(minutes=90), "90 minutes"),
        (timedelta(hours=1), "1 hour"),
        (timedelta(hours=32), "32 hours"),
        (timedelta(days=7), "7 days"),
    ],
)
def test_distance_is_shown_in_the_largest_fitting_unit(span, words):
    assert distance("en", span) == words


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(hours=1, minutes=59, seconds=50), "2 hours"),
        (timedelta(hours=3, minutes=59), "4 hours"),
        (timedelta(days=6, hours=23), "7 days"),
    ],
)
def test_distance_slightly_below_a_whole_unit_is_not_rounded_down(span, words):
    assert distance("en", span) == words


@pytest.mark.parametrize(
    ("rule_text", "language", "words"),
    [
        ("FREQ=MONTHLY;BYMONTHDAY=25;BYHOUR=20;BYMINUTE=0", "en", "every month on day 25 at 20:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=25;BYHOUR=20;BYMINUTE=0", "zh", "每月25日 20:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=20;BYMINUTE=0", "en", "on the last day of every month at 20:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1,-1;BYHOUR=20;BYMINUTE=0", "zh", "每月最后一天 20:00"),
        ("FREQ=YEARLY;BYYEARDAY=-1;BYHOUR=20;BYMINUTE=0", "en", "on the last day of every year at 20:00"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1;BYHOUR=20", "en", "every year on the last day of February at 20:00"),
        ("FREQ=YEARLY;BYMONTH=12;BYDAY=MO;BYHOUR=20;BYMINUTE=0", "en", "every Monday in December at 20:00"),
        ("FREQ=YEARLY;BYMONTH=12;BYDAY=MO;BYHOUR=20;BYMINUTE=0", "zh", "12月的每周一 20:00"),
        ("FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=1;BYHOUR=20", "en", "every year on 1 January, 1 July at 20:00"),
        ("FREQ=DAILY;BYMONTH=6;BYHOUR=20;BYMINUTE=0", "en", "every day in June at 20:00"),
        ("FREQ=MINUTELY;INTERVAL=210", "zh", "每 3 个半小时"),
        ("FREQ=MINUTELY;INTERVAL=210", "en", "every 3.5 hours"),
        ("FREQ=MINUTELY;INTERVAL=200", "zh", "每 3 小时 20 分钟"),
        ("FREQ=MINUTELY;INTERVAL=90", "en", "every 90 minutes"),
        ("FREQ=MINUTELY;INTERVAL=10;BYDAY=MO,TU", "zh", "周一、周二每 10 分钟"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU;BYHOUR=20", "zh", "每 2 周的周六、周日 20:00"),
        ("FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=25;BYHOUR=20;BYMINUTE=0", "en", "every year on 25 November at 20:00"),
        ("FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=25;BYHOUR=20;BYMINUTE=0", "zh", "每年11月25日 20:00"),
        ("FREQ=MONTHLY;BYDAY=1MO;BYHOUR=20;BYMINUTE=0", "en", "every month on the first Monday at 20:00"),
        ("FREQ=MONTHLY;INTERVAL=3;BYHOUR=20;BYMINUTE=0", "en", "every 3 months on day 25 at 20:00"),
    ],
)
def test_a_rule_by_date_names_the_date(rule_text, language, words):
    assert rule(language, make_recurring(rule_text)) == words


@pytest.mark.parametrize(
    "rule_text", ["FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", "FREQ=MONTHLY;BYMONTHDAY=-3", "FREQ=YEARLY;BYWEEKNO=20"]
)
def test_a_rule_without_a_sentence_is_worded_as_a_custom_schedule(rule_text):
    assert rule("en", make_recurring(rule_text)) == "on a custom schedule"
    assert is_custom(make_recurring(rule_text).schedule)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "set(rrule=FREQ=MONTHLY;BYMONTHDAY=-1, content=rent)",
            "set(rrule=on the last day of every month, content=rent)",
        ),
        ("RRULE:FREQ=DAILY;BYDAY=MO,TU;BYHOUR=9;BYMINUTE=30.", "every Monday, Tuesday at 09:30."),
        ("FREQ=SOMETIMES", "on a custom schedule"),
        ("the frequency of trains", "the frequency of trains"),
        ("INTERVAL=2;BYDAY=MO;FREQ=WEEKLY", "every 2 weeks on Monday"),
    ],
)
def test_rules_in_a_text_are_replaced_by_their_words(text, words):
    assert without_rule_text("en", text) == words


def test_many_parts_without_a_rule_are_searched_in_bounded_time():
    text = "A=A;" * 50_000 + "FREQ="

    assert without_rule_text("en", text) == text


@pytest.mark.parametrize(
    ("rule_text", "english", "chinese"),
    [
        (
            "WORKDAYS;REGION=CN;BYHOUR=20;BYMINUTE=0",
            "every working day (calendar CN) at 20:00",
            "每个工作日（按 CN 节假日安排） 20:00",
        ),
        ("LUNAR 8-15;BYHOUR=20;BYMINUTE=0", "every lunar month 8, day 15 at 20:00", "每逢农历八月十五 20:00"),
    ],
)
def test_a_rule_of_another_calendar_is_worded(rule_text, english, chinese):
    assert rule("en", make_recurring(rule_text)) == english
    assert rule("zh", make_recurring(rule_text)) == chinese


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "every day at 20:00, 1 time"), ("es", "cada día a las 20:00, 1 vez"), ("zh", "每天 20:00，共 1 次")],
)
def test_one_time_is_named_in_the_singular(language, words):
    assert rule(language, make_recurring("FREQ=DAILY;COUNT=1")) == words
