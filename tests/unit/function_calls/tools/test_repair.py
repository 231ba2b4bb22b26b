"""Malformed arguments: each is repaired or refused with one precise error."""

import json
import math
import time

import pytest

from function_calls.tools.declaration.argument_validation import check_arguments
from function_calls.tools.errors import ArgumentsInvalid
from function_calls.tools.validation.relaxed_json import DEEPEST, MAX_BYTES
from function_calls.tools.validation.repair import Repaired, repair
from function_calls.tools.validation.schema_validator import SchemaValidator

SCHEMA = {
    "type": "object",
    "properties": {
        "type": {
            "type": "string",
            "enum": ["once", "daily", "weekly"],
            "description": "提醒类型: once=一次性提醒 (one time), daily=每天, weekly=每周",
        },
        "time": {"type": "string"},
        "content": {"type": "string", "minLength": 1},
        "weekday": {"type": ["integer", "null"], "minimum": 0, "maximum": 6},
        "due_date": {"type": "string"},
        "is_private": {"type": "boolean"},
        "amount": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "street_name": {"type": "string"}},
            "required": ["city"],
        },
    },
    "required": ["type", "time", "content"],
}
OTHERS = {
    "reminder_set": SCHEMA,
    "perplexity_search": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    "reminder_list": {"type": "object", "properties": {}},
}
VALIDATOR = SchemaValidator(SCHEMA)
RIGHT = {"type": "daily", "time": "08:00", "content": "tea"}
TEXT = json.dumps(RIGHT)


def repair_call(raw: object, tool: str = "reminder_set") -> Repaired:
    validator = VALIDATOR if tool == "reminder_set" else SchemaValidator(OTHERS[tool])
    return check_arguments(validator, raw, tool=tool, other_tools=OTHERS)


def refusal(raw: object, tool: str = "reminder_set") -> str:
    with pytest.raises(ArgumentsInvalid) as error:
        repair_call(raw, tool)
    return error.value.for_model()


MENDED = {
    "double-encoded": json.dumps(TEXT),
    "encoded three times": json.dumps(json.dumps(TEXT)),
    "wrapped in arguments": json.dumps({"arguments": RIGHT}),
    "wrapped in parameters": json.dumps({"parameters": RIGHT}),
    "wrapped in input": json.dumps({"input": RIGHT}),
    "wrapped in args": json.dumps({"args": RIGHT}),
    "wrapped in the tool's name": json.dumps({"reminder_set": RIGHT}),
    "a whole call": json.dumps({"name": "reminder_set", "arguments": RIGHT}),
    "a whole call as text": json.dumps({"type": "function", "function": {"name": "reminder_set", "arguments": TEXT}}),
    "single quotes": str(RIGHT),
    "single quotes and an apostrophe": "{'type': 'daily', 'time': '08:00', 'content': 'tea'}",
    "typographic quotes": TEXT.replace('"', "“"),
    "full-width punctuation": "｛“type”：“daily”，“time”：“08:00”，“content”：“tea”｝",
    "trailing comma": TEXT[:-1] + ",}",
    "bare names": "{type: 'daily', time: '08:00', content: 'tea'}",
    "markdown fence": f"```json\n{TEXT}\n```",
    "markdown fence after a sentence": f"Here you are:\n```\n{TEXT}\n```\n",
    "surplus brackets": TEXT + "}}",
    "names in capitals": json.dumps({"Type": "daily", "TIME": "08:00", "content": "tea"}),
    "invisible and full-width letters in names": json.dumps(
        {"\u200btype": "daily", "ｔｉｍｅ": "08:00", "content": "tea"}
    ),
    "byte order mark": "\ufeff" + TEXT,
    "null for an unknown name": json.dumps({**RIGHT, "confidence": None}),
    "null for optional": json.dumps({**RIGHT, "due_date": None, "tags": None}),
    "enum in another case": json.dumps({**RIGHT, "type": "Daily"}),
    "enum in another language": json.dumps({**RIGHT, "type": "每天"}, ensure_ascii=False),
    "list for scalar": json.dumps({**RIGHT, "type": ["daily"]}),
}


