"""Convert the parameters and body of an operation to the arguments of a tool."""

from collections.abc import Mapping
from typing import Final, cast

from msgspec import Struct, field

from function_calls.tools.validation.schema_walk import Schema
from function_calls.toolsets.openapi.document import Document, Node, mapping, sequence
from function_calls.toolsets.openapi.operation import Body, Parameter, Place
from function_calls.toolsets.openapi.schemas import SchemaConverter
from function_calls.toolsets.openapi.texts import argument_name, sanitize_description

_PLACES: Final = frozenset({"path", "query", "header", "cookie"})
_NOT_ARGUMENTS: Final = frozenset({"accept", "content-type", "authorization"})  # Source: OpenAPI 3.1, parameter object.
_STYLES: Final = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
_COLLECTIONS: Final = {"ssv": "spaceDelimited", "pipes": "pipeDelimited", "tsv": "tabDelimited"}
_FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_UNIONS: Final = frozenset({"oneOf", "anyOf", "not", "if"})


class Arguments(Struct, kw_only=True):
    """The arguments of an operation's tool under construction."""

    properties: dict[str, Schema] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    body: Body | None = None

    @property
    def schema(self) -> Schema:
        """The schema of an object with all arguments."""
        whole: Schema = {"type": "object", "properties": dict(self.properties)}
        return whole | {"required": list(dict.fromkeys(self.required))} if self.required else whole

    def add(self, name: str, place: str, schema: Schema, *, is_required: bool) -> str:
        """Add one argument and return its name in the tool."""
        argument = argument_name(name, place, self.properties)
        self.properties[argument] = schema
        if is_required:
            self.required.append(argument)
        return argument


