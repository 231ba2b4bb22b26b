"""Validate the parts of recursive types one by one: the errors of nested alternatives take exponential time and memory.

In a schema for errors, a member of a definition that refers to a definition is replaced by `{PART: number}`.
"""

from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Final

from function_calls.tools.validation.schema_walk import Schema, map_children

PART: Final = f"x-part-{token_hex()}"
"""The keyword, with a name that no schema of others has."""

DEFINITIONS: Final = ("$defs", "definitions")
"""The keywords of a schema that hold its definitions."""

_ARMS: Final = ("anyOf", "oneOf", "allOf")
_INSIDE: Final = frozenset({"properties", "patternProperties", "additionalProperties", "items", "prefixItems"})


class RecursiveParts:
    """The parts that were replaced; `accepts` validates a value for one of them."""

    def __init__(self, accepts: Callable[[Schema, object], bool]) -> None:
        self.parts: list[Schema] = []
        parts = self.parts

        class Part:
            """The keyword, instantiated and called by jsonschema_rs."""

            def __init__(self, parent_schema: object, value: int, schema_path: object) -> None:
                del parent_schema, schema_path
                self._number = value

            def validate(self, instance: object) -> None:
                """Validate a value; the error has the number of the part."""
                if not accepts(parts[self._number], instance):
                    raise ValueError(str(self._number))

        self.keyword = Part

    def replace_in(self, schema: Mapping[str, object]) -> Schema:
        """Return the schema with the parts of its definitions replaced."""
        copy = dict(schema)
        for key in DEFINITIONS:
            bodies = schema.get(key)
            if isinstance(bodies, dict):
                copy[key] = {name: self._cut(body) for name, body in bodies.items()}
        return copy

    def _cut(self, node: object) -> object:
        if not isinstance(node, dict):
            return node
        return {
            key: map_children(key, value, self._number if key in _INSIDE else self._cut) for key, value in node.items()
        }

    def _number(self, node: object) -> object:
        if not isinstance(node, dict) or not _refers(node):
            return self._cut(node)
        self.parts.append(node)
        return {PART: len(self.parts) - 1}


def _refers(node: Mapping[str, object]) -> bool:
    """Return whether a schema or one of its alternatives is a reference to a definition."""
    reference = node.get("$ref")
    if isinstance(reference, str):
        return reference.startswith(tuple(f"#/{key}/" for key in DEFINITIONS))
    lists = [arms for key in _ARMS if isinstance(arms := node.get(key), list)]
    return any(_refers(arm) for arms in lists for arm in arms if isinstance(arm, dict))
