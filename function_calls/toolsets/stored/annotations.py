"""Convert annotations in source code to JSON Schemas, without importing classes."""

import ast
from collections.abc import Mapping
from typing import Final

from function_calls.tools.validation.schema_walk import Schema

_PLAIN: Final[Mapping[str, Schema]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "dict": {"type": "object"},
    "list": {"type": "array"},
    "tuple": {"type": "array"},
    "set": {"type": "array", "uniqueItems": True},
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "UUID": {"type": "string", "format": "uuid"},
}
_ALIASES: Final = {
    "List": "list",
    "Sequence": "list",
    "Dict": "dict",
    "Mapping": "dict",
    "Tuple": "tuple",
    "Set": "set",
}
_LIMITS: Final = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
}
_DEEPEST: Final = 12
_MAX_PARTS: Final = 2_000
"""The annotations of one source that are read; those of classes that have each other as fields grow exponentially."""


class AnnotationReader:
    """Reads annotations of one source; `classes` are the models that it defines.

    Its schemas may have defaults that are no JSON, which `safe_schema` removes.
    """

    def __init__(self, classes: Mapping[str, ast.ClassDef]) -> None:
        self._classes = classes
        self._parts_left = _MAX_PARTS

    def read(self, node: ast.expr | None, depth: int = 0) -> Schema:
        """Return the schema of an annotation; an unknown type allows any value."""
        self._parts_left -= 1
        if node is None or depth > _DEEPEST or self._parts_left < 0:
            return {}
        if isinstance(node, ast.Constant):
            return self._constant(node.value, depth)
        if isinstance(node, ast.BinOp):
            return self._union(_list_arms(node), depth)
        if isinstance(node, ast.Subscript):
            return self._generic(last_name(node.value), _parts(node.slice), depth)
        return self._resolve_name(last_name(node), depth)

    def model(self, definition: ast.ClassDef, depth: int = 0) -> Schema:
        """Return the schema of a model or data class that the source defines."""
        properties: dict[str, object] = {}
        required = []
        for line in definition.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                name = line.target.id
                part, is_required = self.field(line.annotation, line.value, depth)
                properties[name] = part
                required += [name] if is_required else []
        text = ast.get_docstring(definition)
        schema: Schema = {"type": "object", "properties": properties}
        if text:
            schema["description"] = text
        if required:
            schema["required"] = required
        return schema | {"additionalProperties": _allows_extra(definition)}

    def field(self, annotation: ast.expr | None, value: ast.expr | None, depth: int = 0) -> tuple[Schema, bool]:
        """Return the schema of a field with an annotation and a default or `Field(…)`, and whether it is required."""
        schema = self.read(annotation, depth + 1)
        if value is None:
            return schema, True
        if isinstance(value, ast.Call) and last_name(value.func) in {"Field", "field"}:
            return _with_field(schema, value)
        default = literal(value)
        return (schema if default is None else schema | {"default": default}), False

    def _constant(self, value: object, depth: int) -> Schema:
        if value is None:
            return dict(_PLAIN["None"])
        if not isinstance(value, str):
            return {}
        try:
            return self.read(ast.parse(value, mode="eval").body, depth + 1)
        except (SyntaxError, ValueError, MemoryError, RecursionError):  # ValueError: half of a surrogate pair
            return {}

    def _resolve_name(self, name: str, depth: int) -> Schema:
        definition = self._classes.get(name)
        if definition is not None:
            return self.model(definition, depth + 1)
        return dict(_PLAIN.get(_ALIASES.get(name, name), {}))

    def _generic(self, name: str, parts: list[ast.expr], depth: int) -> Schema:
        kind = _ALIASES.get(name, name)
        if kind == "Annotated" and parts:
            return self._read_annotated(parts, depth)
        if kind == "Literal":
            return {"enum": _list_values(parts)}
        if kind == "Optional":
            return self._union([*parts, ast.Constant(None)], depth)
        if kind == "Union":
            return self._union(parts, depth)
        if kind == "dict" and len(parts) == 2:
            return {"type": "object", "additionalProperties": self.read(parts[1], depth + 1) or True}
        if kind in {"list", "set", "tuple"} and parts:
            return dict(_PLAIN[kind]) | {"items": self.read(parts[0], depth + 1)}
        return self._resolve_name(name, depth)

    def _read_annotated(self, parts: list[ast.expr], depth: int) -> Schema:
        schema = self.read(parts[0], depth + 1)
        for extra in parts[1:]:
            if isinstance(extra, ast.Constant) and isinstance(extra.value, str):
                schema = schema | {"description": extra.value}
            elif isinstance(extra, ast.Call):
                schema = _with_field(schema, extra)[0]
        return schema

    def _union(self, parts: list[ast.expr], depth: int) -> Schema:
        arms = [self.read(part, depth + 1) for part in parts]
        kinds = [arm["type"] for arm in arms if set(arm) == {"type"} and isinstance(arm["type"], str)]
        if len(kinds) == len(arms):
            return {"type": kinds}
        return {"anyOf": arms} if all(arms) else {}


def _allows_extra(definition: ast.ClassDef) -> bool:
    """Return whether a Pydantic model has `model_config = ConfigDict(extra="allow")`, or the same as a dictionary."""
    configs = (
        line.value
        for line in definition.body
        if isinstance(line, ast.Assign) and any(last_name(target) == "model_config" for target in line.targets)
    )
    return any(
        isinstance(node, ast.Constant) and node.value == "allow" for config in configs for node in ast.walk(config)
    )


def last_name(node: ast.expr) -> str:
    """Return the last part of a name (`Optional` of `typing.Optional`), also of a quoted one."""
    if isinstance(node, ast.Constant):
        return node.value.rpartition(".")[2] if isinstance(node.value, str) else ""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def literal(node: ast.expr) -> object:
    """Return the value of a literal; None for any other expression."""
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value


def _with_field(schema: Schema, call: ast.Call) -> tuple[Schema, bool]:
    given = {keyword.arg: literal(keyword.value) for keyword in call.keywords if keyword.arg}
    limits = {ours: given[theirs] for theirs, ours in _LIMITS.items() if given.get(theirs) is not None}
    text = given.get("description")
    described = schema | limits | ({"description": text} if isinstance(text, str) else {})
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Constant) and first.value is ...:
        return described, True
    default = literal(first) if first is not None else given.get("default")
    if default is not None:
        described = described | {"default": default}
    return described, first is None and not {"default", "default_factory"} & given.keys()


def _list_arms(union: ast.BinOp) -> list[ast.expr]:
    """Return the types of a union with any number of `|`."""
    arms: list[ast.expr] = []
    first: ast.expr = union
    while isinstance(first, ast.BinOp):
        arms.append(first.right)
        first = first.left
    return [first, *reversed(arms)]


def _list_values(parts: list[ast.expr]) -> list[object]:
    """Return the values of a `Literal`, also of those within it."""
    inner = (_parts(part.slice) if isinstance(part, ast.Subscript) else [part] for part in parts)
    return [literal(part) for each in inner for part in each]


def _parts(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]
