"""Recognise an OpenAPI document of any version, and resolve its references."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from function_calls.tools.validation.schema_walk import follow_pointer

Node: TypeAlias = Mapping[str, object]
Version = Literal["2.0", "3.0", "3.1"]

_MAX_REFERENCE_CHAIN: Final = 50
_NOTHING: Final[Node] = {}


class DocumentInvalid(ValueError):
    """The document is not a supported OpenAPI document, with the reason."""


class Document:
    """A document parsed from JSON or YAML: `dict`, `list` and plain values.

    References to other files are not resolved.
    """

    def __init__(self, raw: object) -> None:
        if not isinstance(raw, dict):
            raise DocumentInvalid("an OpenAPI document is an object")
        self.raw: Node = raw
        self.version = _version(raw)

    @property
    def paths(self) -> Node:
        """The path items."""
        return mapping(self.raw.get("paths"))

    @property
    def info(self) -> Node:
        """Title, version and description."""
        return mapping(self.raw.get("info"))

    def target(self, reference: str) -> object:
        """Return the target of a reference such as `#/components/schemas/Pet`; None without any."""
        return follow_pointer(self.raw, reference) if reference.startswith("#") else None

    def resolve(self, node: object) -> Node:
        """Return the target of `node` after all references; an empty object if they are circular or broken."""
        for _ in range(_MAX_REFERENCE_CHAIN):
            if not isinstance(node, dict):
                return _NOTHING
            reference = node.get("$ref")
            if not isinstance(reference, str):
                return node
            node = self.target(reference)
        return _NOTHING


def mapping(value: object) -> Node:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else _NOTHING


def sequence(value: object) -> Sequence[object]:
    """Return `value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def _version(raw: Node) -> Version:
    swagger, openapi = str(raw.get("swagger", "")), str(raw.get("openapi", ""))
    if swagger.startswith("2"):
        return "2.0"
    if openapi.startswith("3.0"):
        return "3.0"
    if openapi.startswith("3"):
        return "3.1"
    raise DocumentInvalid("neither `swagger: 2.0` nor `openapi: 3.x`")
