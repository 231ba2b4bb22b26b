"""Questions about the clock time and the date, which are answered without a search."""

import pytest

from tests.unit.understanding.conftest import Say


@pytest.mark.parametrize(
    "text", ["what time is it?", "What's the date today", "what day is it", "do you know what time it is"]
)
def test_time_and_date_are_answered(say: Say, text: str) -> None:
    heard = say(text, is_addressed=True)

    assert heard.answer == "It is 10:00 on Wednesday 4 March 2026 (Asia/Shanghai)."


@pytest.mark.parametrize("text", ["现在几点了", "今天几号？", "今天星期几", "请问现在几点钟啦"])
def test_time_and_date_are_answered_in_chinese(say: Say, text: str) -> None:
    heard = say(text, language="zh", is_addressed=True)

    assert heard.answer == "现在是2026年3月4日 周三 10:00（Asia/Shanghai）。"


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [
        ("what time is it in London", "en", "02:00"),
        ("伦敦现在几点", "zh", "02:00"),
        ("what day is tomorrow", "en", "Thursday 5 March 2026"),
        ("下周五几号", "zh", "3月13日"),
        ("how many days till Easter?", "en", "Sunday 5 April 2026, in 32 days"),
    ],
)
def test_time_in_places_and_on_other_days_is_answered(say: Say, text: str, language: str, told: str) -> None:
    assert told in say(text, language=language, is_addressed=True).answer


def test_question_between_people_is_not_answered(say: Say) -> None:
    heard = say("what time is it?")

    assert (heard.calls, heard.answer) == ((), "")
