"""Generate JSON Schemas with Pydantic, corrected where schema and class disagree."""

from collections.abc import Callable
from typing import Final

from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import CoreSchema, core_schema

from function_calls.tools.validation.decimal_bounds import BOUNDS, DECIMAL_BOUND

_PLAIN: Final = frozenset({str, int, bool, type(None)})
_DECIMAL: Final = r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,4})?$"


class ToolJsonSchema(GenerateJsonSchema):
    """Pydantic's generator, closed where it accepts texts that the class then refuses."""

    # A default that JSON cannot say is left out of the schema; the function still has it.
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {  # noqa: RUF012 - Pydantic's own declaration
        "skipped-choice",
        "non-serializable-default",
    }

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Say in the schema what keys a `dict[K, V]` takes; Pydantic leaves integer keys out."""
        made = super().dict_schema(schema)
        keys = schema.get("keys_schema", core_schema.any_schema())
        names = _key_names(keys, self.generate_inner)
        if names and not made.keys() & {"propertyNames", "patternProperties"}:
            made["propertyNames"] = names
        return made

    def encode_default(self, dft: object) -> object:
        """Return a default as JSON; Pydantic would build a validator for each, which took a tenth of a registration."""
        return dft if type(dft) in _PLAIN else super().encode_default(dft)

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """Return a number, or a text that spells one: money is written as "6.00". Bounds hold for texts too."""
        made = super().decimal_schema(schema)
        arms: list[JsonSchemaValue] = made.get("anyOf", [])
        if not arms:
            return made
        arms[-1].update({f"{DECIMAL_BOUND}{name}": limit for name, limit in arms[0].items() if name in BOUNDS})
        if schema.get("max_digits") is None and schema.get("decimal_places") is None:
            # Pydantic's own pattern differs between its versions, and lets "" or "NaN" pass in some of them.
            arms[-1]["pattern"] = _DECIMAL
        return made


def _key_names(keys: CoreSchema, generate: Callable[[CoreSchema], JsonSchemaValue]) -> JsonSchemaValue:
    if keys["type"] == "int":
        return {"pattern": r"^-?(0|[1-9][0-9]{0,18})$"}
    if keys["type"] in {"any", "str"}:
        return {}
    made = generate(keys)
    if "$ref" in made or made.get("type") == "string":
        return made
    raise PydanticInvalidForJsonSchema(f"a dictionary with keys of kind '{keys['type']}'")
