"""Where a mentioned name ends is known from the platform, not from the words around it."""

import pytest

from tests.unit.offline.conftest import Say


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

    assert (call.arguments["person"], call.arguments["content"]) == (name, content)


def test_a_longer_name_that_begins_alike_is_another_person(say: Say) -> None:
    (call,) = say("remind @Annabel tomorrow at 9:00 to eat", mentions=("Ann",)).calls

    assert call.arguments["person"] == "Annabel"
