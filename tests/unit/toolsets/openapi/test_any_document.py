"""Random documents of a tool server, which become usable tools or are refused."""

import json
import re

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from function_calls.toolsets.openapi.document import DocumentInvalid
from function_calls.toolsets.openapi.importer import import_document
from tests.unit.random_changes import change_sample

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
NOTE = {
    "type": "object",
    "required": ["text"],
    "properties": {
        "text": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What to note."},
        "tags": {"type": "array", "items": {"type": ["string", "null"], "enum": ["home", "work", None]}},
        "parent": {"$ref": "#/components/schemas/Note"},
        "due": {"anyOf": [{"type": "string", "format": "date"}, {"type": "integer", "minimum": 0}]},
    },
}
DOCUMENTS = [
    {
        "openapi": "3.1.0",
        "info": {"title": "Notes", "version": "1"},
        "servers": [{"url": "/v1"}],
        "security": [{"key": []}],
        "components": {
            "schemas": {"Note": NOTE},
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
            "parameters": {"Page": {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}}},
        },
        "paths": {
            "/notes": {
                "get": {"operationId": "list", "parameters": [{"$ref": "#/components/parameters/Page"}]},
                "post": {
                    "operationId": "add",
                    "summary": "Keep a note.",
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}},
                    },
                },
            },
            "/notes/{id}": {
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "delete": {"description": "Throw a note away.", "deprecated": False},
            },
        },
    },
    {
        "openapi": "3.0.3",
        "paths": {
            "/time": {
                "get": {
                    "operationId": "time",
                    "parameters": [
                        {"name": "zone", "in": "query", "schema": {"type": "string", "nullable": True}},
                        {"name": "X-Trace", "in": "header", "content": {"application/json": {"schema": {}}}},
                    ],
                }
            }
        },
    },
    {
        "swagger": "2.0",
        "host": "tools.test",
        "basePath": "/v2",
        "schemes": ["https"],
        "definitions": {"Dice": {"allOf": [{"type": "object", "properties": {"sides": {"type": "integer"}}}]}},
        "paths": {
            "/roll": {
                "post": {
                    "consumes": ["application/json"],
                    "parameters": [{"in": "body", "name": "dice", "schema": {"$ref": "#/definitions/Dice"}}],
                }
            }
        },
    },
]


@settings(max_examples=100, deadline=None)
@given(raw=change_sample(DOCUMENTS))
def test_any_document_becomes_tools_or_is_refused(raw):
    try:
        found = import_document(raw, "http://tools.test").operations
    except DocumentInvalid:
        return

    assert len({each.name for each in found}) == len(found)
    for each in found:
        assert NAME.fullmatch(each.name)
        assert len(json.dumps(each.spec.parameters)) < 100_000
        jsonschema_rs.validator_for(dict(each.spec.parameters))


@settings(max_examples=30, deadline=None)
@given(raw=st.sampled_from(DOCUMENTS))
def test_unchanged_document_becomes_tools(raw):
    assert import_document(raw, "http://tools.test").operations
