"""Convert schemas of OpenAPI 2.0, 3.0 and 3.1 to JSON Schema 2020-12, keyword by keyword.

Source: https://spec.openapis.org/oas/v3.1.0#schema-object and the older versions of that section.
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from function_calls.tools.errors import SchemaInvalid
from function_calls.tools.validation.argument_errors import lone_surrogates
from function_calls.tools.validation.schema import nullable
from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.tools.validation.schema_walk import Schema
from function_calls.toolsets.openapi.document import Document, DocumentInvalid, Node, mapping, sequence
from function_calls.toolsets.openapi.texts import sanitize_description

_DEEPEST: Final = 24
_MAX_NODES: Final = 600_000  # per document
_MAX_NODES_PER_TOOL: Final = 10_000  # per tool or definition; a longer one cannot be sent to a model
_MAX_VALUES: Final = 300
_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_PARTS: Final = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS: Final = ("properties", "patternProperties", "dependentSchemas")
_WITH_PARTS: Final = frozenset({*_PARTS, *_LISTS, *_MAPS})
_MAX_PATTERN_LENGTH: Final = 300


class SchemaConverter:
    """Converts the schemas of one document; referenced ones become named definitions."""

    def __init__(self, document: Document, *, max_nodes: int = _MAX_NODES) -> None:
        self._document = document
        self._max_nodes = max_nodes
        self._names: dict[str, str] = {}
        self._references: dict[str, str] = {}
        self._made: dict[str, Schema] = {}
        self._nodes = 0
        self._left = _MAX_NODES_PER_TOOL

    def begin(self) -> None:
        """Reset the state for another tool."""
        self._left = _MAX_NODES_PER_TOOL

    def convert(self, node: object, depth: int = 0) -> Schema:
        """Convert `node` to JSON Schema; references read `#/$defs/<name>`.

        Raises:
            DocumentInvalid: the document is too large, or expands to too many schemas.
        """
        self._nodes += 1
        if self._nodes > self._max_nodes:
            raise DocumentInvalid(f"more than {self._max_nodes} schemas in one document")
        self._left -= 1
        if node is False:
            return {"not": {}}
        if not isinstance(node, dict) or depth > _DEEPEST or self._left < 0:
            return {}
        if isinstance(reference := node.get("$ref"), str):
            return self._reference(node, reference)
        schema = _plain_keywords(node)
        self._add_parts(schema, node, depth)
        self._add_required(schema, node)
        return _with_null(schema, node)

    def definition(self, name: str) -> Schema:
        """Return the schema of the definition `name`; an empty one if only data, such as a default, refer to it."""
        if name not in self._made:
            left, self._left = self._left, _MAX_NODES_PER_TOOL
            self._made[name] = self.convert(self._document.target(self._references.get(name, "")))
            self._left = left
        return self._made[name]

    def _reference(self, node: Node, reference: str) -> Schema:
        target = self._document.target(reference)
        if not isinstance(target, dict | bool):
            return _with_description({}, node)
        name = self._names.get(reference)
        if name is None:
            name = self._names[reference] = self._free_name(reference)
            self._references[name] = reference
        beside: Schema = {"default": node["default"]} if "default" in node and _is_json(node["default"]) else {}
        return _with_description({"$ref": f"#/$defs/{name}"} | beside, node)

    def _free_name(self, reference: str) -> str:
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", reference.rsplit("/", 1)[-1])[:40] or "Part"
        name, count = plain, 1
        while name in self._references:
            count += 1
            name = f"{plain}_{count}"
        return name

    def _add_parts(self, schema: Schema, node: Node, depth: int) -> None:
        if node.keys().isdisjoint(_WITH_PARTS):
            return
        for key in _PARTS:
            if isinstance(node.get(key), dict | bool):
                schema[key] = self.convert(node[key], depth + 1) if node[key] is not True else True
        for key in _LISTS:
            parts = [self.convert(element, depth + 1) for element in sequence(node.get(key))]
            if parts:
                schema[key] = parts
        for key in _MAPS:
            parts_by_name = mapping(node.get(key))
            if parts_by_name:
                parts_by_text = {str(name): part for name, part in parts_by_name.items() if _is_text(str(name))}
                schema[key] = {name: self.convert(part, depth + 1) for name, part in parts_by_text.items()}
        if "patternProperties" in schema:
            schema["patternProperties"] = _with_patterns(schema["patternProperties"])

    def _add_required(self, schema: Schema, node: Node) -> None:
        """Add the required properties, except those of responses only (`readOnly`)."""
        properties = mapping(node.get("properties"))
        wanted = (name for name in sequence(node.get("required")) if isinstance(name, str) and _is_text(name))
        names = [name for name in wanted if not self._document.resolve(properties.get(name)).get("readOnly")]
        if names:
            schema["required"] = list(dict.fromkeys(names))


def _plain_keywords(node: Node) -> Schema:
    schema = _with_description({}, node)
    named = (
        type_name for type_name in _as_list(node.get("type")) if isinstance(type_name, str) and type_name in _TYPES
    )
    kinds = list(dict.fromkeys(named))
    if node.get("type") == "file":
        kinds, schema["format"] = ["string"], "binary"
    if kinds:
        schema["type"] = kinds[0] if len(kinds) == 1 else kinds
    for key, value in node.items():
        if key in _CHECKS and _CHECKS[key](value):
            schema[key] = value
    if len(sequence(schema.get("enum"))) > _MAX_VALUES:
        del schema["enum"]
    _bound(schema, node, "minimum", "exclusiveMinimum")
    _bound(schema, node, "maximum", "exclusiveMaximum")
    return schema


def _bound(schema: Schema, node: Node, bound: str, exclusive: str) -> None:
    """Convert a bound; before 3.1 `exclusiveMinimum` is a flag of `minimum`."""
    if node.get(exclusive) is True and bound in schema:
        schema[exclusive] = schema.pop(bound)


def _with_null(schema: Schema, node: Node) -> Schema:
    if node.get("nullable") is not True and node.get("x-nullable") is not True:
        return schema
    inner = {key: value for key, value in schema.items() if key != "description"}
    return _with_description(nullable(inner), schema) if inner else schema


def _with_description(schema: Schema, node: Node) -> Schema:
    text = sanitize_description(node.get("description")) or sanitize_description(node.get("title"), 120)
    return schema | {"description": text} if text else schema


def _as_list(value: object) -> list[object]:
    return [value] if isinstance(value, str) else list(sequence(value))


def _is_number(value: object) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer that is too large for comparisons with other numbers
        return False


def _is_count(value: object) -> bool:
    return isinstance(value, int) and _is_number(value) and value >= 0


def _is_json(value: object, depth: int = 0) -> bool:
    if depth > _DEEPEST:
        return False
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_text(key) and _is_json(part, depth + 1) for key, part in value.items())
    if isinstance(value, list):
        return len(value) <= _MAX_VALUES and all(_is_json(part, depth + 1) for part in value)
    return value is None or isinstance(value, bool) or _is_number(value) or (isinstance(value, str) and _is_text(value))


def _is_text(value: str) -> bool:
    """Return False for half of a surrogate pair, which is no UTF-8."""
    return not lone_surrogates(value)


def _is_enum(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_json(element) for element in value)


def _is_factor(value: object) -> bool:
    return isinstance(value, int | float) and _is_number(value) and value > 0


@lru_cache(maxsize=4096)
def _is_pattern(value: str) -> bool:
    if len(value) > _MAX_PATTERN_LENGTH:
        return False
    try:
        re.compile(value)
        SchemaValidator({"pattern": value})
    except (re.error, SchemaInvalid, RecursionError, OverflowError):
        return False
    return True


def _with_patterns(parts: object) -> Schema:
    return {name: part for name, part in mapping(parts).items() if _is_pattern(name)}


_CHECKS: Final[Mapping[str, Callable[[object], bool]]] = {
    "enum": _is_enum,
    "const": _is_json,
    "default": _is_json,
    "format": lambda value: isinstance(value, str) and _is_text(value) and len(value) <= 40,
    "pattern": lambda value: isinstance(value, str) and _is_text(value) and _is_pattern(value),
    "uniqueItems": lambda value: isinstance(value, bool),
    "readOnly": lambda value: value is True,
    "deprecated": lambda value: value is True,
    "multipleOf": _is_factor,
    **dict.fromkeys(_NUMBERS, _is_number),
    **dict.fromkeys(_COUNTS, _is_count),
}
