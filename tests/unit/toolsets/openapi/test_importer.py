"""Import of operations from OpenAPI documents."""

import json
import time

import pytest

from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.toolsets.openapi.document import DocumentInvalid
from function_calls.toolsets.openapi.importer import import_document


def document(paths, version="3.1.0", **more):
    return {"openapi": version, "info": {"title": "T", "version": "1"}, "paths": paths, **more}


def import_operation(raw):
    return import_document(raw, "http://tools.test").operations[0]


def make_post_document(schema, content_type="application/json", **more):
    body = {"required": True, "content": {content_type: {"schema": schema}}}
    return document({"/things": {"post": {"operationId": "add_thing", "requestBody": body}}}, **more)


def test_an_operation_is_named_by_its_id_and_described_by_summary_and_description():
    raw = document({"/t": {"get": {"operationId": "get_time", "summary": "The time", "description": "As ISO text."}}})

    spec = import_operation(raw).spec

    assert (spec.name, spec.description) == ("get_time", "The time. As ISO text.")


def test_an_operation_without_an_id_is_named_by_method_and_path():
    assert import_operation(document({"/pets/{id}": {"get": {}}})).name == "get_pets_id"


def test_equal_ids_get_numbers_in_the_order_of_the_document():
    raw = document({"/a": {"get": {"operationId": "x"}}, "/b": {"get": {"operationId": "x"}}})

    assert [each.name for each in import_document(raw, "http://t").operations] == ["x", "x_2"]


def test_parameters_of_every_place_and_the_members_of_the_body_are_arguments_of_one_tool():
    operation = {
        "operationId": "update",
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
            {"name": "dry", "in": "query", "schema": {"type": "boolean"}},
            {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
            {"name": "session", "in": "cookie", "schema": {"type": "string"}},
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
                }
            },
        },
    }

    schema = import_operation(document({"/items/{id}": {"put": operation}})).spec.parameters

    assert set(schema["properties"]) == {"id", "dry", "X-Trace", "session", "text"}
    assert schema["required"] == ["id", "text"]


def test_name_in_two_places_becomes_two_arguments():
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "id", "in": "query", "schema": {"type": "string"}},
    ]

    operation = import_operation(document({"/items/{id}": {"get": {"parameters": parameters}}}))

    assert [(each.argument, each.place) for each in operation.parameters] == [("id", "path"), ("id_query", "query")]


def test_headers_that_belong_to_the_request_itself_are_no_arguments():
    parameters = [{"name": "Authorization", "in": "header", "schema": {"type": "string"}}]

    assert import_operation(document({"/a": {"get": {"parameters": parameters}}})).parameters == ()


def test_swagger_2_is_read_with_its_host_body_and_form_fields():
    raw = {
        "swagger": "2.0",
        "host": "api.test",
        "basePath": "/v1",
        "schemes": ["https"],
        "paths": {
            "/upload": {
                "post": {
                    "parameters": [
                        {"name": "file", "in": "formData", "type": "file", "required": True},
                        {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"}},
                    ]
                }
            }
        },
    }

    operation = import_operation(raw)

    assert operation.servers == ("https://api.test/v1",)
    assert operation.body.content_type == "multipart/form-data"
    assert operation.body.files == {"file"}
    assert (operation.parameters[0].style, operation.parameters[0].explode) == ("form", False)


def test_members_of_allof_are_merged():
    part = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    schema = {"allOf": [{"$ref": "#/components/schemas/Part"}, {"type": "object", "properties": {"b": {}}}]}

    spec = import_operation(make_post_document(schema, components={"schemas": {"Part": part}})).spec

    assert set(spec.parameters["properties"]) == {"a", "b"}


def test_a_body_that_is_one_of_several_is_a_single_argument():
    schema = {"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "string"}]}

    operation = import_operation(make_post_document(schema))

    assert operation.body.argument == "body"


def test_nullable_and_exclusive_bounds_of_3_0_become_json_schema():
    schema = {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["a", "b"], "nullable": True},
            "size": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        },
    }

    properties = import_operation(make_post_document(schema, version="3.0.3")).spec.parameters["properties"]

    assert properties["kind"] == {"type": ["string", "null"], "enum": ["a", "b", None]}
    assert properties["size"] == {"type": "integer", "exclusiveMinimum": 0}


def test_response_only_fields_are_not_required():
    schema = {"type": "object", "properties": {"id": {"type": "integer", "readOnly": True}}, "required": ["id"]}

    assert "required" not in import_operation(make_post_document(schema)).spec.parameters


def test_recursive_schema_is_kept_as_a_definition():
    node = {"type": "object", "properties": {"child": {"$ref": "#/components/schemas/Node"}, "v": {"type": "integer"}}}

    spec = import_operation(
        make_post_document({"$ref": "#/components/schemas/Node"}, components={"schemas": {"Node": node}})
    ).spec

    assert not SchemaValidator(spec.parameters).validate({"child": {"child": {"v": 1}}})
    assert SchemaValidator(spec.parameters).validate({"child": {"child": {"v": "one"}}})


