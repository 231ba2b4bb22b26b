"""Shares of tools in the reading of a message."""

import pytest

from bot.testing.turns import make_turn
from function_calls.grounding.intents import asks_for_any
from function_calls.grounding.message import ReadMessage
from function_calls.tools.calls import ToolSpec

NAMES = ("reminder_set", "reminder_delete", "undo")
TOOLS = [ToolSpec(name=name, description=name, parameters={"type": "object"}) for name in NAMES]


@pytest.mark.parametrize(
    "text", ["remind me at 8 to call mum", "what is the capital of France?", "undo that", "明天下午三点提醒我开会", ""]
)
def test_share_of_a_tool_is_that_of_the_whole_reading(text):
    message = ReadMessage(make_turn(text))

    share = 1.0 if message.reading is None else message.reading.probability("set")
    share += (
        0.0
        if message.reading is None
        else sum(message.reading.probability(each) for each in ("repeat_last", "answer_when", "answer_content"))
    )
    assert message.share_of("reminder_set") == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("remind me at 8 to call mum", True),
        ("undo that", True),
        ("@bubbles 取消它", True),
        ("what is the capital of France?", False),
        ("I had a great day and then we went to the zoo", False),
        ("冰岛的极光今年好看吗", False),  # a question first, and perhaps a request for a reminder
    ],
)
def test_request_for_a_change_is_distinguished_from_other_messages(text, asks):
    assert asks_for_any(make_turn(text, tools=TOOLS), NAMES) is asks
