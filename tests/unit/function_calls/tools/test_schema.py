"""Schemas as the specification, models and vendors expect them."""

import re
import uuid
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from function_calls.tools.declaration.signature import analyse
from function_calls.tools.errors import SchemaInvalid
from function_calls.tools.validation.schema import drop_private_keys, inline_refs, model_schema, openai_strict
from function_calls.tools.validation.schema_validator import SchemaValidator


class ReminderArgs(BaseModel):
    """The specification's own model of `reminder_set`."""

    type: Literal["once", "daily", "weekly"] = Field(description="提醒类型:once=一次性提醒,daily=每天,weekly=每周")
    time: str = Field(description="提醒时间。once 使用 'YYYY-MM-DD HH:MM',daily/weekly 使用 'HH:MM'")
    content: str = Field(description="提醒内容,将直接发送给用户")
    weekday: int | None = Field(default=None, description="当 type=weekly 时的星期索引,0=周一 … 6=周日")


class NoArgs(BaseModel):
    """Nothing."""


class Place(BaseModel):
    """Somewhere."""

    city: str
    title: str = "home"


class Trip(BaseModel):
    start: Place
    end: Place | None = None


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: int


def test_reminder_set_has_exactly_the_specifications_schema():
    assert model_schema(ReminderArgs) == {
        "type": "object",
        "required": ["type", "time", "content"],
        "properties": {
            "type": {
                "type": "string",
                "enum": ["once", "daily", "weekly"],
                "description": "提醒类型:once=一次性提醒,daily=每天,weekly=每周",
            },
            "time": {
                "type": "string",
                "description": "提醒时间。once 使用 'YYYY-MM-DD HH:MM',daily/weekly 使用 'HH:MM'",
            },
            "content": {"type": "string", "description": "提醒内容,将直接发送给用户"},
            "weekday": {
                "type": ["integer", "null"],
                "default": None,
                "description": "当 type=weekly 时的星期索引,0=周一 … 6=周日",
            },
        },
        "additionalProperties": False,
    }


def test_a_model_without_fields_is_an_empty_object():
    assert model_schema(NoArgs) == {"type": "object", "properties": {}, "additionalProperties": False}


def test_references_are_inlined_and_titles_dropped_but_not_a_property_named_title():
    schema = model_schema(Trip)

    place = {
        "type": "object",
        "description": "Somewhere.",
        "properties": {"city": {"type": "string"}, "title": {"type": "string", "default": "home"}},
        "required": ["city"],
        "additionalProperties": False,
    }
    assert schema == {
        "type": "object",
        "properties": {"start": place, "end": {**place, "type": ["object", "null"], "default": None}},
        "required": ["start"],
        "additionalProperties": False,
    }


def test_a_type_that_contains_itself_keeps_one_reference():
    schema = model_schema(Node)

    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert set(schema["$defs"]) == {"Node"}
    assert schema["type"] == "object"


def test_a_nullable_enum_lists_null():
    schema = model_schema(Annotated[Literal["a", "b"] | None, Field()])

    assert schema == {"type": ["string", "null"], "enum": ["a", "b", None]}


def test_references_into_other_parts_of_a_document_are_inlined_too():
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/components/schemas/A%20b", "description": "mine"}},
        "components": {"schemas": {"A b": {"type": "string", "description": "theirs"}}},
    }

    assert inline_refs(schema) == {
        "type": "object",
        "properties": {"a": {"type": "string", "description": "mine"}},
    }


def test_reference_to_an_anchor_is_inlined():
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#point"}},
        "default": {"$anchor": "point", "type": "string"},
        "$defs": {"Point": {"$anchor": "point", "type": "integer"}},
    }

    assert inline_refs(schema)["properties"] == {"a": {"type": "integer"}}


def test_recursive_types_of_the_same_name_stay_apart():
    def node(kind, reference):
        return {"type": "object", "properties": {kind: {"type": "integer"}, "next": {"$ref": reference}}}

    inlined = inline_refs(
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/Node"}, "b": {"$ref": "#/definitions/Node"}, "c": {"$ref": "#Node"}},
            "$defs": {"Node": node("x", "#/$defs/Node"), "Anchored": {"$anchor": "Node", **node("z", "#Node")}},
            "definitions": {"Node": node("y", "#/definitions/Node")},
        }
    )
    schema = SchemaValidator(inlined)

    assert schema.accepts({name: {kind: 1, "next": {kind: 1}} for name, kind in zip("abc", "xyz", strict=True)})
    assert not any(schema.accepts({"b": {"y": 1, "next": {kind: 1}}}) for kind in "xz")


