"""Bundle a tool's schema with its definitions, in a size that can be sent to a model."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.tools.validation.schema_walk import Schema, map_schemas
from function_calls.toolsets.openapi.document import Document, mapping
from function_calls.toolsets.openapi.schemas import SchemaConverter

MAX_LENGTH: Final = 18_000  # characters of JSON in the tool of one operation
_FOR_DEFINITIONS: Final = 12_000
_SHORT: Final = 400  # characters of an inlined definition
_MAX_EXPANDED_PARTS: Final = 10_000  # parts with all references replaced; alternatives that repeat each other multiply
_PREFIX: Final = "#/$defs/"
_HEAVY: Final = ("default", "pattern", "enum", "const")


class Bundler:
    """Bundles definitions with the schemas that refer to them. In long schemas, deep ones become a plain type."""

    def __init__(self, converter: SchemaConverter) -> None:
        self._converter = converter
        self._known: dict[str, tuple[int, tuple[str, ...]]] = {}

    def bundle(self, schema: Schema) -> Schema:
        """Return `schema` with its references in `$defs`, in at most `MAX_LENGTH` characters."""
        own = _trim(schema, MAX_LENGTH)
        size, definitions = length(own), dict[str, Schema]()
        waiting = deque(references(own))
        while waiting:
            name = waiting.popleft()
            if name in definitions:
                continue
            needs, further = self._measure(name)
            if size + needs <= _FOR_DEFINITIONS:
                definitions[name] = self._converter.definition(name)
                waiting.extend(further)
                size += needs + len(name) + 4
            else:
                definitions[name] = _stub(self._converter.definition(name))
                size += length(definitions[name]) + len(name) + 4
        if size > MAX_LENGTH or _count_parts(own, definitions, {}) > _MAX_EXPANDED_PARTS:
            return _loosen(own)
        return _join(own, definitions) if definitions else own

    def _measure(self, name: str) -> tuple[int, tuple[str, ...]]:
        """Return the length of a definition, and the definitions it refers to."""
        if name not in self._known:
            schema = self._converter.definition(name)
            self._known[name] = length(schema), tuple(dict.fromkeys(references(schema)))
        return self._known[name]


def length(schema: object) -> int:
    """Return the number of characters of `schema` as JSON."""
    return len(json.dumps(schema))


def references(schema: object) -> Iterator[str]:
    """Yield the names of the definitions that `schema` refers to."""
    if isinstance(schema, dict):
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith(_PREFIX):
            yield reference.removeprefix(_PREFIX)
        for part in schema.values():
            yield from references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from references(part)


def _count_parts(schema: object, definitions: Mapping[str, Schema], counts: dict[str, int]) -> int:
    """Count the parts of `schema` with its references replaced; a recursive one counts once.

    `counts` are those of definitions so far.
    """
    if isinstance(schema, list):
        return sum(_count_parts(part, definitions, counts) for part in schema)
    if not isinstance(schema, dict):
        return 0
    name = str(schema.get("$ref")).removeprefix(_PREFIX)
    if name in definitions and name not in counts:
        counts[name] = 1  # while it is counted itself
        counts[name] = _count_parts(definitions[name], definitions, counts)
    return 1 + counts.get(name, 0) + sum(_count_parts(part, definitions, counts) for part in schema.values())


def _join(own: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """Return `own` with its definitions; short ones are inlined, because weak models do not follow references."""
    whole, remaining = own, dict(definitions)
    while short := {
        name: part for name, part in remaining.items() if length(part) <= _SHORT and not any(references(part))
    }:
        put = partial(_inline, short)
        whole = map_schemas(whole, put)
        remaining = {name: map_schemas(part, put) for name, part in remaining.items() if name not in short}
    whole = whole | {"$defs": remaining} if remaining else whole
    return whole if length(whole) <= MAX_LENGTH else own | {"$defs": dict(definitions)}


def _inline(parts: Mapping[str, Schema], node: Schema) -> Schema:
    """Return `node`, or the schema that it refers to with the members beside the reference."""
    part = parts.get(str(node.get("$ref")).removeprefix(_PREFIX))
    return node if part is None else part | {key: value for key, value in node.items() if key != "$ref"}


def _stub(schema: Schema) -> Schema:
    return {"type": schema["type"]} if "type" in schema else {}


def _loosen(schema: Schema) -> Schema:
    """Return the schema with every reference replaced by an empty schema, the last resort."""
    whole = {name: _drop_references(part) for name, part in mapping(schema.get("properties")).items()}
    return {key: value for key, value in schema.items() if key != "$defs"} | {"properties": whole}


def _drop_references(part: object) -> Schema:
    described = mapping(part)
    return {key: described[key] for key in ("type", "description") if key in described}


def _trim(schema: Schema, largest: int) -> Schema:
    """Shorten `schema` to at most `largest` characters, least important parts first; argument names stay."""
    for step in _STEPS:
        if length(schema) <= largest:
            return schema
        schema = step(schema)
    return schema


def _cut(schema: Schema, *, depth: int, longest: int, keeps_values: bool) -> Schema:
    """Return `schema` with at most `depth` levels, and descriptions of at most `longest` characters."""
    node = dict(schema)
    if isinstance(text := node.get("description"), str) and len(text) > longest:
        node["description"] = f"{text[:longest].rstrip()}…"
    if not keeps_values:
        node = {key: value for key, value in node.items() if key not in _HEAVY}
    if depth == 0:
        return {key: node[key] for key in ("type", "description") if key in node}
    further = partial(_cut, depth=depth - 1, longest=longest, keeps_values=keeps_values)
    return map_schemas(node, further, deep=False)


_STEPS: Final[tuple[Callable[[Schema], Schema], ...]] = (
    partial(_cut, depth=8, longest=200, keeps_values=True),
    partial(_cut, depth=4, longest=120, keeps_values=True),
    partial(_cut, depth=2, longest=80, keeps_values=False),
    partial(_cut, depth=1, longest=50, keeps_values=False),
    partial(_cut, depth=1, longest=0, keeps_values=False),
)


def safe_schema(given: Mapping[str, object]) -> Schema:
    """Rebuild an external JSON Schema from known keywords, in a size that can be sent to a model.

    Raises:
        DocumentInvalid: it is too large.
        SchemaInvalid: it is not a valid JSON Schema.
    """
    converter = SchemaConverter(Document({**given, "openapi": "3.1.0"}))
    own = {key: value for key, value in given.items() if key not in {"title", "description"}}
    schema = Bundler(converter).bundle({"properties": {}} | converter.convert(own) | {"type": "object"})
    SchemaValidator(schema)
    return schema
