"""Schemas that others wrote, made safe to be offered."""

from collections.abc import Mapping

from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.tools.validation.schema_walk import Schema
from function_calls.toolsets.openapi.bundling import Bundler
from function_calls.toolsets.openapi.document import Document
from function_calls.toolsets.openapi.schemas import SchemaConverter


def safe_schema(given: Mapping[str, object]) -> Schema:
    """Return A JSON Schema from elsewhere, rebuilt: of the keywords that are known, in a size that a model can be sent.

    Raises:
        DocumentInvalid: it is too large to be read.
        SchemaInvalid: what is left is no JSON Schema.
    """
    converter = SchemaConverter(Document({**given, "openapi": "3.1.0"}))
    own = {key: value for key, value in given.items() if key not in {"title", "description"}}
    made = Bundler(converter).bundled({"properties": {}} | converter.converted(own) | {"type": "object"})
    SchemaValidator(made)
    return made
