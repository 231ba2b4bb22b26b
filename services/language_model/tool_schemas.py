"""Simplify the JSON Schema of tools for servers that refuse its rarer keywords."""

import json
from collections.abc import Mapping
from functools import lru_cache

_KNOWN = ("type", "description", "enum", "properties", "items", "required")
_KINDS: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}
_NOTHING = {"type": "object", "properties": {}}
_DEEPEST = 12  # levels: a type that contains itself would go on


@lru_cache(maxsize=16)
def simplify_tools(tools: bytes) -> bytes:
    """Return the serialised list `tools` with plain schemas; the bot checks arguments against its own complete ones."""
    plain = []
    for tool in json.loads(tools):
        function = tool["function"]
        parameters = function.get("parameters") or _NOTHING
        shown = {key: value for key, value in function.items() if key not in ("parameters", "strict")}
        if parameters.get("properties"):  # Gemini refuses an object without any
            shown["parameters"] = _plain(parameters, parameters)
        plain.append({"type": "function", "function": shown})
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def _plain(schema: object, root: Mapping[str, object], depth: int = 0) -> dict[str, object]:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return {"type": "string"}
    schema = _chosen(_resolved(schema, root), root)
    made: dict[str, object] = {key: schema[key] for key in _KNOWN if key in schema}
    if "const" in schema:
        made["enum"] = [schema["const"]]
    made["type"] = _type(made)
    if made["type"] != "string":
        made.pop("enum", None)  # Gemini knows it for texts only
    properties = made.get("properties")
    if isinstance(properties, Mapping):
        made["properties"] = {name: _plain(each, root, depth + 1) for name, each in properties.items()}
    if made["type"] == "array":
        made["items"] = _plain(made.get("items"), root, depth + 1)
    return made


def _type(schema: Mapping[str, object]) -> str:
    told = schema.get("type")
    if isinstance(told, list):
        told = next((each for each in told if each != "null"), "string")
    if isinstance(told, str):
        return told
    if "properties" in schema:
        return "object"
    values = schema.get("enum")
    return _KINDS.get(type(values[0]), "string") if isinstance(values, list) and values else "string"


def _chosen(schema: Mapping[str, object], root: Mapping[str, object]) -> Mapping[str, object]:
    """Return `schema`, or the first of its alternatives that is not null, with what stands beside them."""
    for word in ("anyOf", "oneOf", "allOf"):
        choices = schema.get(word)
        if isinstance(choices, list):
            kept = [each for each in choices if isinstance(each, Mapping) and each.get("type") != "null"]
            if kept:
                return {**_chosen(_resolved(kept[0], root), root), **schema}
    return schema


def _resolved(schema: Mapping[str, object], root: Mapping[str, object]) -> Mapping[str, object]:
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    found: object = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        found = found.get(step) if isinstance(found, Mapping) else None
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**found, **beside} if isinstance(found, Mapping) else beside
