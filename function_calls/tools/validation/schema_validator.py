"""Validate arguments with a compiled JSON Schema, reporting all errors."""

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError as ClassRefused
from pydantic_core import CoreSchema, core_schema, to_json
from pydantic_core import SchemaValidator as CoreValidator

from function_calls.tools.errors import ArgumentError, SchemaInvalid
from function_calls.tools.validation.argument_errors import lone_surrogates
from function_calls.tools.validation.decimal_bounds import KEYWORDS
from function_calls.tools.validation.recursive_parts import DEFINITIONS, PART, RecursiveParts
from function_calls.tools.validation.schema_walk import Schema, map_schemas, pointer_target
from services.kernel.bounded import IdentityCache

if TYPE_CHECKING:
    # Imported lazily, which saves five megabytes in an idle bot.
    from jsonschema_rs import Draft202012Validator, KeywordValidator

_MAX_PARTS: Final = 1000
_ALLOWS_MORE: Final = frozenset({"additionalProperties", "patternProperties", "anyOf", "oneOf", "$ref"})
_DEPENDENT: Final = frozenset({"allOf", "not", "if", "unevaluatedProperties", "unevaluatedItems", "dependentSchemas"})
_FORMATS: Final[Mapping[str, CoreSchema]] = {
    "date-time": core_schema.datetime_schema(),
    "date": core_schema.date_schema(),
    "time": core_schema.time_schema(),
    "duration": core_schema.timedelta_schema(),
    "uuid": core_schema.uuid_schema(),
    "ipv4": core_schema.no_info_plain_validator_function(IPv4Address),
    "ipv6": core_schema.no_info_plain_validator_function(IPv6Address),
}


class SchemaValidator:
    """A compiled schema for the arguments of a tool; reuse it, because compiling takes time.

    With `check_formats`, formats such as `date` and `uuid` are validated like in the argument class; external schemas
    often have formats that are not enforced. A schema that `is_sound`, because Pydantic made it, is compiled at the
    first validation.

    Raises:
        SchemaInvalid: the schema is not a JSON Schema.
    """

    def __init__(self, schema: Mapping[str, object], *, check_formats: bool = False, is_sound: bool = False) -> None:
        self.schema: Schema = dict(schema)
        self._checks_formats = check_formats
        self._parts: IdentityCache[Draft202012Validator] = IdentityCache(_MAX_PARTS)
        self._explainers: IdentityCache[Draft202012Validator] = IdentityCache(_MAX_PARTS)
        if not is_sound:
            self.accepts(None)  # compiles the schema

    def accepts(self, arguments: object) -> bool:
        """Return whether `arguments` are valid, without undeclared names. Takes about a microsecond."""
        return self._closed.is_valid(arguments)

    def validate(self, arguments: object) -> list[ArgumentError]:
        """Return all errors in `arguments`, including undeclared names."""
        return lone_surrogates(arguments) or self._explain(self.schema, arguments)

    def _explain(self, part: Schema, value: object) -> list[ArgumentError]:
        from function_calls.tools.validation.schema_errors import explain

        rooted = part | self._cut_definitions
        keywords = {**KEYWORDS, PART: self._recursive.keyword}
        validator = self._explainers.get((part,), lambda: self._compile(self._closed_form(rooted), keywords))
        return explain(validator.iter_errors(value), rooted, self._explain_part)

    def _explain_part(self, number: int, value: object) -> list[ArgumentError]:
        return self._explain(self._recursive.parts[number], value)

    @cached_property
    def _recursive(self) -> RecursiveParts:
        return RecursiveParts(self.part_accepts)

    @cached_property
    def _cut_definitions(self) -> Schema:
        return self._recursive.replace_in(self._definitions)

    def part_accepts(self, part: Schema, value: object) -> bool:
        """Return whether `value` is valid for `part`, an object inside of this schema, without undeclared names."""
        return self._parts.get((part,), lambda: self._compile_part(part)).is_valid(value)

    def resolve(self, part: Schema) -> Schema:
        """Return the target of `part` after all references."""
        seen: set[str] = set()
        while isinstance(reference := part.get("$ref"), str) and reference.startswith("#") and reference not in seen:
            seen.add(reference)
            part = pointer_target(self.schema, reference)
        return part

    def _compile_part(self, part: Schema) -> "Draft202012Validator":
        return self._compile(self._closed_form(part | self._definitions))

    @property
    def _definitions(self) -> Schema:
        return {key: self.schema[key] for key in DEFINITIONS if key in self.schema}

    @cached_property
    def _closed(self) -> "Draft202012Validator":
        return self._compile(self._closed_form(self.schema))

    @cached_property
    def is_closable(self) -> bool:
        """Return whether an object's schema says all about its members, so that a name it does not list is unknown."""
        return not _mentions(self.schema, _DEPENDENT)

    def _closed_form(self, schema: Schema) -> Schema:
        return map_schemas(schema, _close_object) if self.is_closable else schema

    def _compile(
        self, schema: Schema, keywords: Mapping[str, "type[KeywordValidator]"] = KEYWORDS
    ) -> "Draft202012Validator":
        from jsonschema_rs import Draft202012Validator, ReferencingError, ValidationError

        formats = _formats() if self._checks_formats else None
        try:
            return Draft202012Validator(
                schema, formats=formats, validate_formats=self._checks_formats, keywords=dict(keywords), offline=True
            )
        except (ValidationError, ReferencingError, ValueError) as error:
            raise SchemaInvalid(str(error).splitlines()[0]) from error


def close_objects(schema: Mapping[str, object]) -> Schema:
    """Add `additionalProperties: false` to each object without a rule for unlisted members.

    A schema with parts that constrain the members of other parts (`allOf`, `if`, …) is not changed.
    """
    return dict(schema) if _mentions(dict(schema), _DEPENDENT) else map_schemas(schema, _close_object)


def names_all_members(node: Schema) -> bool:
    """Return whether an object's schema lists all its members."""
    return isinstance(node.get("properties"), dict) and not node.keys() & _ALLOWS_MORE - (
        {"additionalProperties"} if node.get("additionalProperties") is False else set()
    )


def _close_object(node: Schema) -> Schema:
    """Refuse undeclared names, unless the schema has a rule for them."""
    return {**node, "additionalProperties": False} if names_all_members(node) else node


def _mentions(schema: Schema, keywords: frozenset[str]) -> bool:
    """Return whether the schema has one of the keywords anywhere."""
    found = False

    def look(node: Schema) -> Schema:
        nonlocal found
        found = found or bool(node.keys() & keywords)
        return node

    map_schemas(schema, look)
    return found


@cache
def _formats() -> dict[str, Callable[[str], bool]]:
    return {name: _reader(schema) for name, schema in _FORMATS.items()}


def _reader(schema: CoreSchema) -> Callable[[str], bool]:
    check = CoreValidator(schema).validate_json

    def is_readable(text: str) -> bool:
        # Pydantic reads digits as seconds since 1970.
        if text.lstrip("+-").replace(".", "", 1).isdecimal():
            return False
        try:
            check(to_json(text), strict=True)
        except ClassRefused:
            return False
        return True

    return is_readable
