"""Make the JSON Schema of a Python type with Pydantic, for models and for validation."""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain, count
from typing import Final, cast

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import CoreSchema, core_schema

from function_calls.tools.validation.decimal_bounds import BOUNDS, DECIMAL_BOUND
from function_calls.tools.validation.docstrings import parse_docstring
from function_calls.tools.validation.schema_validator import close_objects
from function_calls.tools.validation.schema_walk import (
    Schema,
    map_schemas,
    pointer_target,
    required_of,
    types_of,
)

_PLAIN: Final = frozenset({str, int, bool, type(None)})
_DECIMAL: Final = r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,4})?$"
_UNSTRICT: Final = frozenset({"default", "minLength", "maxLength", "uniqueItems", "examples", "propertyNames"})
_MAX_INLINED_REFERENCES: Final = 2_000  # references; types that refer to each other are inlined in every order
_PLAIN_ARM_STOPS: Final = frozenset({"anyOf", "oneOf", "allOf", "not", "const", "$ref"})


class ToolJsonSchema(GenerateJsonSchema):
    """Pydantic's generator, stricter for texts that the class would refuse."""

    # A default without JSON form is omitted from the schema.
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {  # noqa: RUF012 - Pydantic's own declaration
        "skipped-choice",
        "non-serializable-default",
    }

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Add the schema of the keys of a `dict[K, V]`; Pydantic omits integer keys."""
        json_schema = super().dict_schema(schema)
        keys = schema.get("keys_schema", core_schema.any_schema())
        names = _key_names(keys, self.generate_inner)
        if names and not json_schema.keys() & {"propertyNames", "patternProperties"}:
            json_schema["propertyNames"] = names
        return json_schema

    def encode_default(self, dft: object) -> object:
        """Return a default as JSON; Pydantic's validator for each takes a tenth of a registration."""
        return dft if type(dft) in _PLAIN else super().encode_default(dft)

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """Return the schema of a number or of a text with a number, such as "6.00", with bounds for both."""
        json_schema = super().decimal_schema(schema)
        arms: list[JsonSchemaValue] = json_schema.get("anyOf", [])
        if not arms:
            return json_schema
        arms[-1].update({f"{DECIMAL_BOUND}{name}": limit for name, limit in arms[0].items() if name in BOUNDS})
        if schema.get("max_digits") is None and schema.get("decimal_places") is None:
            # Some versions of Pydantic have a pattern that accepts "" or "NaN".
            arms[-1]["pattern"] = _DECIMAL
        return json_schema


def _key_names(keys: CoreSchema, generate: Callable[[CoreSchema], JsonSchemaValue]) -> JsonSchemaValue:
    if keys["type"] == "int":
        return {"pattern": r"^-?(0|[1-9][0-9]{0,18})$"}
    if keys["type"] in {"any", "str"}:
        return {}
    names = generate(keys)
    if "$ref" in names or names.get("type") == "string":
        return names
    raise PydanticInvalidForJsonSchema(f"a dictionary with keys of kind '{keys['type']}'")


def model_schema(annotation: object) -> Schema:
    """Return the schema of a model, dataclass, TypedDict or any annotation that Pydantic knows.

    Titles and the docstring of the outermost class are removed, `Optional[int]` becomes
    `{"type": ["integer", "null"]}`, and references are inlined except in recursive types. Docstrings of nested classes
    describe their fields. Objects accept no further names, unless the class has `extra="allow"`.

    Raises:
        PydanticSchemaGenerationError: Pydantic does not support the type.
        PydanticInvalidForJsonSchema: the type has no JSON Schema.
    """
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        json_schema = annotation.model_json_schema(schema_generator=ToolJsonSchema)
    else:
        adapter: TypeAdapter[object] = TypeAdapter(cast("type[object]", annotation))
        json_schema = adapter.json_schema(schema_generator=ToolJsonSchema)
    if isinstance(nested := json_schema.get("$defs"), dict):
        json_schema["$defs"] = {name: _split_docstring(node) for name, node in nested.items()}
    inlined = close_objects(map_schemas(inline_refs(json_schema), _tidy))
    inlined.pop("description", None)
    return _order_keys(inlined)


def inline_refs(schema: Mapping[str, object]) -> Schema:
    """Replace local `$ref`s by their targets; only recursive types, and those beyond a limit, stay in `$defs`."""
    definitions: dict[str, object] = {}
    names: dict[str, str] = {}
    inlined = count()

    def expand(node: Schema, open_refs: tuple[str, ...]) -> Schema:
        reference = node.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return map_schemas(node, lambda inner: expand(inner, open_refs), deep=False)
        if reference in open_refs or next(inlined) >= _MAX_INLINED_REFERENCES:
            if reference not in names:
                names[reference] = _name_definition(reference, names.values())
            return {**_omit(node, "$ref"), "$ref": f"#/$defs/{names[reference]}"}
        target = _omit(pointer_target(schema, reference), "$anchor")
        body = expand(target, (*open_refs, reference))
        if reference in names and names[reference] not in definitions:
            definitions[names[reference]] = body
        return {**body, **map_schemas(_omit(node, "$ref"), lambda inner: expand(inner, open_refs), deep=False)}

    bare = {key: value for key, value in schema.items() if key not in {"$defs", "definitions", "components"}}
    expanded = expand(bare, ())
    while missing := [reference for reference, name in names.items() if name not in definitions]:
        for reference in missing:
            definitions[names[reference]] = expand(_omit(pointer_target(schema, reference), "$anchor"), (reference,))
    return {**expanded, "$defs": definitions} if definitions else expanded


