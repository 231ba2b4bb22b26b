"""The interpreter reads arbitrary texts without errors, in bounded time."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from function_calls.understanding import OfflineInterpreter
from services.time_expressions import parse_all
from tests.unit.understanding.conftest import NOW, Say, interpret_text

ENGLISH = ["remind", "me", "to", "at 5", "tomorrow", "and", "delete", "reminder", "all", ",", ".", "the", "my", "list"]
CHINESE = ["提醒", "我", "明天", "五点", "删除", "取消", "总结", "一下", "，", "搜索", "和"]
WORDS = st.sampled_from(ENGLISH + CHINESE)
SOUP = st.lists(WORDS, max_size=25).map(" ".join)
# The characters that stand for times inside, and anything else, among the words that make the bot listen.
MIXED = st.lists(st.one_of(WORDS, st.text(max_size=20), st.sampled_from(["\ue000", "\ue001 ", "\uefff"])), max_size=12)


def count_calls(text: str, *, is_addressed: bool = False) -> int:
    return len(interpret_text(OfflineInterpreter(), text, is_addressed=is_addressed).calls)


@settings(max_examples=150, deadline=None)
@example(text=":#0²删", is_addressed=True)  # str.isdigit() accepts "²", int() does not
@given(text=st.one_of(st.text(max_size=300), MIXED.map("".join), MIXED.map(" ".join)), is_addressed=st.booleans())
def test_any_text_is_read(text: str, is_addressed: bool) -> None:
    assert count_calls(text, is_addressed=is_addressed) >= 0


@settings(max_examples=80, deadline=None)
@given(text=SOUP, is_addressed=st.booleans())
def test_random_trigger_words_make_a_bounded_number_of_calls(text: str, is_addressed: bool) -> None:
    assert count_calls(text, is_addressed=is_addressed) <= 10


@pytest.mark.parametrize(
    "piece",
    [
        "and ",
        "   ",
        "please ",
        ", ",
        "@@",
        "五点",
        "每周一三五",
        "1 ",
        "提醒我",
        "从今天开始",
        "to ",
        "no, ",
        "👍",
        "delete ",
    ],
)
@pytest.mark.parametrize("is_addressed", [False, True])
def test_request_of_ten_thousand_characters_is_read_in_bounded_time(say: Say, piece: str, is_addressed: bool) -> None:
    text = "remind me at 5 to " + piece * (10_000 // len(piece))
    say("hello")
    began = time.process_time()

    say(text, is_addressed=is_addressed)

    # A backtracking regular expression took seconds here; about ten milliseconds are used.
    assert time.process_time() - began < 0.3


@pytest.mark.parametrize("piece", ["五点", "每周一三五", "一", "1 ", "monday and ", "12:30 ", "从今天开始"])
def test_times_in_ten_thousand_characters_are_parsed_in_bounded_time(piece: str) -> None:
    parse_all("at 5", NOW)
    began = time.process_time()

    parse_all(piece * (10_000 // len(piece)), NOW)

    # All phrases of such a text took a second; some forty milliseconds are used.
    assert time.process_time() - began < 0.5
