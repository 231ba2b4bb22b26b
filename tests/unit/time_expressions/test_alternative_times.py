"""Alternative times joined by "or", which are ambiguous readings."""

from itertools import pairwise

import pytest

from services.time_expressions import parse, parse_all


@pytest.mark.parametrize(
    ("text", "moments"),
    [
        ("call him at 5 or 6", ["20 17:00", "20 18:00"]),
        ("tomorrow at 5 or at 6", ["21 17:00", "21 18:00"]),
        ("at 5 or 6pm", ["20 17:00", "20 18:00"]),
        ("tomorrow at 9am or at 10am", ["21 09:00", "21 10:00"]),
        ("today or tomorrow at 5pm", ["20 17:00", "21 17:00"]),
        ("monday or tuesday", ["23 09:00", "24 09:00"]),
        ("tomorrow at 5pm or friday at 6pm", ["21 17:00", "20 18:00"]),
        ("五点或六点", ["20 17:00", "20 18:00"]),
        ("明天下午5点或者6点", ["21 17:00", "21 18:00"]),
        ("明天或后天下午三点", ["21 15:00", "22 15:00"]),
        ("周一还是周二", ["23 09:00", "24 09:00"]),
    ],
)
def test_two_times_joined_by_or_are_two_readings(now, text, moments):
    found = parse(text, now)

    assert [f"{reading.start:%d %H:%M}" for reading in found.readings] == moments
    assert found.ambiguous


@pytest.mark.parametrize("text", ["every day at 5 or 6", "每天5点或6点"])
def test_alternatives_are_no_repetition(now, text):
    assert parse(text, now).best is None


def test_days_joined_by_or_are_days_of_one_repetition(read):
    assert read("every monday or tuesday").rrule == "FREQ=WEEKLY;BYDAY=MO,TU"


def test_or_between_two_times_belongs_to_their_span(now):
    text = "remind me on monday or tuesday to swim"

    assert [text[start:end] for start, end in parse(text, now).readings[0].spans] == ["on monday or tuesday"]


@pytest.mark.parametrize(
    ("text", "moments"),
    [
        ("on dec 5 and 8 at 10", ["05 10:00", "08 10:00"]),
        ("on 5 and 8 december at 10", ["05 10:00", "08 10:00"]),
        ("dec 5th, 8th and 12th at 10am", ["05 10:00", "08 10:00", "12 10:00"]),
        ("今晚和明晚九点", ["20 21:00", "21 21:00"]),
        ("今晚、明晚九点", ["20 21:00", "21 21:00"]),
        ("tonight and tomorrow night at 9", ["20 21:00", "21 21:00"]),
    ],
)
def test_dates_of_a_list_are_separate_times_with_separate_spans(now, text, moments):
    found = parse_all(text, now)

    assert [f"{one.best.start:%d %H:%M}" for one in found] == moments
    spans = [span for one in found for span in one.best.spans]
    assert all(left[1] <= right[0] for left, right in pairwise(spans))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("明天早上和晚上提醒我吃药", ["明天早上", "晚上"]),
        ("friday morning and evening", ["friday morning", "evening"]),
        ("friday morning and in the evening", ["friday morning", "in the evening"]),
    ],
)
def test_several_parts_of_a_day_are_separate_times(now, text, words):
    found = parse_all(text, now)

    assert [text[start:end] for one in found for start, end in one.best.spans] == words
    assert [one.best.part for one in found] == ["morning", "evening"]


@pytest.mark.parametrize("text", ["今日夜晚", "tomorrow late at night"])
def test_two_words_for_one_part_of_a_day_are_one_time(now, text):
    assert len(parse_all(text, now)) == 1


@pytest.mark.parametrize(
    ("text", "words", "start"),
    [
        ("改成下周日，还是四点半叫我起床", "下周日，还是四点半", "29 16:30"),
        ("改成下周日還是四點半叫我起床", "下周日還是四點半", "29 16:30"),
        ("周三还是下午三点", "周三还是下午三点", "25 15:00"),
    ],
)
def test_day_with_an_unchanged_hour_is_not_ambiguous(now, text, words, start):
    found = parse(text, now)

    assert not found.ambiguous
    assert [text[slice(*span)] for span in found.best.spans] == [words]
    assert f"{found.best.start:%d %H:%M}" == start


@pytest.mark.parametrize(
    "text",
    ["周六还是周日", "今天还是明天下午三点", "明天三点还是四点", "明天早上还是晚上八点", "改成明天八点还是后天八点"],
)
def test_days_or_hours_joined_by_the_word_for_still_are_ambiguous(now, text):
    assert parse(text, now).ambiguous


def test_every_day_at_an_unchanged_hour_is_a_rule(read):
    assert read("每天还是下午三点").rrule == "FREQ=DAILY;BYHOUR=15;BYMINUTE=0"


@pytest.mark.parametrize(
    ("text", "moments"),
    [
        ("Thursday 27 November at 15:00", ["2026-11-27 15:00", "2026-11-26 15:00"]),
        ("Thursday 27th", ["2027-05-27 09:00", "2026-11-27 09:00", "2026-11-26 09:00"]),
        ("12月1日（周三）下午三点", ["2026-12-01 15:00", "2026-12-02 15:00"]),
    ],
)
def test_contradictory_date_and_weekday_are_ambiguous(now, text, moments):
    found = parse(text, now)

    assert [f"{reading.start:%Y-%m-%d %H:%M}" for reading in found.readings] == moments
    assert found.ambiguous


@pytest.mark.parametrize("text", ["Thursday the 26th", "Thursday 24th", "周四26号", "Friday 27 November"])
def test_date_with_its_weekday_is_not_ambiguous(now, text):
    assert not parse(text, now).ambiguous


@pytest.mark.parametrize("text", ["12/1 9点半", "12/1 下午三点"])
def test_month_precedes_the_day_in_chinese(now, text):
    found = parse(text, now)

    assert not found.ambiguous
    assert f"{found.best.start:%m-%d}" == "12-01"
