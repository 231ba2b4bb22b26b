"""Mentioned people, whose names end where the platform says."""

import pytest

from tests.unit.understanding.conftest import Say, names


@pytest.mark.parametrize(
    ("text", "name", "content"),
    [
        ("明天9点提醒@阿明浇花", "阿明", "浇花"),
        ("明天9点提醒@阿明遛狗", "阿明", "遛狗"),
        ("提醒@Ann明天9点浇花", "Ann", "浇花"),
        ("remind @Bob Smith tomorrow at 9:00 to eat", "Bob Smith", "eat"),
    ],
)
def test_a_name_ends_where_the_platform_says(say: Say, text: str, name: str, content: str) -> None:
    (call,) = say(text, language="zh" if "提醒" in text else "en", mentions=(name,)).calls

    assert (names(call.arguments["person"]), call.arguments["content"]) == ([name], content)


def test_longer_name_with_the_same_beginning_is_another_person(say: Say) -> None:
    (call,) = say("remind @Annabel tomorrow at 9:00 to eat", mentions=("Ann",)).calls

    assert names(call.arguments["person"]) == ["Annabel"]


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("十分钟后提醒@小本和@小齐上线", "小本和@小齐"),
        ("提醒@小本@小齐十分钟后上线", "小本、@小齐"),
    ],
)
def test_mentions_need_no_space_after_the_last(say: Say, text: str, person: str) -> None:
    (call,) = say(text, language="zh", mentions=("小本", "小齐")).calls

    assert (names(call.arguments["person"]), call.arguments["content"]) == (names(person), "上线")


@pytest.mark.parametrize(
    "text",
    [
        "让@小明五点提醒我",
    ],
)
def test_question_about_who_should_remind_is_ignored(say: Say, text: str) -> None:
    heard = say(text, language="zh", mentions=("小明",))

    assert (heard.calls, heard.answer) == ((), "")


def test_many_mentions_leave_the_effort_for_the_times(say: Say) -> None:
    people = " ".join(f"@{first}{second}" for first in "bcdfghjklmnpqrstvw" for second in "aeiou")

    (call,) = say(f"remind me tomorrow at 9:00 to thank {people}").calls

    assert call.name == "reminder_set"