def test_short_schema_is_inlined_with_its_default():
    unit = {"type": "string", "enum": ["g", "kg"]}
    item = {"type": "object", "properties": {"unit": {"$ref": "#/components/schemas/Unit", "default": "g"}}}
    schema = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}}},
    }

    spec = import_operation(make_post_document(schema, components={"schemas": {"Unit": unit, "Item": item}})).spec

    assert spec.parameters["properties"]["items"]["items"]["properties"]["unit"] == {**unit, "default": "g"}
    assert "$defs" not in spec.parameters


def test_references_in_a_circle_or_to_nowhere_allow_anything():
    circle = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}
    schema = {
        "type": "object",
        "properties": {
            "x": {"$ref": "#/components/schemas/A"},
            "y": {"$ref": "other.yaml#/Pet"},
            "z": {"$ref": "#/components/schemas/None"},
        },
    }

    spec = import_operation(make_post_document(schema, components={"schemas": circle})).spec

    assert spec.parameters["properties"]["y"] == {}
    assert spec.parameters["properties"]["z"] == {}
    assert set(spec.parameters["$defs"]) == {"A", "B"}


def test_a_path_item_that_refers_to_itself_is_no_operation():
    raw = document({"/a": {"$ref": "#/paths/~1a"}, "/b": {"get": {"operationId": "b"}}})

    assert [each.name for each in import_document(raw, "http://t").operations] == ["b"]


def test_tool_schema_is_limited_to_a_sendable_size():
    wide = {
        f"field_{place}": {"type": "object", "description": "d" * 900, "properties": {"x": {"type": "string"}}}
        for place in range(120)
    }

    spec = import_operation(make_post_document({"type": "object", "properties": wide})).spec

    assert len(json.dumps(spec.parameters)) < 20_000
    assert set(spec.parameters["properties"]) == set(wide)


def test_a_model_with_many_relatives_is_cut_off_where_it_gets_long():
    relatives = {
        f"M{place}": {
            "type": "object",
            "properties": {f"text_{place}": {"type": "string", "description": "d" * 200}}
            | {f"to_{each}": {"$ref": f"#/components/schemas/M{each}"} for each in range(place + 1, place + 4)},
        }
        for place in range(200)
    }
    raw = make_post_document({"$ref": "#/components/schemas/M0"}, components={"schemas": relatives})

    spec = import_operation(raw).spec

    assert len(json.dumps(spec.parameters)) < 20_000
    SchemaValidator(spec.parameters)


@pytest.mark.parametrize(
    ("method", "path", "name", "changes"),
    [
        ("get", "/delete_everything", "wipe", False),
        ("post", "/convert_time", "convert_time_convert_time_post", False),
        ("post", "/delete_file", "get_rid_of_file", True),
        ("post", "/notes", "createNote", True),
        ("post", "/getaway", "getaway", True),
        ("delete", "/notes/{id}", "get_note", True),
    ],
)
def test_changing_operation_is_known_by_method_and_first_word(method, path, name, changes):
    operation = import_operation(document({path: {method: {"operationId": name}}}))

    assert operation.spec.changes_state is changes


def test_security_of_the_operation_wins_over_that_of_the_document():
    schemes = {
        "key": {"type": "apiKey", "in": "query", "name": "api_key"},
        "login": {"type": "http", "scheme": "basic"},
    }
    raw = document(
        {"/a": {"get": {}}, "/b": {"get": {"security": []}}, "/c": {"get": {"security": [{"login": []}]}}},
        components={"securitySchemes": schemes},
        security=[{"key": []}],
    )

    kinds = [[[s.kind for s in alt] for alt in each.security] for each in import_document(raw, "http://t").operations]

    assert kinds == [[["api_key"]], [], [["basic"]]]


def test_servers_may_have_variables_and_be_relative():
    server = {"url": "/{stage}/api", "variables": {"stage": {"default": "live"}}}

    assert import_operation(document({"/a": {"get": {}}}, servers=[server])).servers == ("http://tools.test/live/api",)


def test_1223_operations_take_at_most_a_second_of_the_processor():
    paths = {
        f"/r{place}/{{id}}": {
            "post": {
                "operationId": f"op{place}",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/M{place}"}}}
                },
            }
        }
        for place in range(1223)
    }
    models = {
        f"M{place}": {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(10)}}
        for place in range(1223)
    }
    started = time.process_time()

    found = import_document(document(paths, components={"schemas": models}), "http://t").operations

    assert len(found) == 1223
    assert time.process_time() - started < 1


@pytest.mark.parametrize("raw", [None, [], "text", {}, {"openapi": "4.0"}, {"swagger": "1.2"}])
def test_invalid_openapi_document_is_refused(raw):
    with pytest.raises(DocumentInvalid):
        import_document(raw, "http://t")
