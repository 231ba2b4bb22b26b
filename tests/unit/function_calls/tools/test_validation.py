"""The two checks of arguments, and their messages to a model."""

import json
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from function_calls.tools.declaration.argument_validation import check_arguments, instantiate
from function_calls.tools.declaration.signature import analyse
from function_calls.tools.errors import ArgumentsInvalid, SchemaInvalid
from function_calls.tools.validation.schema_validator import SchemaValidator

SCHEMA = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "enum": ["once", "daily"]},
        "weekday": {"type": ["integer", "null"], "minimum": 0, "maximum": 6},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "place": {"type": "object", "properties": {"a/b": {"type": "string"}}, "required": ["a/b"]},
        "amount": {"anyOf": [{"type": "integer"}, {"type": "object", "properties": {"n": {"type": "integer"}}}]},
    },
    "required": ["type"],
}


def errors_of(raw: object) -> dict[str, str]:
    with pytest.raises(ArgumentsInvalid) as raised:
        check_arguments(SCHEMA, raw, tool="tool")
    return {error.pointer: error.message for error in raised.value.errors}


def test_valid_arguments_come_back_as_they_are():
    assert check_arguments(SCHEMA, '{"type": "once", "tags": ["a"]}').arguments == {"type": "once", "tags": ["a"]}


@pytest.mark.parametrize("raw", ["", "  ", "null", None, "{}", {}])
def test_empty_arguments_are_accepted_in_every_form(raw: object):
    assert check_arguments({"type": "object", "properties": {}}, raw).arguments == {}


def test_every_error_is_reported_at_once_with_its_pointer():
    wrong = {"type": "hourly", "weekday": 9, "tags": ["a", {}], "place": {}, "amount": {"n": "x"}}

    assert errors_of(wrong) == {
        "/type": 'expected one of "once", "daily", got "hourly"',
        "/weekday": "expected a number of at most 6, got 9",
        "/tags/1": "expected a text, got {}",
        "/place/a~1b": "is required and missing",
        "/amount/n": 'expected an integer, got "x"',
    }


def test_dissimilar_alternatives_are_listed():
    assert errors_of({"type": "once", "amount": True}) == {"/amount": "expected an integer or an object, got true"}


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


@pytest.mark.parametrize(
    ("animal", "errors"),
    [
        ({"kind": "cow"}, {"/animal/kind": 'expected one of "cat", "dog", got "cow"'}),
        ({"kind": "dog"}, {"/animal/tricks": "is required and missing"}),
        ({"kind": "cat", "lives": "x"}, {"/animal/lives": 'expected an integer, got "x"'}),
    ],
)
def test_alternatives_are_distinguished_by_their_constant(animal, errors):
    def pet(animal: Annotated[Cat | Dog, Field(discriminator="kind")], count: int = 1) -> None: ...

    found = SchemaValidator(analyse(pet).parameters_schema).validate({"animal": animal})

    assert {error.pointer: error.message for error in found} == errors


def test_the_nearest_allowed_value_is_suggested():
    with pytest.raises(ArgumentsInvalid) as error:
        check_arguments(SCHEMA, {"type": "dayly"})

    assert error.value.errors[0].suggestion == '"daily"'


def test_message_to_the_model_has_one_line_per_field_without_the_input():
    with pytest.raises(ArgumentsInvalid) as error:
        check_arguments(SCHEMA, {"type": "x" * 5000, "weekday": "soon"}, tool="reminder_set")

    lines = error.value.for_model().splitlines()
    assert lines[0] == "The arguments of 'reminder_set' are not valid:"
    assert len(lines) == 3
    assert all(len(line) < 200 and "http" not in line for line in lines)


def test_invalid_schema_is_refused_with_the_reason():
    with pytest.raises(SchemaInvalid, match="dict"):
        SchemaValidator({"type": "dict"})


def test_declared_schema_is_compiled_at_the_first_arguments():
    validator = SchemaValidator({"type": "dict"}, is_sound=True)

    with pytest.raises(SchemaInvalid, match="dict"):
        validator.accepts({})


def test_a_reference_is_never_fetched_from_the_network():
    with pytest.raises(SchemaInvalid):
        SchemaValidator({"$ref": "https://example.invalid/schema.json"})


def test_formats_are_hints_in_external_schemas_and_rules_in_our_own():
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}

    assert SchemaValidator(schema).validate({"day": "soon"}) == []
    assert [error.pointer for error in SchemaValidator(schema, check_formats=True).validate({"day": "soon"})] == [
        "/day"
    ]


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}}, {"a": 1, "b": "x"}),
        ({"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}], "properties": {}}, {"a": 1, "b": 2}),
        ({"properties": {"a": {}}, "patternProperties": {"^x-": {}}}, {"a": 1, "x-b": 2}),
        ({"type": "object"}, {"anything": 1}),
    ],
)
def test_additional_properties_are_kept_if_allowed(schema: dict[str, object], arguments: dict[str, object]):
    assert check_arguments({"type": "object", **schema}, arguments).arguments == arguments


def test_a_schema_is_compiled_once_for_the_same_mapping():
    same = {"type": "object", "properties": {"a": {"type": "integer"}}}
    equal = json.loads(json.dumps(same))

    assert check_arguments(same, '{"a": 1}') == check_arguments(equal, '{"a": 1}')
    assert check_arguments({**same, "required": ["b"], "properties": {"b": {}}}, '{"b": 1}').arguments == {"b": 1}


def test_the_steps_of_the_repair_are_reported():
    checked = check_arguments(SCHEMA, "{'type': 'ONCE'}")

    assert checked.arguments == {"type": "once"}
    assert checked.steps == ("read other quotation marks as double quotes", '/type: read "ONCE" as "once"')


class Inner(BaseModel):
    n: int
    kind: Literal[1, 2] = 1


class Model(BaseModel):
    inner: Inner | None = None
    many: list[Inner] = []
    either: int | Inner = 0
    even: int = Field(default=2, multiple_of=2)


def tool(args: Model) -> None: ...


def test_whole_numbers_with_a_fraction_part_are_integers_at_any_depth():
    made = instantiate(analyse(tool), {"inner": {"n": 3.0, "kind": 2.0}, "many": [{"n": 1}, {"n": 2.0}], "either": 4.0})

    assert made == Model(inner=Inner(n=3, kind=2), many=[Inner(n=1), Inner(n=2)], either=4)


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"inner": {"n": "3"}}, "/inner/n"),
        ({"many": [{"n": 1}, {}]}, "/many/1/n"),
        ({"either": {"n": True}}, "/either/n"),
        ({"even": 3}, "/even"),
        ({"inner": {"n": 2.5}}, "/inner/n"),
    ],
)
def test_second_check_refuses_with_pointers_into_the_arguments(arguments: dict[str, object], pointer: str):
    with pytest.raises(ArgumentsInvalid) as raised:
        instantiate(analyse(tool), arguments)

    assert pointer in [error.pointer for error in raised.value.errors]
    assert "http" not in raised.value.for_model()