@pytest.mark.parametrize("raw", MENDED.values(), ids=MENDED.keys())
def test_malformed_call_with_a_clear_meaning_is_repaired_and_explained(raw: str):
    result = repair_call(raw)

    assert result.arguments == RIGHT
    assert result.steps


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"weekday": "3"}, {"weekday": 3}),
        ({"weekday": "３"}, {"weekday": 3}),
        ({"weekday": " 3 "}, {"weekday": 3}),
        ({"weekday": [3]}, {"weekday": 3}),
        ({"weekday": ""}, {"weekday": None}),
        ({"weekday": "None"}, {"weekday": None}),
        ({"amount": "1.5"}, {"amount": 1.5}),
        ({"is_private": "True"}, {"is_private": True}),
        ({"is_private": "是"}, {"is_private": True}),
        ({"time": 8}, {"time": "8"}),
        ({"dueDate": "x"}, {"due_date": "x"}),
        ({"due-date": "x"}, {"due_date": "x"}),
        ({"tags": '["a", "b"]'}, {"tags": ["a", "b"]}),
        ({"place": '{"city": "Rome"}'}, {"place": {"city": "Rome"}}),
        ({"city": "Rome", "streetName": "Via"}, {"place": {"city": "Rome", "street_name": "Via"}}),
        ({"place.city": "Rome"}, {"place": {"city": "Rome"}}),
        ({"place": {"City": "Rome", "zz": None}}, {"place": {"city": "Rome"}}),
    ],
)
def test_value_in_another_form_is_converted_to_the_schema(given: dict[str, object], expected: dict[str, object]):
    result = repair_call({**RIGHT, **given})

    assert result.arguments == {**RIGHT, **expected}
    assert result.steps


def test_python_literals_are_read():
    result = repair_call("{'type': 'daily', 'time': '08:00', 'content': 'tea', 'weekday': None, 'is_private': True}")

    assert result.arguments == {**RIGHT, "weekday": None, "is_private": True}


