"""Waits of platform tests for messages and edits."""

import pytest

from bot.testing.platform_rig import VisibleMessage, wait_for_words


class Rig:
    """Shows one state of the chat after the other, and the last one from then on."""

    def __init__(self, *states):
        self._states = list(states)

    async def bot_messages(self, count=1):
        texts = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        return [VisibleMessage(id=f"{number} of {count}", text=text) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    "states",
    [
        [["one two three four"]],
        [["one"], ["one", "two three four"]],
        [["one …"], ["one two three four"]],  # an edit: no more messages, more words
        [["one …"], ["one …", "three four"], ["one two", "three four"]],
    ],
)
async def test_all_words_are_waited_for(states):
    messages = await wait_for_words(Rig(*states), 4)

    assert " ".join(each.text for each in messages) == "one two three four"


async def test_last_state_is_returned_after_the_wait():
    messages = await wait_for_words(Rig(["one …"], ["one two"]), 4)

    assert [each.text for each in messages] == ["one two"]
