"""The argument class accepts all values of the schema, for generated types."""

import datetime as dt
import decimal
import enum
import functools
import os
import uuid
from typing import Annotated, Any, Literal

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from function_calls.tools.declaration.argument_validation import instantiate
from function_calls.tools.declaration.signature import FunctionSignature, analyse
from function_calls.tools.errors import ArgumentsInvalid
from function_calls.tools.validation.repair import repair


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Node(BaseModel):
    name: str
    children: list["Node"] = []


TEXTS = st.text(max_size=5)
NUMBERS = st.integers(-(10**6), 10**6)
SCALARS: list[Any] = [None, True, False, 0, 1, -7, 31, 2.0, 1.5, 1e300, "", "1", "1.5", "a", "red", "RED", "None",
                      "2026-03-04", "2026-03-04T10:00:00", "10:00", "PT5M", "x" * 9]  # fmt: skip
SCALAR = st.sampled_from(SCALARS)
JSON = SCALAR | st.lists(SCALAR, max_size=2) | st.dictionaries(st.sampled_from(["need", "x", "1"]), SCALAR, max_size=2)
LEAVES: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (int, NUMBERS),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (bool, st.booleans()),
    (str, TEXTS),
    (Any, JSON),
    (Literal["a", "b"], st.sampled_from(["a", "b"])),
    (Literal["a", 1], st.sampled_from(["a", 1])),
    (Colour, st.sampled_from(["red", "blue"])),
    (Level, st.sampled_from([1, 2])),
    (dt.datetime, st.datetimes().map(dt.datetime.isoformat)),
    (dt.date, st.dates().map(dt.date.isoformat)),
    (dt.time, st.times().map(dt.time.isoformat)),
    (dt.timedelta, st.sampled_from(["PT5M", "P1D", "PT1H30M", "-PT5S"])),
    (uuid.UUID, st.uuids().map(str)),
    (decimal.Decimal, st.sampled_from(["1.50", 2, 0.5, "-3"])),
    (Annotated[decimal.Decimal, Field(gt=0, le=31)], st.sampled_from(["1.50", 2, 0.5, "31"])),
    (Annotated[int, Field(ge=1, le=31)], st.integers(1, 31)),
    (Annotated[float, Field(gt=0, lt=1)], st.floats(0.01, 0.99)),
    (Annotated[str, Field(min_length=1, max_length=3)], st.text(min_size=1, max_size=3)),
    (Annotated[str, Field(pattern="^[0-9]+$")], st.from_regex(r"\A[0-9]+\Z")),
    (Annotated[int, Field(multiple_of=5)], st.integers(-9, 9).map(lambda n: n * 5)),
    (Node, st.just({"name": "a", "children": [{"name": "b"}]})),
]

Typed = tuple[Any, st.SearchStrategy[Any]]


def list_of(inner: Typed) -> Typed:
    return list[inner[0]], st.lists(inner[1], max_size=3)


def map_of(inner: Typed) -> Typed:
    return dict[str, inner[0]], st.dictionaries(TEXTS, inner[1], max_size=3)


def map_by_number(inner: Typed) -> Typed:
    return dict[int, inner[0]], st.dictionaries(NUMBERS.map(str), inner[1], max_size=3)


def pair_with_flag(inner: Typed) -> Typed:
    return tuple[inner[0], bool], st.tuples(inner[1], st.booleans()).map(list)


def optional(inner: Typed) -> Typed:
    return inner[0] | None, st.none() | inner[1]


def nested(inner: Typed) -> Typed:
    model = create_model("Nested", need=(inner[0], ...), may=(inner[0] | None, None), last=(bool, False))
    return model, st.fixed_dictionaries(
        {"need": inner[1]}, optional={"may": st.none() | inner[1], "last": st.booleans()}
    )


WRAPS = [list_of, map_of, map_by_number, pair_with_flag, optional, nested]
ONCE = [*LEAVES, *(wrap(leaf) for wrap in WRAPS for leaf in LEAVES)]
ALL = [*ONCE, *(wrap(wrapped) for wrap, wrapped in zip(WRAPS * len(LEAVES), ONCE[len(LEAVES) :], strict=True))]
POSITIONS = st.integers(0, len(ALL) - 1)


@functools.cache
def signature_at(position: int) -> FunctionSignature:
    return signature_of(ALL[position][0])


def signature_of(annotation: Any) -> FunctionSignature:
    def tool(v, w=None): ...

    tool.__annotations__ = {"v": annotation, "w": annotation | None}
    return analyse(tool)


def mutate(draw: st.DrawFn, value: Any, others: st.SearchStrategy[Any]) -> Any:
    """Return `value` with one part of it, at any depth, replaced, removed or added."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(value)))
        rest = {name: inner for name, inner in value.items() if name != key}
        return rest if draw(st.booleans()) else {**rest, key: mutate(draw, value[key], others)}
    if isinstance(value, list) and value and draw(st.booleans()):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], mutate(draw, value[at], others), *value[at + 1 :]]
    return draw(st.one_of(others, JSON))


def is_accepted_by_class(signature: FunctionSignature, arguments: dict[str, Any]) -> bool:
    try:
        instantiate(signature, arguments)
    except ArgumentsInvalid:
        return False
    return True


PATIENT = settings(
    max_examples=int(os.environ.get("BUBBLES_EXAMPLES", "150")),
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@PATIENT
@given(st.data())
def test_arguments_made_for_a_type_pass_both_checks_untouched(data: st.DataObject):
    position = data.draw(POSITIONS)
    signature, values = signature_at(position), ALL[position][1]
    value = data.draw(values)
    is_optional = "v" not in signature.parameters_schema.get("required", [])
    arguments = {} if value is None and is_optional else {"v": value}  # an option is left out instead of null

    assert signature.validator.validate(arguments) == []
    assert is_accepted_by_class(signature, arguments)
    assert repair(arguments, signature.validator).arguments == arguments


@PATIENT
@given(st.data())
def test_arguments_accepted_by_the_schema_are_accepted_by_the_class(data: st.DataObject):
    position = data.draw(POSITIONS)
    signature, values = signature_at(position), ALL[position][1]
    draw = data.draw
    extra = draw(st.dictionaries(st.sampled_from(["w", "x"]), values | JSON, max_size=1))
    arguments = {"v": mutate(draw, draw(values), values), **extra}
    is_accepted = not signature.validator.validate(arguments)
    event(f"schema accepts: {is_accepted}")

    assert not is_accepted or is_accepted_by_class(signature, arguments)


@PATIENT
@given(st.data())
def test_repaired_arguments_without_errors_are_valid_for_the_class(data: st.DataObject):
    position = data.draw(POSITIONS)
    signature, values = signature_at(position), ALL[position][1]
    arguments = {"v": mutate(data.draw, data.draw(values), values)}
    repaired = repair(arguments, signature.validator)
    is_refused = bool(repaired.errors)
    event(f"refused: {is_refused}")

    assert is_refused or signature.validator.validate(repaired.arguments) == []
    assert is_refused or is_accepted_by_class(signature, repaired.arguments)


@pytest.mark.parametrize("value", ["3", 3.5, True, None, [3]])
def test_the_second_check_is_strict_on_its_own(value: object):
    signature = signature_of(int)

    assert not is_accepted_by_class(signature, {"v": value})
