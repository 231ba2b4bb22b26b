"""Impossible times, which are reported."""

import pytest

from tests.unit.understanding.conftest import Say

IMPOSSIBLE = [
    ("remind me on feb 30 to laugh", "en", "on feb 30", "laugh"),
    ("remind me on 31 April at 9:00 to pay", "en", "31 April", "pay"),
    ("remind me on 2026-02-30 at 9:00 to pay", "en", "2026-02-30", "pay"),
    ("remind me on the 35th to pay", "en", "the 35th", "pay"),
    ("remind me tomorrow at 10:75 to eat", "en", "10:75", "eat"),
    ("2月30号提醒我笑", "zh", "2月30号", "笑"),
    ("六月三十一号上午9点提醒我交房租", "zh", "六月三十一号", "交房租"),
    ("明天25点提醒我睡觉", "zh", "25点", "睡觉"),
    ("二十五点提醒我睡觉", "zh", "二十五点", "睡觉"),
]


@pytest.mark.parametrize(("text", "language", "words", "content"), IMPOSSIBLE)
def test_nonexistent_time_needs_a_question(say: Say, text: str, language: str, words: str, content: str) -> None:
    heard = say(text, language=language)

    assert heard.calls == ()
    assert words in heard.answer
    assert f"“{content}”" in heard.answer


@pytest.mark.parametrize(
    "text",
    [
        "remind me tomorrow at 9:00 to buy 35 eggs",
        "remind me tomorrow at 9:00 to call room 75",
        "remind me on May 31 to go",
        "remind me in 75 minutes to go",
        "remind me at 24:00 to sleep",
        "remind me on Feb 29 to jump",
        "remind me at 5pm to read chapter 30",
    ],
)
def test_other_numbers_are_unchanged(say: Say, text: str) -> None:
    assert [call.name for call in say(text).calls] == ["reminder_set"]


def test_answer_sets_the_intended_time(say: Say) -> None:
    say("remind me on feb 30 to laugh")

    (call,) = say("feb 28 at 9:00").calls

    assert (call.arguments["time"], call.arguments["content"]) == ("2027-02-28 09:00", "laugh")


@pytest.mark.parametrize(
    "text",
    [
        "remind me 99999999 days before too",
        "remind me 999999999999999999999 weeks before too",
        "and 99999999 days before that",
        "提前99999999天也提醒我",
    ],
)
def test_date_before_the_calendar_begins_is_reported(say: Say, text: str) -> None:
    say("remind me tomorrow at 9:00 to stretch")

    assert say(text, language="en" if text.isascii() else "zh").calls == ()
