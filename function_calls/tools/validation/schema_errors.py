"""Describe the errors of a JSON Schema validation for a model, one line per field."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from jsonschema_rs import ValidationError, ValidationErrorKind
from msgspec.structs import replace

from function_calls.tools.errors import ArgumentError
from function_calls.tools.validation.argument_errors import MAX_QUOTE_LENGTH, nearest, pointer, quote, unknown_argument
from function_calls.tools.validation.decimal_bounds import bound_of
from function_calls.tools.validation.recursive_parts import PART
from function_calls.tools.validation.schema_walk import properties_of

_LIMITS: Final[Mapping[str, str]] = {
    "minimum": "a number of at least {}",
    "maximum": "a number of at most {}",
    "exclusiveMinimum": "a number above {}",
    "exclusiveMaximum": "a number below {}",
    "multipleOf": "a multiple of {}",
    "minLength": "a text of at least {} characters",
    "maxLength": "a text of at most {} characters",
    "minItems": "a list of at least {} items",
    "maxItems": "a list of at most {} items",
    "minProperties": "an object of at least {} members",
    "maxProperties": "an object of at most {} members",
    "pattern": "a text that matches the pattern {}",
    "format": "a text in the format '{}'",
    "const": "exactly {}",
}
_FORMAT_EXAMPLES: Final[Mapping[str, str]] = {
    "date-time": "2026-03-04T10:00:00",
    "date": "2026-03-04",
    "time": "10:00:00",
    "duration": "PT10M",
}
_NOUNS: Final[Mapping[str, str]] = {
    "array": "a list",
    "integer": "an integer",
    "object": "an object",
    "string": "a text",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


ExplainPart = Callable[[int, object], list[ArgumentError]]
"""Returns the errors of a value that a part of a recursive type refuses, by the number of the part."""


def explain(
    found: Iterable[ValidationError], schema: Mapping[str, object], explain_part: ExplainPart
) -> list[ArgumentError]:
    """Return the errors in the order of the fields, without duplicates."""
    seen: dict[tuple[str, str], ArgumentError] = {}
    for error in found:
        for problem in _explain_one(error, schema, explain_part):
            seen.setdefault((problem.pointer, problem.message), problem)
    fields = list(properties_of(schema))
    places = {pointer([name]): at for at, name in enumerate(fields)}
    return sorted(
        seen.values(), key=lambda problem: places.get("/" + problem.pointer[1:].partition("/")[0], len(fields))
    )


def _explain_one(
    error: ValidationError, schema: Mapping[str, object], explain_part: ExplainPart
) -> list[ArgumentError]:
    kind, place = error.kind, pointer(error.instance_path)
    match kind:
        case ValidationErrorKind.Required(name):
            return [_missing_error(f"{place}{pointer([name])}")]
        case ValidationErrorKind.AdditionalProperties(names) | ValidationErrorKind.UnevaluatedProperties(names):
            absent = _absent_names(error, schema)
            return [unknown_argument(f"{place}{pointer([name])}", name, absent) for name in names]
        case ValidationErrorKind.AnyOf(arms) | ValidationErrorKind.OneOfNotValid(arms):
            return _explain_arms(error, arms, schema, explain_part)
        case ValidationErrorKind.Type(types):
            names = sorted(types, key=lambda name: (name == "null", name))
            return [
                _mismatch(error, " or ".join(_NOUNS.get(name, name) for name in names), rule="type", limit=names[0])
            ]
        case ValidationErrorKind.Enum(options):
            return [_not_allowed(error, options)]
        case ValidationErrorKind.PropertyNames(inner):
            return [_mismatch(inner, f"a name that is {_expected_text(inner)}", place=place)]
        case ValidationErrorKind.Custom() if error.schema_path[-1] == PART:
            problems = explain_part(int(error.message), error.instance)
            return [replace(problem, pointer=f"{place}{problem.pointer}") for problem in problems]
        case ValidationErrorKind.Custom():
            name, limit = bound_of(error.schema_path[-1]), _at(schema, error.schema_path)
            return [_mismatch(error, _LIMITS[name].format(limit), rule=name, limit=str(limit))]
        case _:
            return [_mismatch(error, _expected_text(error), rule=kind.name, limit=str(_limit(error)))]


def _absent_names(error: ValidationError, schema: Mapping[str, object]) -> list[str]:
    """Return the names of missing properties of the object with the error."""
    node = _at(schema, error.schema_path[:-1])
    given = error.instance if isinstance(error.instance, dict) else {}
    return [name for name in properties_of(node) if name not in given]


def _at(schema: Mapping[str, object], path: Iterable[str | int]) -> object:
    node: object = schema
    for part in path:
        if isinstance(node, Mapping):
            node = node.get(str(part))
        elif isinstance(node, list) and isinstance(part, int):
            node = node[part]
    return node


def _missing_error(place: str) -> ArgumentError:
    return ArgumentError(
        pointer=place, message="is required and missing", expected="a value", got="nothing", rule="required"
    )


def _mismatch(
    error: ValidationError, expected: str, place: str | None = None, *, rule: str = "", limit: str = ""
) -> ArgumentError:
    got = quote(error.instance)
    where = pointer(error.instance_path) if place is None else place
    message = f"expected {expected}, got {got}"
    return ArgumentError(pointer=where, message=message, expected=expected, got=got, rule=rule, limit=limit)


def _not_allowed(error: ValidationError, options: Sequence[object]) -> ArgumentError:
    allowed = ", ".join(json.dumps(option, ensure_ascii=False) for option in options)
    expected = f"one of {allowed}"
    near = None
    if isinstance(error.instance, str):
        near = nearest(error.instance, [option for option in options if isinstance(option, str)])
    got = quote(error.instance)
    return ArgumentError(
        pointer=pointer(error.instance_path),
        message=f"expected {expected}, got {got}",
        expected=expected,
        got=got,
        suggestion=quote(near) if near else None,
        rule="enum",
        limit=allowed,
    )


def _limit(error: ValidationError) -> object:
    return next(iter(error.kind.as_dict().values()), "")


def _expected_text(error: ValidationError) -> str:
    name, limit = error.kind.name, _limit(error)
    if name in _LIMITS:
        example = _FORMAT_EXAMPLES.get(str(limit)) if name == "format" else None
        return _LIMITS[name].format(quote(limit) if name == "const" else limit) + (
            f" such as {example}" if example else ""
        )
    if name == "uniqueItems":
        return "a list without repeated items"
    return f"what the schema asks for ({error.message[:MAX_QUOTE_LENGTH]})"


def _explain_arms(
    error: ValidationError,
    arms: Sequence[Sequence[ValidationError]],
    schema: Mapping[str, object],
    explain_part: ExplainPart,
) -> list[ArgumentError]:
    """Explain the errors of the closest alternative, or all alternatives if none is close.

    A constant, such as the `kind` that tells models apart, decides between alternatives before the number of errors.
    """
    depth = len(error.instance_path)
    close = [arm for arm in arms if arm and not any(_misses_at(failure, depth) for failure in arm)]
    if close:
        best = min(close, key=lambda arm: (any(map(_is_other_constant, arm)), len(arm)))
        constants = [inner for arm in close for inner in arm if _is_other_constant(inner)]
        if any(map(_is_other_constant, best)) and len({tuple(other.instance_path) for other in constants}) == 1:
            return [_not_allowed(constants[0], list(dict.fromkeys(map(_limit, constants))))]
        return [problem for inner in best for problem in _explain_one(inner, schema, explain_part)]
    problems = [problem for arm in arms for inner in arm for problem in _explain_one(inner, schema, explain_part)]
    wanted = " or ".join(dict.fromkeys(problem.expected for problem in problems)) or "another value"
    rules = dict.fromkeys(
        (problem.rule, problem.limit) for problem in problems if (problem.rule, problem.limit) != ("type", "null")
    )
    rule, limit = next(iter(rules)) if len(rules) == 1 else ("", "")
    return [_mismatch(error, wanted, rule=rule, limit=limit)]


def _is_other_constant(error: ValidationError) -> bool:
    return isinstance(error.kind, ValidationErrorKind.Constant)


def _misses_at(error: ValidationError, depth: int) -> bool:
    """Return whether the error is in the type of the value itself, and not inside of it."""
    return len(error.instance_path) == depth and isinstance(
        error.kind, ValidationErrorKind.Type | ValidationErrorKind.Enum | ValidationErrorKind.Constant
    )
