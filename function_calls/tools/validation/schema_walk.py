"""Read the parts of JSON Schemas, and walk them, distinguishing members that are schemas from data."""

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import unquote

from function_calls.tools.errors import SchemaInvalid

Schema = dict[str, object]

_SINGLE: Final = frozenset(
    {"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties",
     "unevaluatedItems", "additionalItems"}
)  # fmt: skip
_LISTS: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems", "items"})
_DATA: Final = frozenset({"default", "enum", "const", "example", "examples"})
_MAPS: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})


def properties_of(schema: object) -> Mapping[str, object]:
    """Return the properties of an object's schema; none where it names none."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return properties if isinstance(properties, Mapping) else {}


def required_of(schema: Mapping[str, object]) -> list[str]:
    """Return the names of the required properties of an object's schema."""
    return _texts(schema.get("required"))


def types_of(schema: Mapping[str, object]) -> list[str]:
    """Return the types that a schema names, one or several."""
    named = schema.get("type")
    return [named] if isinstance(named, str) else _texts(named)


def _texts(names: object) -> list[str]:
    return [str(name) for name in names] if isinstance(names, list | tuple) else []


def map_schemas(schema: Mapping[str, object], change: Callable[[Schema], Schema], *, deep: bool = True) -> Schema:
    """Return a copy of `schema` with `change` applied to every schema in it, inner ones first.

    With `deep=False` it is applied to the direct children only, and not to `schema` itself.
    """

    def child(value: object) -> object:
        if not isinstance(value, dict):
            return value
        return map_schemas(value, change) if deep else change(value)

    copy = {key: map_children(key, value, child) for key, value in schema.items()}
    return change(copy) if deep else copy


def map_children(key: str, value: object, child: Callable[[object], object]) -> object:
    """Return the value of the keyword `key` with `child` applied to each schema in it."""
    if key in _MAPS and isinstance(value, dict):
        return {name: child(inner) for name, inner in value.items()}
    if key in _LISTS and isinstance(value, list):
        return [child(inner) for inner in value]
    return child(value) if key in _SINGLE else value


def pointer_target(root: Mapping[str, object], reference: str) -> Schema:
    """Return the target of a local reference such as `#/$defs/Point` or `#point`, the name of an `$anchor`.

    Raises:
        SchemaInvalid: there is no such schema.
    """
    target = follow_pointer(root, reference)
    if not isinstance(target, dict):
        raise SchemaInvalid(f"'{reference}' points at nothing")
    return target


def follow_pointer(root: object, reference: str) -> object:
    """Return the target of a local reference in a document; None where there is none.

    Source: RFC 6901 section 6, JSON Schema 2020-12 section 8.2.2.
    """
    start, *parts = unquote(reference.removeprefix("#")).split("/")
    here = _find_anchor(root, start) if start else root
    for part in parts:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping):
            here = here.get(key)
        elif isinstance(here, list):
            here = next((item for place, item in enumerate(here) if str(place) == key), None)
        else:
            return None
    return here


def _find_anchor(root: object, name: str) -> object:
    """Return the part of a document with this `$anchor`; None where there is none."""
    waiting, seen = [root], set[int]()  # an alias in YAML is the same part in many places
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, Mapping):
            if part.get("$anchor") == name:
                return part
            waiting += [value for key, value in part.items() if key not in _DATA]
        elif isinstance(part, list):
            waiting += part
    return None
