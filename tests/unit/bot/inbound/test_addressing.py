"""Messages that address the bot by its name."""

import pytest

from bot.platforms.kit.events import is_called


@pytest.mark.parametrize(
    "text",
    [
        "Bubbles, what's up?",
        "@bubbles help",
        "thanks @Bubbles!",
        "hey bubbles how are you",
        "help me, Bubbles",
        "Bubbles你好",
    ],
)
def test_message_with_the_name_is_addressed(text):
    assert is_called(text, "Bubbles")


@pytest.mark.parametrize(
    "text", ["I like bubbles in my tea", "bubblesort is slow", "@bubbles_fan hi", "no name here", ""]
)
def test_talk_about_bubbles_is_not_a_call(text):
    assert not is_called(text, "Bubbles")


def test_chinese_name_is_recognised_without_spaces():
    assert is_called("泡泡，今天几号", "泡泡")
    assert is_called("大家好 @泡泡", "泡泡")