def _name_definition(reference: str, taken: Collection[str]) -> str:
    """Return a name for the target of a reference, which no other target has."""
    name = reference.rsplit("/", 1)[-1].removeprefix("#") or "root"
    numbered = (f"{name}_{number}" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)


def openai_strict(schema: Mapping[str, object]) -> Schema | None:
    """Return the variant for OpenAI's `strict: true`; None if its subset cannot express the schema.

    Every property is required and optional ones may be null; repair removes such nulls.
    Source: https://platform.openai.com/docs/guides/structured-outputs (supported schemas).
    """
    possible = True

    def close(node: Schema) -> Schema:
        nonlocal possible
        properties = node.get("properties")
        is_object = node.get("type") == "object" or "object" in types_of(node) or isinstance(properties, dict)
        open_ended = node.get("additionalProperties", False) is not False or "patternProperties" in node
        untyped = not node.keys() & {"type", "anyOf", "$ref", "enum", "const"}
        if (
            untyped
            or node.keys() & {"oneOf", "allOf", "not", "if"}
            or (is_object and (open_ended or properties is None))
        ):
            possible = False
            return node
        strict_node = {key: value for key, value in node.items() if key not in _UNSTRICT}
        if isinstance(properties, dict) and is_object:
            required = required_of(node)
            strict_node["properties"] = {
                name: inner if name in required else nullable(inner) for name, inner in properties.items()
            }
            strict_node |= {"required": list(properties), "additionalProperties": False}
        return strict_node

    strict = map_schemas(dict(schema), close)
    return strict if possible else None


def nullable(schema: Schema) -> Schema:
    """Return the schema with null as a further value."""
    merged = _with_null(schema)
    return merged if merged is not None else {"anyOf": [schema, {"type": "null"}]}


def drop_private_keys(schema: Mapping[str, object]) -> Schema:
    """Return the schema for models, without private `x-` keys such as `x-decimal-minimum`."""
    return map_schemas(
        dict(schema), lambda node: {key: value for key, value in node.items() if not key.startswith("x-")}
    )


def add_descriptions(schema: Schema, texts: Mapping[str, str], *, keep: bool) -> Schema:
    """Add `texts` as descriptions of properties; with `keep` only to properties without one."""
    properties = _properties(schema)
    new = {
        name: {**inner, "description": texts[name]}
        for name, inner in properties.items()
        if texts.get(name) and not (keep and "description" in inner)
    }
    return {**schema, "properties": {**properties, **new}} if new else schema


def drop_null(schema: Schema, names: Iterable[str]) -> Schema:
    """Return the schema without null for the properties `names`, which may be omitted instead."""
    properties = dict(_properties(schema))
    for name in names:
        if name in properties:
            properties[name] = _without_null(properties[name])
    return {**schema, "properties": properties} if properties else schema


def _split_docstring(node: Schema) -> Schema:
    """Split the docstring of a class into the descriptions of the class and of its fields."""
    text = node.get("description")
    if not isinstance(text, str) or "properties" not in node:
        return node
    docs = parse_docstring(text)
    whole = {"description": docs.description} if docs.description else {}
    return add_descriptions({**_omit(node, "description"), **whole}, docs.parameters, keep=True)


def _properties(schema: Schema) -> dict[str, Schema]:
    properties = schema.get("properties")
    return {name: dict(inner) for name, inner in properties.items()} if isinstance(properties, dict) else {}


def _without_null(node: Schema) -> Schema:
    bare = {key: value for key, value in node.items() if not (key == "default" and value is None)}
    types = [name for name in types_of(node) if name != "null"]
    arms, values = node.get("anyOf"), node.get("enum")
    if types:
        bare["type"] = types[0] if len(types) == 1 else types
    if isinstance(values, list):
        bare["enum"] = [value for value in values if value is not None]
    if isinstance(arms, list):
        other_arms = [arm for arm in arms if arm != {"type": "null"}]
        return {**bare, "anyOf": other_arms} if len(other_arms) > 1 else {**other_arms[0], **_omit(bare, "anyOf")}
    return bare


def _omit(node: Schema, left_out: str) -> Schema:
    return {key: value for key, value in node.items() if key != left_out}


def _tidy(node: Schema) -> Schema:
    # A discriminator has references, which are inlined here; the constants in the arms have the same information.
    tidy = {key: value for key, value in node.items() if key not in {"title", "discriminator"}}
    arms = tidy.get("anyOf")
    if not isinstance(arms, list) or len(arms) != 2 or {"type": "null"} not in arms:
        return tidy
    other = next((arm for arm in arms if arm != {"type": "null"}), None)
    merged = _with_null(other) if isinstance(other, dict) else None
    if merged is None:
        return tidy
    del tidy["anyOf"]
    return {**merged, **tidy}


def _with_null(schema: Schema) -> Schema | None:
    """Return `schema` with null among its types; None if a type list cannot express it."""
    types = types_of(schema)
    if not types or schema.keys() & _PLAIN_ARM_STOPS:
        return None
    merged = {**schema, "type": types if "null" in types else [*types, "null"]}
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        merged["enum"] = [*values, None]
    return merged


def _order_keys(schema: Schema) -> Schema:
    """Return the schema with `type`, `properties` and `required` first."""
    first = [key for key in ("type", "properties", "required") if key in schema]
    return {key: schema[key] for key in [*first, *(key for key in schema if key not in first)]}
