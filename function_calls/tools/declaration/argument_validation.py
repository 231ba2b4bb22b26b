"""Validate a call's arguments twice: JSON Schema with repair, then the strict argument class."""

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticSerializationError, to_json

from function_calls.tools.declaration.signature import FunctionSignature
from function_calls.tools.errors import SAID, ArgumentError, ArgumentsInvalid
from function_calls.tools.validation.argument_errors import lone_surrogates, pointer, quote
from function_calls.tools.validation.repair import Repaired, repair
from function_calls.tools.validation.schema_validator import SchemaValidator
from services.kernel.bounded import IdentityCache

_VALIDATORS: Final[IdentityCache[SchemaValidator]] = IdentityCache(512)
_NOWHERE: Final = object()
_RULES: Final[Mapping[str, tuple[str, str]]] = {
    "extra_forbidden": ("additionalProperties", ""),
    "literal_error": ("enum", "expected"),
    "enum": ("enum", "expected"),
    "string_too_short": ("minLength", "min_length"),
    "string_too_long": ("maxLength", "max_length"),
    "string_pattern_mismatch": ("pattern", "pattern"),
    "too_short": ("minItems", "min_length"),
    "too_long": ("maxItems", "max_length"),
    "greater_than": ("exclusiveMinimum", "gt"),
    "greater_than_equal": ("minimum", "ge"),
    "less_than": ("exclusiveMaximum", "lt"),
    "less_than_equal": ("maximum", "le"),
}
"""The rule of JSON Schema for a type of Pydantic's errors, and the name of its limit in Pydantic's context."""
_TYPES: Final[Mapping[str, str]] = {
    "int_": "integer",
    "float_": "number",
    "bool_": "boolean",
    "string_type": "string",
    "list_": "array",
    "tuple_": "array",
    "dict_": "object",
    "model_": "object",
}
"""The expected JSON type by the prefix of the type of Pydantic's error."""


def repair_arguments(
    schema: SchemaValidator | Mapping[str, object], given: Mapping[str, object], *, is_text: bool = False
) -> Mapping[str, object]:
    """Repair the arguments of a client that is not a model; return them unchanged where that is ambiguous.

    The second check reports what still does not fit. With `is_text` all of `given` was typed as text: each value is
    converted where possible, even if another does not fit.
    """
    try:
        repaired = repair(given, validator_of(schema))
    except ArgumentsInvalid:
        return given
    return repaired.arguments if is_text or not repaired.errors else given


def check_arguments(
    schema: SchemaValidator | Mapping[str, object],
    raw: object,
    *,
    tool: str = "",
    other_tools: Mapping[str, Mapping[str, object]] | None = None,
) -> Repaired:
    """Check the arguments in `raw` (a model's text, or an object) against the schema, and repair them (first check).

    `""` and null are no arguments. A schema given as a mapping is compiled once and must not be changed afterwards.

    Raises:
        ArgumentsInvalid: with every error.
    """
    repaired = repair(raw, validator_of(schema), tool=tool, other_tools=other_tools)
    if repaired.errors:
        raise ArgumentsInvalid(tool, repaired.errors)
    return repaired


def instantiate(signature: FunctionSignature, arguments: Mapping[str, object]) -> object:
    """Return an instance of the function's argument class: the second check, for calls from every client.

    Strict for JSON: a date is its ISO text, an enum member its value, and `"3"` is no number. Whole numbers with a
    fraction (`3.0`) are integers, as in JSON Schema.

    Raises:
        ArgumentsInvalid: with every error.
    """
    try:
        return _instance(signature, arguments)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True)
        whole = _with_whole_numbers(arguments, details)
        if to_json(whole) == to_json(arguments):
            raise _refusal(signature, details, arguments) from error
    try:
        return _instance(signature, whole)
    except ValidationError as error:
        raise _refusal(signature, error.errors(include_url=False, include_context=True), whole) from error


def _instance(signature: FunctionSignature, arguments: Mapping[str, object]) -> object:
    try:
        if surrogates := lone_surrogates(arguments):
            raise ArgumentsInvalid(signature.name, surrogates)
        text = to_json(arguments)
    except (PydanticSerializationError, RecursionError) as error:
        problem = ArgumentError(pointer="", message="nested too deeply, or no JSON values")
        raise ArgumentsInvalid(signature.name, [problem]) from error
    return signature.check_json(text, strict=True)


def _refusal(
    signature: FunctionSignature, details: Sequence[ErrorDetails], arguments: Mapping[str, object]
) -> ArgumentsInvalid:
    errors = {str(error): error for error in (_explain(detail, arguments) for detail in details)}
    return ArgumentsInvalid(signature.name, errors.values())


def _explain(detail: ErrorDetails, arguments: Mapping[str, object]) -> ArgumentError:
    place = pointer(_place(detail["loc"], arguments))
    if detail["type"] == "missing":
        return ArgumentError(
            pointer=place, message="is required and missing", expected="a value", got="nothing", rule="required"
        )
    message = detail["msg"].removeprefix("Value error, ")
    got = quote(detail["input"])
    rule, limit = _rule(detail, message)
    return ArgumentError(
        pointer=place, message=f"{message}, got {got}", expected=message, got=got, rule=rule, limit=limit
    )


def _rule(detail: ErrorDetails, message: str) -> tuple[str, str]:
    """Return the JSON Schema rule of Pydantic's error, and its limit; for an author's message, the message."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in {"value_error", "assertion_error"}:
        return SAID, message
    if kind in _RULES:
        rule, limit = _RULES[kind]
        return rule, str(context.get(limit, "")).replace(" or ", ", ")
    return next((("type", name) for start, name in _TYPES.items() if kind.startswith(start)), ("", ""))


def _place(location: Sequence[str | int], arguments: object) -> list[str | int]:
    """Return the path of an error in the arguments, without the union arms that Pydantic adds."""
    path: list[str | int] = []
    here = arguments
    for at, part in enumerate(location):
        inside = _member(here, part)
        if inside is _NOWHERE and (at + 1 < len(location) or not isinstance(here, Mapping)):
            continue
        path.append(part)
        here = inside
    return path


def _member(here: object, part: str | int) -> object:
    if isinstance(here, Mapping):
        return here.get(part, _NOWHERE)
    if isinstance(here, list) and isinstance(part, int) and part < len(here):
        return here[part]
    return _NOWHERE


def _with_whole_numbers(arguments: Mapping[str, object], details: Sequence[ErrorDetails]) -> dict[str, object]:
    """Return the arguments with `3.0` as `3` where the class refused it."""
    places = {
        tuple(_place(detail["loc"], arguments))
        for detail in details
        if isinstance(detail["input"], float) and detail["input"].is_integer()
    }

    def copy(value: object, path: tuple[str | int, ...]) -> object:
        if isinstance(value, Mapping):
            return {key: copy(inner, (*path, key)) for key, inner in value.items()}
        if isinstance(value, list):
            return [copy(inner, (*path, at)) for at, inner in enumerate(value)]
        return int(value) if path in places and isinstance(value, float) else value

    return {key: copy(value, (key,)) for key, value in arguments.items()}


def validator_of(schema: SchemaValidator | Mapping[str, object]) -> SchemaValidator:
    """Return the validator of `schema`, a mapping that must not be changed: it is compiled once.

    Raises:
        SchemaInvalid: the schema is not a JSON Schema.
    """
    return (
        schema if isinstance(schema, SchemaValidator) else _VALIDATORS.get((schema,), lambda: SchemaValidator(schema))
    )