REFUSED = {
    "cut off in an object": (TEXT[:-1], "cut off"),
    "cut off in a text": (TEXT[:-3], "cut off"),
    "cut off after a comma": ('{"type": "daily",', "cut off"),
    "NaN": ('{"type": "daily", "amount": NaN}', "NaN is not a number"),
    "infinity": ('{"type": "daily", "amount": -Infinity}', "-Infinity is not a number"),
    "a number beyond all bounds": ('{"amount": 1e999}', "too large a number"),
    "a number of endless digits": ('{"weekday": ' + "9" * 5000 + "}", "digits"),
    "huge": ('{"content": "' + "x" * MAX_BYTES + '"}', "longer than"),
    "huge in bytes": ('{"content": "' + "提" * (MAX_BYTES // 2) + '"}', "longer than"),
    "deep": ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "levels deep"),
    "deep beyond the stack": ("[" * 200_000, "levels deep"),
    "deep in single quotes": ("{'a': " * 70 + "1" + "}" * 70, "levels deep"),
    "another tool's arguments": ('{"query": "weather"}', "arguments of the tool 'perplexity_search'"),
    "a call of another tool": ('{"name": "summary", "arguments": {}}', 'name the tool "summary"'),
    "a list": (f"[{TEXT}]", "expected an object"),
    "a number": ("7", "expected an object"),
    "prose": ("I will set a reminder", "not JSON"),
    "a slip in an optional name": (json.dumps({**RIGHT, "weekdy": 3}), "Did you mean 'weekday'"),
    "half a character": ('{"content": "\\ud800"}', "lone surrogate"),
    "half a character, raw": ('{"content": "\ud800"}', "lone surrogate"),
    "a missing comma": ('{"type": "daily" "time": "08:00"}', "not JSON"),
    "two values for a scalar": (json.dumps({**RIGHT, "type": ["daily", "once"]}), "/type"),
    "scalar for list": (json.dumps({**RIGHT, "tags": "not a list"}), "/tags"),
    "null for required": (json.dumps({**RIGHT, "content": None}), "/content"),
    "a number that is none": (json.dumps({**RIGHT, "weekday": "about three"}), "/weekday"),
    "an unknown enum value": (json.dumps({**RIGHT, "type": "daily_zzz"}), '"once", "daily", "weekly"'),
    "empty": ("", "/content: is required and missing"),
    "an unknown argument": (json.dumps({**RIGHT, "confidence": 0.9}), "/confidence: is not an argument of this tool"),
    "an unknown argument inside": (json.dumps({**RIGHT, "place": {"city": "Rome", "zz": 1}}), "/place/zz: is not an"),
    "an unknown argument like one": (json.dumps({**RIGHT, "dve_date": "1.5."}), "Did you mean 'due_date'"),
}


@pytest.mark.parametrize(("raw", "expected"), REFUSED.values(), ids=REFUSED.keys())
def test_ambiguous_malformed_call_is_refused_with_a_precise_error(raw: str, expected: str):
    assert expected in refusal(raw)


def test_missing_argument_is_reported_with_the_similar_unknown_one():
    message = refusal({"type": "daily", "time": "08:00", "message": "tea"})

    assert "/content: is required and missing" in message
    assert "/message: is not an argument of this tool" in message


def test_tool_without_arguments_refuses_those_of_another():
    assert "perplexity_search" in refusal({"query": "weather"}, tool="reminder_list")
    assert "/verbose: is not an argument of this tool" in refusal({"verbose": True}, tool="reminder_list")


@pytest.mark.parametrize("value", [math.nan, math.inf, {1, 2}, {"content": object()}])
def test_object_without_a_json_form_is_refused(value: object):
    assert "not a JSON value" in refusal({**RIGHT, "amount": value} if isinstance(value, float) else value)


def test_arguments_that_came_as_an_object_are_treated_like_a_text():
    assert repair_call(RIGHT).arguments == RIGHT
    assert repair_call({"arguments": RIGHT}).arguments == RIGHT


@pytest.mark.parametrize(
    "valid",
    [
        RIGHT,
        {**RIGHT, "content": '{"arguments": {"a": 1}}'},
        {**RIGHT, "content": " None ", "due_date": "", "weekday": None},
        {**RIGHT, "content": "１２３ “quoted”，\u200b`x`"},
        {**RIGHT, "tags": ["[1]", "null"], "amount": 2, "place": {"city": "true"}},
    ],
)
def test_valid_arguments_pass_untouched(valid: dict[str, object]):
    result = repair_call(json.dumps(valid))

    assert result == Repaired(arguments=valid)


def test_a_declared_argument_named_like_a_wrapper_is_an_argument():
    schema = SchemaValidator({"type": "object", "properties": {"input": {"type": "object"}}, "required": ["input"]})

    assert repair({"input": {"a": 1}}, schema).arguments == {"input": {"a": 1}}


def test_alternative_of_a_union_is_found_by_its_constant():
    arms = [
        {"type": "object", "properties": {"kind": {"const": kind}, "n": {"type": "integer"}}, "required": ["kind", "n"]}
        for kind in ("cat", "dog")
    ]
    schema = SchemaValidator({"type": "object", "properties": {"pet": {"oneOf": arms}}})

    assert repair({"pet": {"kind": "Cat", "n": "1"}}, schema).arguments == {"pet": {"kind": "cat", "n": 1}}


def test_ambiguous_enum_value_is_no_conversion():
    either = {"anyOf": [{"type": "integer"}, {"type": "boolean"}, {"enum": ["Yes", "YES"]}]}
    schema = SchemaValidator({"type": "object", "properties": {"v": either}})

    assert repair({"v": "12"}, schema).arguments == {"v": 12}
    assert repair({"v": "yes"}, schema).arguments == {"v": True}
    assert repair({"v": "maybe"}, schema).errors


@pytest.mark.parametrize("text", ["a" * 200_000, "a b" + " " * 200_000 + "c"], ids=["word", "spaces"])
def test_open_fence_is_refused_in_bounded_time(text):
    assert "not JSON" in refusal(f"```{text}")


@pytest.mark.parametrize(
    "raw",
    ["{'content': '" + "it's " * 20_000 + "'", '{"content": "' + '<a href=\\"#\\">{' * 5_000],
    ids=["apostrophes", "escaped quotes"],
)
def test_huge_text_that_is_cut_off_is_refused_in_bounded_time(raw):
    start = time.perf_counter()

    assert "cut off" in refusal(raw)
    assert time.perf_counter() - start < 1


def document_with(leaf, depth):
    node = leaf
    for level in range(depth):
        node = {"type": KINDS[level % len(KINDS)], "content": [node]}
    return {"body": node}


KINDS = [f"kind{number}" for number in range(10)]
DOCUMENT = SchemaValidator(
    {
        "type": "object",
        "properties": {"body": {"$ref": "#/$defs/Node"}},
        "$defs": {
            "Node": {
                "anyOf": [
                    {"type": "object", "properties": {"type": {"const": "text"}, "size": {"type": "integer"}}},
                    *(
                        {
                            "type": "object",
                            "properties": {
                                "type": {"const": kind},
                                "content": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                            },
                        }
                        for kind in KINDS
                    ),
                ]
            }
        },
    }
)


def test_value_deep_in_a_recursive_type_is_converted_in_bounded_time():
    start = time.perf_counter()
    repaired = repair(document_with({"type": "text", "size": "7"}, depth=12), DOCUMENT)

    assert repaired.arguments == document_with({"type": "text", "size": 7}, depth=12)
    assert time.perf_counter() - start < 1


def test_error_deep_in_a_recursive_type_is_explained_in_bounded_time():
    start = time.perf_counter()
    [error] = repair(document_with({"type": "text", "size": "large"}, depth=12), DOCUMENT).errors

    assert error.pointer == "/body" + "/content/0" * 12 + "/size"
    assert error.message == 'expected an integer, got "large"'
    assert time.perf_counter() - start < 1
