"""Tidying of messages before they are read."""

import pytest

from bot.testing.turns import make_message, make_turn
from function_calls.understanding.reading.names import tidy_text


def tidy(text, *, is_addressed=True):
    return tidy_text(make_turn(make_message(text, is_addressed=is_addressed))).message.text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("remind  me\tat 5\u00a0pm", "remind me at 5 pm"),
        ("first line\nsecond  line", "first line\nsecond line"),
        ("move it to 6 🙏🏽❤️", "move it to 6"),
        ("😅 move it to 6", "move it to 6"),
        ("remind me to water 🌵", "remind me to water 🌵"),
    ],
)
def test_spaces_and_emoji_of_feelings_are_left_out(text, plain):
    assert tidy(text) == plain


@pytest.mark.parametrize("text", ["👍", "@Bubbles 👍", "Bubbles 🙏"])
def test_emoji_alone_stay(text):
    assert tidy(text) == text


def test_emoji_of_talk_stay():
    assert tidy("plus flowers 😩", is_addressed=False) == "plus flowers 😩"


def test_recipients_are_read_with_wide_spaces(say):
    (call,) = say("remind  the  whole  group  tomorrow  at  5pm  to  vote", is_addressed=True).calls

    assert (call.arguments["person"], call.arguments["content"]) == ("everyone", "vote")
