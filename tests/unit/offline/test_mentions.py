"""The end of a mentioned name is taken from the platform, not from the words around it."""

import pytest

from tests.unit.offline.conftest import Say


@pytest.mark.parametrize(
    ("text", "name", "content"),
    [],
)
def test_a_name_ends_where_the_platform_says(say: Say, text: str, name: str, content: str) -> None:
    (call,) = say(text, language="zh" if "提醒" in text else "en", mentions=(name,)).calls

    assert (call.arguments["person"], call.arguments["content"]) == (name, content)


def test_longer_name_with_the_same_beginning_is_another_person(say: Say) -> None:
    (call,) = say("remind @Annabel tomorrow at 9:00 to eat", mentions=("Ann",)).calls

    assert call.arguments["person"] == "Annabel"


@pytest.mark.parametrize(
    ("text", "person"),
    [],
)
def test_several_may_be_mentioned_without_a_space_behind_the_last(say: Say, text: str, person: str) -> None:
    (call,) = say(text, language="zh", mentions=("小本", "小齐")).calls

    assert (call.arguments["person"], call.arguments["content"]) == (person, "上线")


@pytest.mark.parametrize(
    "text",
    [
        "让@小明五点提醒我",
    ],
)
def test_question_who_is_to_remind_is_for_others(say: Say, text: str) -> None:
    heard = say(text, language="zh", mentions=("小明",))

    assert (heard.calls, heard.answer) == ((), "")


def test_english_command_may_mention_a_chinese_name(say: Say) -> None:
    (call,) = say("remind @小明 明天九点开会", language="zh", mentions=("小明",)).calls
    (other,) = say("remind @小明 tomorrow at 9 to eat", mentions=("小明",)).calls

    assert (call.arguments["person"], call.arguments["content"]) == ("小明", "开会")
    assert (other.arguments["person"], other.arguments["content"]) == ("小明", "eat")


def test_person_is_reminded_by_name_if_the_bot_is_addressed(say: Say) -> None:
    (call,) = say("提醒一下小王五点开会", language="zh", is_addressed=True).calls

    assert (call.arguments["person"], call.arguments["content"]) == ("小王", "开会")
    assert say("提醒一下小王五点开会", language="zh").calls == ()