def test_types_that_refer_to_each_other_are_inlined_in_bounded_time():
    kinds = [f"K{number}" for number in range(12)]
    part = {"properties": {kind: {"$ref": f"#/$defs/{kind}"} for kind in kinds}}

    schema = inline_refs({**part, "$defs": dict.fromkeys(kinds, part)})

    assert set(schema["$defs"]) == set(kinds)


@pytest.mark.parametrize("reference", ["#/$defs/Gone", "#gone", f"#/list/{'9' * 5000}"])
def test_dangling_reference_is_an_error_that_names_it(reference):
    with pytest.raises(SchemaInvalid, match=re.escape(reference)):
        inline_refs({"properties": {"a": {"$ref": reference}}, "list": [{}]})


def test_the_strict_variant_requires_everything_and_makes_the_optional_nullable():
    strict = openai_strict(model_schema(ReminderArgs))

    assert strict is not None
    assert strict["required"] == ["type", "time", "content", "weekday"]
    assert strict["additionalProperties"] is False
    assert strict["properties"]["weekday"]["type"] == ["integer", "null"]
    assert "default" not in strict["properties"]["weekday"]


def test_the_strict_variant_reaches_into_nested_objects():
    strict = openai_strict(model_schema(Trip))

    assert strict is not None
    assert strict["properties"]["start"]["required"] == ["city", "title"]
    assert strict["properties"]["start"]["additionalProperties"] is False


@pytest.mark.parametrize("annotation", [dict[str, int], dict[str, dict[str, int]]])
def test_open_dictionaries_have_no_strict_variant(annotation: object):
    schema = {"type": "object", "properties": {"v": model_schema(annotation)}, "required": ["v"]}

    assert openai_strict(schema) is None


def test_internal_keys_are_not_published():
    schema = {"type": "object", "properties": {"x-ray": {"type": "string", "x-aliases": {"每天": "daily"}}}}

    assert drop_private_keys(schema) == {"type": "object", "properties": {"x-ray": {"type": "string"}}}


def test_integer_keys_of_a_dictionary_are_checked_in_the_schema():
    schema = model_schema(dict[int, str])

    assert schema["propertyNames"] == {"pattern": "^-?(0|[1-9][0-9]{0,18})$"}


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (uuid.UUID, {"format": "uuid"}),
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (str, None),
    ],
)
def test_other_keys_of_a_dictionary_are_checked_as_their_class_reads_them(keys: Any, names: dict[str, Any] | None):
    assert model_schema(dict[keys, int]).get("propertyNames") == names


@pytest.mark.parametrize("kind", [Decimal, Annotated[Decimal, Field(gt=0, max_digits=5)]])
def test_a_decimal_is_a_number_or_a_text(kind: Any):
    assert [arm["type"] for arm in model_schema(kind)["anyOf"]] == ["number", "string"]


@pytest.mark.parametrize(
    ("price", "is_right"), [("6.00", True), ("0.01", True), (6, True), ("0", False), ("-1", False), ("1e9", False)]
)
def test_the_bounds_of_a_decimal_hold_for_a_text(price: object, is_right: bool):
    def pay(price: Annotated[Decimal, Field(gt=0, le=1000)]) -> str:
        """Pay."""
        return str(price)

    signature = analyse(pay)
    errors = signature.validator.validate({"price": price})

    assert (not errors) == is_right
    assert not any("x-" in key for arm in signature.parameters_schema["properties"]["price"]["anyOf"] for key in arm)


def test_a_text_that_is_out_of_bounds_is_refused_like_the_number():
    def pay(price: Annotated[Decimal, Field(gt=0)]) -> str:
        """Pay."""
        return str(price)

    (error,) = analyse(pay).validator.validate({"price": "-1"})

    assert (error.rule, error.expected, error.got) == ("exclusiveMinimum", "a number above 0.0", '"-1"')


def test_a_discriminated_union_leaves_no_reference_behind():
    schema = model_schema(Annotated[Cat | Dog, Field(discriminator="kind")])

    assert "$ref" not in str(schema)
    assert "$defs" not in str(schema)
