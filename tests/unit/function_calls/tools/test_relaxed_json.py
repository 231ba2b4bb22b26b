"""Relaxed JSON: accepted mistakes, refused texts, and unchanged valid JSON."""

import contextlib
import json
import pprint

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from function_calls.tools.validation.relaxed_json import Unreadable, read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
QUICK = settings(max_examples=150, deadline=None)


@QUICK
@given(VALUES)
def test_valid_json_is_read_like_the_standard_parser(value: object):
    read = read_json(json.dumps(value))

    assert read.value == value
    assert read.steps == ()


@QUICK
@given(st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1, max_size=2))
def test_python_literal_is_read(value: dict[str, object]):
    assert read_json(pprint.pformat(value, width=10**6)).value == value


@QUICK
@given(st.dictionaries(st.text(max_size=3), VALUES, min_size=1, max_size=3), st.data())
def test_truncated_text_is_never_read_as_an_object(value: dict[str, object], data: st.DataObject):
    whole = json.dumps(value)
    cut = whole[: data.draw(st.integers(1, len(whole) - 1))]

    with pytest.raises(Unreadable):
        read_json(cut)


@QUICK
@given(st.text(alphabet="{}[]'\",:\\ abc1.-NTu“”，`\n", max_size=30))
def test_any_text_is_read_as_proper_json_or_refused(text: str):
    with contextlib.suppress(Unreadable):
        json.dumps(read_json(text).value, allow_nan=False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'it's'}", {"a": "it's"}),
        ('{"a": "say "hi" to Bob"}', {"a": 'say "hi" to Bob'}),
        ('{"a": "he said "yes""}', {"a": 'he said "yes"'}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ("{'a': '\\u63d0\\ud83d\\ude00\\''}", {"a": "提😀'"}),
        (r'{"a": "\d+", "b": "C:\\new"}', {"a": "\\d+", "b": "C:\\new"}),
        ("[1, 2, +3,]", [1, 2, 3]),
        ("{a-b: undefined}", {"a-b": None}),
    ],
)
def test_mistake_with_a_clear_meaning_is_read(text: str, value: object):
    read = read_json(text)

    assert read.value == value
    assert read.steps


@pytest.mark.parametrize(
    "text",
    ['{"a": "x" "b": "y"}', '["a" "b"]', '["a""b"]', '{"a": "x" b: "y"}', '{"a" 1}', "{,}", '{"a": 01}', '{"a": 0x1F}',
     '{"a": 1} {"b": 2}', '{"a": tru}', "{'a': '\\u12'}", "[1 2]", '{"a": b}'],
)  # fmt: skip
def test_ambiguous_text_is_refused_with_its_place(text: str):
    with pytest.raises(Unreadable, match=r"at character \d+"):
        read_json(text)
