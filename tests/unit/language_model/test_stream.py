"""Server-sent events, for any division into pieces."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.kernel.errors import ModelUnavailable
from services.language_model.stream import StreamedAnswer, event_data

STREAM = 'data: {"a": "喝水"}\r\n\r\n: a comment\n\nevent: x\ndata:{"b": 1}\n\ndata: [DONE]'.encode()


async def pieces(data, cuts):
    edges = [0, *sorted(cuts), len(data)]
    for start, end in pairwise(edges):
        yield data[start:end]


@given(cuts=st.lists(st.integers(min_value=0, max_value=len(STREAM)), max_size=8))
async def test_events_are_the_same_wherever_the_stream_is_cut(cuts):
    found = [data async for data in event_data(pieces(STREAM, cuts))]

    assert found == ['{"a": "喝水"}'.encode(), b'{"b": 1}', b"[DONE]"]


def chunk(delta=None, finish_reason=None, **fields):
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish_reason}], **fields}


def delta_call(arguments="", **fields):
    function = {key: fields.pop(key) for key in ("name",) if key in fields} | {"arguments": arguments}
    return {"tool_calls": [{**fields, "function": function}]}


def test_interleaved_call_deltas_are_separated_by_index():
    answer = StreamedAnswer()
    for part in (
        delta_call(index=0, id="a", name="one"),
        delta_call(index=1, id="b", name="two"),
        delta_call('{"x"', index=0),
        delta_call('{"y"', index=1),
        delta_call(": 1}", index=0),
        delta_call(": 2}", index=1),
    ):
        answer.add_chunk(chunk(part))
    answer.add_chunk(chunk(finish_reason="tool_calls"))

    found = answer.completion().calls

    assert [(entry.id, entry.name, entry.arguments) for entry in found] == [
        ("a", "one", '{"x": 1}'),
        ("b", "two", '{"y": 2}'),
    ]


def test_calls_without_an_index_begin_with_each_new_id():
    answer = StreamedAnswer()
    for part in (delta_call('{"x": 1}', id="a", name="one"), delta_call('{"y":', id="b", name="two"), delta_call("2}")):
        answer.add_chunk(chunk(part))
    answer.add_chunk(chunk(finish_reason="stop"))

    completion = answer.completion()

    assert [(entry.name, entry.arguments) for entry in completion.calls] == [("one", '{"x": 1}'), ("two", '{"y":2}')]
    assert completion.finish_reason == "tool_calls"


@pytest.mark.parametrize("place", [{"index": 0}, {}])
@pytest.mark.parametrize("names", [("one", "two"), ("one", "one"), ("one", "")])
@pytest.mark.parametrize("cut", [0, 4])
def test_calls_with_the_same_id_and_index_are_separated(place, names, cut):
    answer = StreamedAnswer()
    for name, arguments in zip(names, ('{"x": 1}', '{"x": 2}'), strict=True):
        named = {"name": name} if name else {}
        answer.add_chunk(chunk(delta_call(arguments[:cut], id="a", **named, **place)))
        answer.add_chunk(chunk(delta_call(arguments[cut:], **place)))
    answer.add_chunk(chunk(finish_reason="tool_calls"))

    found = answer.completion().calls

    assert [(entry.name, entry.arguments) for entry in found] == [
        (names[0], '{"x": 1}'),
        (names[1] or names[0], '{"x": 2}'),
    ]


def test_repeated_arguments_are_no_second_call():
    answer = StreamedAnswer()
    for arguments in ("", '{"x": ', "1}", '{"x":1}'):
        answer.add_chunk(chunk(delta_call(arguments, index=0, id="a", name="one")))
    answer.add_chunk(chunk(finish_reason="tool_calls"))

    assert [json.loads(entry.arguments) for entry in answer.completion().calls] == [{"x": 1}]


def test_arguments_that_open_one_bracket_after_another_end_no_stream():
    answer = StreamedAnswer()
    for arguments in ('{"x": ' + "[" * 100_000, "{"):
        answer.add_chunk(chunk(delta_call(arguments, index=0, name="one")))
    answer.add_chunk(chunk(finish_reason="tool_calls"))

    assert [entry.name for entry in answer.completion().calls] == ["one"]


def test_thousands_of_parts_that_begin_anew_are_read_in_linear_time():
    answer = StreamedAnswer()
    for _ in range(60_000):
        answer.add_chunk(chunk(delta_call("{1}", index=0, name="one")))
    answer.add_chunk(chunk(finish_reason="tool_calls"))

    assert [entry.name for entry in answer.completion().calls] == ["one"]


def test_a_stream_without_a_finish_reason_was_cut():
    answer = StreamedAnswer()
    answer.add_chunk(chunk({"content": "half"}))

    with pytest.raises(ModelUnavailable) as error:
        answer.completion()

    assert error.value.reason == "malformed"


def test_an_error_inside_the_stream_is_raised():
    with pytest.raises(ModelUnavailable, match="overloaded"):
        StreamedAnswer().add_event(json.dumps({"error": {"message": "overloaded"}}).encode())