class ArgumentReader:
    """Reads the arguments of operations of one document."""

    def __init__(self, document: Document, converter: SchemaConverter) -> None:
        self._document = document
        self._converter = converter

    def read(self, item: Node, operation: Node) -> Arguments:
        """Return the arguments of `operation`, including those of its path item."""
        found = Arguments()
        parameters = self._parameters(item, operation)
        for parameter in parameters:
            if str(parameter.get("in")) in _PLACES:
                self._add_parameter(found, parameter)
        if self._document.version == "2.0":
            self._add_old_body(found, operation, parameters)
        else:
            self._add_body(found, self._document.resolve(operation.get("requestBody")))
        return found

    def _parameters(self, item: Node, operation: Node) -> list[Node]:
        """Return the parameters of the path item, overridden by those of the operation."""
        listed = [*sequence(item.get("parameters")), *sequence(operation.get("parameters"))]
        known = {
            (str(parameter["name"]), str(parameter.get("in"))): parameter
            for parameter in map(self._document.resolve, listed)
            if isinstance(parameter.get("name"), str) and parameter["name"]
        }
        return list(known.values())

    def _add_parameter(self, found: Arguments, parameter: Node) -> None:
        name, place = str(parameter["name"]), cast("Place", parameter["in"])
        if place == "header" and name.lower() in _NOT_ARGUMENTS:
            return
        content_type, content = _first_content(mapping(parameter.get("content")))
        old = self._document.version == "2.0"
        schema = self._converter.convert(content.get("schema") if content_type else parameter.get("schema", parameter))
        is_required = parameter.get("required") is True or place == "path"
        argument = found.add(name, place, _with_description(schema, parameter), is_required=is_required)
        style, explode = _old_style(parameter) if old else _style(parameter, place)
        found.parameters.append(
            Parameter(
                argument=argument,
                name=name,
                place=place,
                style=style,
                explode=explode,
                is_required=is_required,
                allows_reserved=parameter.get("allowReserved") is True,
                content_type=content_type,
            )
        )

    def _add_old_body(self, found: Arguments, operation: Node, parameters: list[Node]) -> None:
        """Add the `body` or `formData` parameters of OpenAPI 2.0."""
        consumes = [
            str(media_type) for media_type in sequence(operation.get("consumes", self._document.raw.get("consumes")))
        ]
        body = next((parameter for parameter in parameters if parameter.get("in") == "body"), None)
        if body is not None:
            kind = next((media_type for media_type in consumes if "json" in media_type), "application/json")
            self._add_content(found, kind, body, is_required=body.get("required") is True)
            return
        fields = [parameter for parameter in parameters if parameter.get("in") == "formData"]
        if fields:
            has_files = any(parameter.get("type") == "file" for parameter in fields)
            kind = _MULTIPART if has_files or consumes[:1] == [_MULTIPART] else _FORM
            properties = {str(parameter["name"]): _drop_flag(parameter) for parameter in fields}
            needed = [str(parameter["name"]) for parameter in fields if parameter.get("required") is True]
            schema = {"type": "object", "properties": properties, "required": needed}
            self._add_content(found, kind, {"schema": schema}, is_required=bool(needed))

    def _add_body(self, found: Arguments, body: Node) -> None:
        contents = mapping(body.get("content"))
        kind = next(
            (media_type for media_type in contents if "json" in media_type or "form" in media_type),
            next(iter(contents), ""),
        )
        if kind:
            content = dict(mapping(contents[kind]))
            if "description" in body:
                content["description"] = body["description"]
            self._add_content(found, str(kind), content, is_required=body.get("required") is True)

    def _add_content(self, found: Arguments, kind: str, content: Node, *, is_required: bool) -> None:
        """Add the members of an object as arguments, or another body as one argument `body`."""
        node = content.get("schema")
        members = self._members(node) if "json" in kind or "form" in kind else None
        if members is None:
            schema = self._whole(kind, node)
            argument = found.add("body", "content", _with_description(schema, content), is_required=is_required)
            found.body = Body(content_type=kind, argument=argument, members={}, written_as={}, is_required=is_required)
            return
        properties, required = members
        names: dict[str, str] = {}
        for name, part in properties.items():
            must = is_required and name in required
            names[found.add(name, "body", self._converter.convert(part), is_required=must)] = name
        files = {name for name, part in properties.items() if self._is_file(part)}
        found.body = Body(
            content_type=kind,
            members=names,
            files=frozenset(files),
            written_as=_encodings(content),
            is_required=is_required,
        )

    def _whole(self, kind: str, node: object) -> Schema:
        if "json" in kind or "form" in kind:
            return self._converter.convert(node)
        return {"type": "string", "description": f"The body as {kind}."}

    def _members(self, node: object, depth: int = 0) -> tuple[dict[str, object], set[str]] | None:
        """Return the properties of an object and the required ones; None if it allows other properties."""
        schema = self._document.resolve(node)
        properties, required = dict(mapping(schema.get("properties"))), _required_names(self._document, schema)
        if schema.keys() & _UNIONS or schema.get("nullable") is True or depth > 8:
            return None
        for part in sequence(schema.get("allOf")):
            inner = self._members(part, depth + 1)
            if inner is None:
                return None
            properties |= inner[0]
            required |= inner[1]
        is_open = isinstance(schema.get("additionalProperties"), Mapping) or "patternProperties" in schema
        return (properties, required) if (properties or depth) and not is_open else None

    def _is_file(self, part: object) -> bool:
        schema = self._document.resolve(part)
        if schema.get("type") == "array":
            return self._is_file(schema.get("items"))
        is_encoded = "contentMediaType" in schema and schema.get("type") == "string"
        return schema.get("type") == "file" or schema.get("format") == "binary" or is_encoded


def _required_names(document: Document, schema: Node) -> set[str]:
    properties = mapping(schema.get("properties"))
    names = {str(name) for name in sequence(schema.get("required"))}
    return {name for name in names if not document.resolve(properties.get(name)).get("readOnly")}


def _first_content(contents: Node) -> tuple[str, Node]:
    kind = next(iter(contents), "")
    return str(kind), mapping(contents.get(kind))


def _style(parameter: Node, place: str) -> tuple[str, bool]:
    style = str(parameter.get("style") or _STYLES[place])
    explode = parameter.get("explode")
    return style, explode if isinstance(explode, bool) else style == "form"


def _old_style(parameter: Node) -> tuple[str, bool]:
    form = str(parameter.get("collectionFormat", "csv"))
    usual = "form" if parameter.get("in") == "query" else "simple"
    return ("form", True) if form == "multi" else (_COLLECTIONS.get(form, usual), False)


def _encodings(content: Node) -> dict[str, str]:
    """Return the content types of a form's members, from its `encoding`."""
    kinds = {
        str(name): mapping(encoding).get("contentType") for name, encoding in mapping(content.get("encoding")).items()
    }
    return {name: kind for name, kind in kinds.items() if isinstance(kind, str)}


def _drop_flag(parameter: Node) -> Schema:
    """Return a parameter of OpenAPI 2.0 as a schema, without the flag `required`."""
    return {str(key): value for key, value in parameter.items() if key not in {"required", "in", "name"}}


def _with_description(schema: Schema, node: Node) -> Schema:
    text = sanitize_description(node.get("description"))
    return schema | {"description": text} if text else schema
