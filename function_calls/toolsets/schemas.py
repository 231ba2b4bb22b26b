"""Sanitize JSON Schemas from external sources."""

from collections.abc import Mapping

from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.tools.validation.schema_walk import Schema
from function_calls.toolsets.openapi.bundling import Bundler
from function_calls.toolsets.openapi.document import Document
from function_calls.toolsets.openapi.schemas import SchemaConverter


def safe_schema(given: Mapping[str, object]) -> Schema:
    """Rebuild an external JSON Schema from known keywords, in a size that can be sent to a model.

    Raises:
        DocumentInvalid: it is too large.
        SchemaInvalid: the rest is no JSON Schema.
    """
    converter = SchemaConverter(Document({**given, "openapi": "3.1.0"}))
    own = {key: value for key, value in given.items() if key not in {"title", "description"}}
    made = Bundler(converter).bundled({"properties": {}} | converter.converted(own) | {"type": "object"})
    SchemaValidator(made)
    return made
