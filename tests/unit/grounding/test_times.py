"""Times proposed by a model, compared with the words of the person."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from bot.app.registry import built_in_registry
from bot.testing.turns import make_message, make_turn
from function_calls.grounding.message import ReadMessage
from function_calls.grounding.times import Verdict, cross_check
from function_calls.models import ReminderArgs
from function_calls.understanding.reminder_times import schedule_from
from services.recurrence.schedule import Schedule, read_schedule
from services.time_expressions import TimeReader

BERLIN = ZoneInfo("Europe/Berlin")
FRIDAY_TEN = datetime(2026, 11, 20, 10, 0, tzinfo=BERLIN)


def make_schedule(text):
    return Schedule(start=datetime.fromisoformat(text), zone="Europe/Berlin")


TOOLS = built_in_registry().specs


def judge(proposed, words, language="en"):
    message = replace(make_message(words), sent_at=FRIDAY_TEN)
    turn = replace(make_turn(message, tools=TOOLS, language=language), now=FRIDAY_TEN, zone=BERLIN)
    calls = ReadMessage(turn).calls_of({"reminder_set"})
    own = [
        schedule_from(
            ReminderArgs(**call.arguments), now=FRIDAY_TEN, zone=BERLIN, language=language, times=TimeReader()
        )
        for call in calls
    ]
    return cross_check(proposed, words, now=FRIDAY_TEN, zone=BERLIN, language=language, times=TimeReader(), own=own)


def test_time_named_by_the_person_is_kept():
    proposed = make_schedule("2026-11-27 15:00")

    assert judge(proposed, "remind me next Friday at 3pm to send it").schedule == proposed


def test_proposed_time_is_kept_if_the_words_name_none():
    proposed = make_schedule("2026-11-27 15:00")

    assert judge(proposed, "same time as the last one please").schedule == proposed


@pytest.mark.parametrize(
    ("proposed", "words", "language", "expected"),
    [
        ("2026-11-21 15:00", "remind me next Friday at 3pm to send it", "en", "2026-11-27 15:00"),
        ("2025-11-27 15:00", "remind me next Friday at 3pm to send it", "en", "2026-11-27 15:00"),
        ("2026-11-20 07:01", "明天早上七点一刻叫我起床", "zh", "2026-11-21 07:15"),
    ],
)
def test_clear_time_of_the_person_overrides_the_model(proposed, words, language, expected):
    found = judge(make_schedule(proposed), words, language)

    assert found.schedule == make_schedule(expected)
    assert found.choices == ()


def test_day_without_a_clock_time_keeps_that_of_the_model():
    proposed = make_schedule("2026-11-21 08:15")

    assert judge(proposed, "remind me tomorrow to call").schedule == proposed


def test_one_matching_time_is_enough():
    proposed = make_schedule("2026-11-20 18:00")

    assert judge(proposed, "remind me at 5 to call mum and at 6 to cook").schedule == proposed


def test_ambiguous_time_words_need_a_question():
    found = judge(make_schedule("2026-11-20 19:30"), "remind me at 5 to call mum and at 6 to cook")

    assert [choice.start.hour for choice in found.choices] == [17, 18, 19]


def test_rule_is_compared_by_its_occurrences():
    proposed = read_schedule(datetime(2026, 11, 23, 9, 0), "Europe/Berlin", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0")

    assert judge(proposed, "every Monday at 9 remind me to send the report").schedule == proposed


def test_repetition_missed_by_the_model_is_restored():
    found = judge(make_schedule("2026-11-23 09:00"), "every Monday at 9am remind me to send the report")

    assert str(found.schedule.rule).startswith("FREQ=WEEKLY;BYDAY=MO")


@pytest.mark.parametrize(("words", "language"), [("the first", "en"), ("evening", "en"), ("2号", "zh")])
def test_answer_to_a_question_needs_no_day(words, language):
    proposed = make_schedule("2026-11-21 08:00")

    assert judge(proposed, words, language) == Verdict(schedule=proposed)


def test_repetition_invented_by_the_model_is_removed():
    weekly = read_schedule(datetime(2026, 11, 24, 14, 0), "Europe/Berlin", "FREQ=WEEKLY;BYDAY=TU;BYHOUR=14;BYMINUTE=0")

    assert judge(weekly, "下周二下午两点提醒我开会", "zh").schedule == make_schedule("2026-11-24 14:00")


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("remind me at 5, no, at 6 to call mum", "en"),
        ("remind me at 5 to call mum, no wait, 6", "en"),
        ("下午五点提醒我打电话，不对，六点", "zh"),
    ],
)
def test_corrected_time_of_the_model_is_kept(words, language):
    proposed = make_schedule("2026-11-20 18:00")

    assert judge(proposed, words, language).schedule == proposed


def test_correction_missed_by_the_model_is_applied():
    proposed = make_schedule("2026-11-20 17:00")

    assert judge(proposed, "remind me at 5 to call mum, no, at 6").schedule == make_schedule("2026-11-20 18:00")


@pytest.mark.parametrize("words", ["remind me at 4, 5 and 6 to drink", "remind me at 4pm and 6pm today to drink"])
def test_each_time_of_a_list_is_accepted(words):
    proposed = make_schedule("2026-11-20 18:00")

    assert judge(proposed, words) == Verdict(schedule=proposed)


@pytest.mark.parametrize(
    ("proposed", "words"),
    [
        ("2026-11-21 08:00", "明天早上七点叫我起床，然后八点提醒我吃药"),
        ("2026-11-21 08:00", "明早8:30有课，8点叫我"),
        ("2026-11-20 16:45", "交班前十五分钟提醒我，交班是下午五点"),
        ("2026-12-02 20:00", "12月3号我生日，前一天晚上八点提醒我订蛋糕"),
    ],
)
def test_time_beside_its_reference_is_kept(proposed, words):
    assert judge(make_schedule(proposed), words, "zh") == Verdict(schedule=make_schedule(proposed))


def test_spanish_time_beside_its_reference_is_kept():
    proposed = make_schedule("2026-12-02 20:00")
    words = "el 3 de diciembre es mi cumple, la víspera a las 20:00 recuérdame encargar la tarta"

    assert judge(proposed, words, "es") == Verdict(schedule=proposed)


@pytest.mark.parametrize(("words", "language"), [("and also at 9pm", "en"), ("y también a las 21:00", "es")])
def test_another_hour_comes_as_often_as_the_model_says(words, language):
    daily = read_schedule(datetime(2026, 11, 20, 21, 0), "Europe/Berlin", "FREQ=DAILY;BYHOUR=21;BYMINUTE=0")

    assert judge(daily, words, language) == Verdict(schedule=daily)
