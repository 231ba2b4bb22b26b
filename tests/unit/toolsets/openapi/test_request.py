"""Requests of OpenAPI operations."""

import json

import pytest

from function_calls.tools.calls import ToolSpec
from function_calls.toolsets.openapi.importer import import_document
from function_calls.toolsets.openapi.operation import Operation, Parameter
from function_calls.toolsets.openapi.request import prepare_request
from services.kernel.errors import ToolFailed

ITEMS = ["a b", "c"]
THING = {"x": 1, "y": "z"}


def with_parameter(place, style, *, explode, path="/p"):
    parameter = Parameter(argument="v", name="v", place=place, style=style, explode=explode)
    spec = ToolSpec(name="t", description="", parameters={})
    return Operation(spec=spec, method="get", path=path, parameters=(parameter,))


# Source: the table of https://spec.openapis.org/oas/v3.1.0#style-examples
@pytest.mark.parametrize(
    ("style", "explode", "value", "query"),
    [
        ("form", True, ITEMS, "v=a%20b&v=c"),
        ("form", False, ITEMS, "v=a%20b%2Cc"),
        ("form", True, THING, "x=1&y=z"),
        ("form", False, THING, "v=x%2C1%2Cy%2Cz"),
        ("spaceDelimited", False, ["a", "c"], "v=a%20c"),
        ("pipeDelimited", False, ["a", "c"], "v=a%7Cc"),
        ("deepObject", True, {"x": {"y": 1}}, "v[x][y]=1"),
        ("form", True, True, "v=true"),
        ("form", True, 1234567.0, "v=1234567"),
        ("form", True, "a&b=c", "v=a%26b%3Dc"),
    ],
)
def test_query_parameters_are_written_in_their_style(style, explode, value, query):
    assert prepare_request(with_parameter("query", style, explode=explode), {"v": value}).query == query


@pytest.mark.parametrize(
    ("style", "explode", "value", "path"),
    [
        ("simple", False, "x", "/p/x"),
        ("simple", False, ["a", "b"], "/p/a%2Cb"),
        ("label", True, ["a", "b"], "/p/.a.b"),
        ("matrix", False, "x", "/p/;v=x"),
        ("simple", False, "../../admin", "/p/..%2F..%2Fadmin"),
        ("simple", False, "..", "/p/%2E%2E"),
    ],
)
def test_path_parameters_stay_one_segment(style, explode, value, path):
    assert prepare_request(with_parameter("path", style, explode=explode, path="/p/{v}"), {"v": value}).path == path


def test_a_header_cannot_begin_another_one():
    request = prepare_request(with_parameter("header", "simple", explode=False), {"v": "x\r\nCookie: a=b"})

    assert request.headers == (("v", "x Cookie: a=b"),)


def make_operation(schema, kind):
    body = {"required": True, "content": {kind: {"schema": schema}}}
    raw = {"openapi": "3.1.0", "paths": {"/x": {"post": {"requestBody": body}}}}
    return import_document(raw, "http://t").operations[0]


SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}, "tags": {"type": "array", "items": {}}}}


def test_members_become_a_json_body():
    request = prepare_request(make_operation(SCHEMA, "application/json"), {"text": "好", "tags": ["a"]})

    assert json.loads(request.content) == {"text": "好", "tags": ["a"]}
    assert ("Content-Type", "application/json") in request.headers


def test_members_become_a_form():
    request = prepare_request(
        make_operation(SCHEMA, "application/x-www-form-urlencoded"), {"text": "a&b", "tags": ["a", "b"]}
    )

    assert request.content == b"text=a%26b&tags=a&tags=b"


def test_files_of_a_multipart_form_are_decoded():
    schema = {
        "type": "object",
        "properties": {"file": {"type": "string", "format": "binary"}, "n": {"type": "integer"}},
    }

    request = prepare_request(
        make_operation(schema, "multipart/form-data"), {"file": "data:text/plain;base64,aGk=", "n": 3}
    )

    file, number = request.parts
    assert (file.content, file.content_type, file.file_name) == (b"hi", "text/plain", "file")
    assert (number.content, number.file_name) == (b"3", "")


def test_a_body_of_another_kind_is_sent_as_it_is_written():
    request = prepare_request(make_operation({"type": "string"}, "text/plain"), {"body": "just text"})

    assert request.content == b"just text"


@pytest.mark.parametrize("empty", ["", [], {}])
def test_empty_part_of_a_path_is_refused(empty):
    with pytest.raises(ToolFailed, match="v"):
        prepare_request(with_parameter("path", "simple", explode=False, path="/users/{v}"), {"v": empty})
