"""Streamed text without call syntax, for any division into deltas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from function_calls.model_calls.text_tool_calls.calls import find_text_calls
from function_calls.model_calls.text_tool_calls.stream_filter import StreamFilter

NAMES = ("reminder_set", "summary")
CALLS = [
    '<tool_call>{"name": "summary", "arguments": {}}</tool_call>',
    '{"name": "summary", "arguments": {}}',
    '```json\n{"name": "summary", "arguments": {}}\n```',
    '[TOOL_CALLS][{"name": "summary", "arguments": {}}]',
    'reminder_set(content="tea")',
    "<think>hm</think>",
    'commentary to=functions.summary json{"topic": "tea"}',
    'assistantcommentary to=functions.summary json{"topic": "tea"}',
]
WORDS = [
    "It is ten o'clock.",
    "好的，我看一下。",
    "The summary of it [1] is here.",
    "a < b, `code` and {x}",
    "remind",
    "in [TO] we trust",
    "no commentary today",
    "the assistants comment",
]


async def stream(text, size):
    pieces = []

    async def listener(piece):
        pieces.append(piece)

    gate = StreamFilter(listener, NAMES)
    for start in range(0, len(text), size):
        await gate.feed(text[start : start + size])
    return gate, pieces


@pytest.mark.parametrize("call", CALLS)
@given(size=st.integers(min_value=1, max_value=20))
async def test_call_syntax_is_not_streamed_before_the_answer_is_parsed(call, size):
    _, pieces = await stream(f"Sure. {call}", size)

    assert "".join(pieces).strip() == "Sure."


@pytest.mark.parametrize("words", WORDS)
@given(size=st.integers(min_value=1, max_value=20))
async def test_text_is_streamed_completely_and_once(words, size):
    gate, pieces = await stream(words, size)

    await gate.finish(find_text_calls(words, NAMES).text)

    assert "".join(pieces) == words


async def test_text_is_streamed_while_it_arrives():
    _, pieces = await stream("It is ten o'clock now.", 5)

    assert len(pieces) > 3


async def test_half_a_character_is_streamed_as_a_replacement():
    _, pieces = await stream("tea \ud83d now", 3)

    assert "".join(pieces).startswith("tea \ufffd")


async def test_very_long_word_is_streamed_in_linear_time():
    word = "a" * 100_000 + "-"

    _, pieces = await stream(word, len(word))

    assert pieces == [word]
