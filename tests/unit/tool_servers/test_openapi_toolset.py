"""Toolsets of OpenAPI servers: documents, requests, authentication and refresh."""

import contextlib
import json
from urllib.parse import parse_qsl

import httpx
import pytest

from bot.tools.servers.openapi_toolset import ResponseLimits
from bot.tools.servers.responses import ServerUnavailable
from tests.support.tool_servers.library_server import CLIENT, KEY, library_server
from tests.support.tool_servers.time_server import time_server

# Source: the specification's example, open-webui-tool-call-code.
TIME_TOOLS = [
    "get_current_utc_get_current_utc_time_get",
    "get_current_local_get_current_local_time_get",
    "format_current_time_format_time_post",
    "convert_time_convert_time_post",
    "elapsed_time_elapsed_time_post",
    "parse_timestamp_parse_timestamp_post",
    "list_time_zones_list_time_zones_get",
]


@pytest.fixture
async def times(toolset_of, clock):
    toolset = await toolset_of(time_server(clock))
    await toolset.refresh()
    return toolset


@pytest.fixture
async def library(toolset_of):
    toolset = await toolset_of(library_server(), key=KEY, client_id=CLIENT[0], client_secret=CLIENT[1], username="ann")
    await toolset.refresh()
    return toolset


async def test_nothing_is_offered_before_the_document_is_loaded(toolset_of, clock, viewer):
    toolset = await toolset_of(time_server(clock))

    assert await toolset.list_specs(viewer) == ()
    assert not toolset.health.is_ok


async def test_the_time_server_offers_the_operations_of_the_specification(times, viewer):
    specs = await times.list_specs(viewer)

    assert [spec.name for spec in specs] == TIME_TOOLS
    assert set(specs[3].parameters["properties"]) == {"timestamp", "from_tz", "to_tz"}
    assert specs[3].parameters["required"] == ["timestamp", "from_tz", "to_tz"]


async def test_no_operation_of_the_time_server_changes_anything(times, viewer):
    assert not [spec.name for spec in await times.list_specs(viewer) if spec.changes_state or spec.confirm]


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        (TIME_TOOLS[0], {}, {"utc": "2026-11-20T12:00:00+00:00"}),
        (TIME_TOOLS[1], {}, {"local_time": "2026-11-20T20:00:00+08:00"}),
        (TIME_TOOLS[2], {"format": "%H:%M", "timezone": "Asia/Tokyo"}, {"formatted_time": "21:00"}),
        (
            TIME_TOOLS[3],
            {"timestamp": "2026-01-01T12:00:00", "from_tz": "UTC", "to_tz": "Europe/Berlin"},
            {"converted_time": "2026-01-01T13:00:00+01:00"},
        ),
        (
            TIME_TOOLS[4],
            {"start": "2026-01-01T00:00:00", "end": "2026-01-01T01:30:00", "units": "minutes"},
            {"elapsed": 90.0, "unit": "minutes"},
        ),
        (TIME_TOOLS[5], {"timestamp": "2024-06-01 12:00 PM"}, {"utc": "2024-06-01T12:00:00+00:00"}),
    ],
)
async def test_operations_of_the_time_server_are_called(times, context, name, arguments, value):
    result = await times.call(name, arguments, context)

    assert result.ok
    assert result.value == value


async def test_refusal_of_the_server_is_reported_in_its_words(times, context):
    result = await times.call(TIME_TOOLS[2], {"timezone": "Moon/Base"}, context)

    assert result.error == "HTTP 400: Invalid timezone: Moon/Base"


async def test_unknown_operation_is_reported_with_the_nearest_names(times, context):
    result = await times.call("convert_time", {}, context)

    assert "convert_time_convert_time_post" in result.error


async def test_path_query_header_and_body_arrive_where_they_belong_with_the_key(library, context):
    arguments = {
        "shelf": "a b?&",
        "number": 7,
        "copies": 2,
        "x-note": "careful",
        "title": "红楼梦",
        "author": {"name": "曹雪芹"},
        "tags": ["classic"],
    }

    result = await library.call("put_book", arguments, context)

    assert result.ok, result.error
    assert result.value["shelf"] == "a b?&"
    assert result.value["book"]["title"] == "红楼梦"
    assert (result.value["copies"], result.value["note"]) == (2, "careful")


async def test_a_key_in_the_query_and_repeated_values_are_sent(library, context):
    await library.call(
        "put_book", {"shelf": "s", "number": 1, "title": "t", "author": {"name": "n"}, "tags": ["x", "y"]}, context
    )

    result = await library.call("find_books", {"tag": ["x", "y"]}, context)

    assert [each["number"] for each in result.value] == [1]


async def test_files_are_sent_as_parts_of_a_form(library, context):
    result = await library.call("upload_cover", {"cover": "data:image/png;base64,iVBORw==", "title": "t"}, context)

    assert result.value == {"title": "t", "bytes": 4, "type": "image/png"}


async def test_binary_answers_are_described(library, context):
    result = await library.call("get_cover", {"number": 3}, context)

    assert result.value["content_type"] == "image/png"
    assert result.value["note"] == "not text; it cannot be shown here"


async def test_a_password_is_shown_where_the_operation_asks_for_one(library, context):
    assert (await library.call("check_login", {}, context)).value == {"user": "ann"}


async def test_a_token_is_fetched_with_the_clients_own_secret(library, context):
    result = await library.call("get_report", {}, context)

    assert result.value.startswith("All is well.")


async def test_long_answers_are_cut_with_a_note(library, context):
    result = await library.call("get_report", {"pages": 40}, context)

    assert len(result.value["text"]) == 16_000
    assert "cut off" in result.value["note"]


async def test_a_redirect_to_another_address_is_refused(library, context):
    with pytest.raises(ServerUnavailable, match="refused"):
        await library.call("get_away", {}, context)


async def test_changing_operation_is_asked_about_first(library, context, dispatch):
    result = await dispatch(library, "delete_book", {"number": 1}, context)

    assert result.ending == "question"
    assert "delete_book" in result.text


async def test_a_change_that_was_agreed_to_leaves_a_receipt(library, approve, dispatch):
    arguments = {"number": 1}

    result = await dispatch(library, "delete_book", arguments, approve("delete_book", arguments))

    assert [receipt.action for receipt in result.receipts] == ["delete_book"]


async def test_a_connection_may_allow_changes_without_asking(toolset_of, context, dispatch):
    toolset = await toolset_of(library_server(), confirm="never")
    await toolset.refresh()

    assert (await dispatch(toolset, "delete_book", {"number": 1}, context)).ok


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"include": ("get_cover", "get_away")}, {"get_cover", "get_away"}),
        ({"tags": ("files",)}, {"upload_cover", "get_cover"}),
        ({"methods": ("delete",)}, {"delete_book"}),
        ({"tags": ("files",), "exclude": ("get_cover",), "prefix": "lib"}, {"lib_upload_cover"}),
    ],
)
async def test_operations_are_chosen_by_name_tag_and_method(toolset_of, viewer, settings, names):
    toolset = await toolset_of(library_server(), **settings)
    await toolset.refresh()

    assert {spec.name for spec in await toolset.list_specs(viewer)} == names


def documents(*versions):
    """Return a handler that answers with these documents one after the other, and then with 503."""
    left = list(versions)

    def handle(request):
        if not left:
            return httpx.Response(503)
        document = left.pop(0)
        return document if isinstance(document, httpx.Response) else httpx.Response(200, json=document)

    return handle


def make_document(**descriptions):
    paths = {f"/{name}": {"get": {"operationId": name, "summary": text}} for name, text in descriptions.items()}
    return {"openapi": "3.1.0", "paths": paths}


async def test_refresh_reports_the_changes(toolset_of):
    toolset = await toolset_of(documents(make_document(a="1", b="1"), make_document(b="2", c="1")))
    await toolset.refresh()

    changes = await toolset.refresh()

    assert (changes.added, changes.removed, changes.changed) == (("c",), ("a",), ("b",))


async def test_an_unchanged_document_keeps_the_very_specs(toolset_of, viewer):
    toolset = await toolset_of(documents(make_document(a="1"), make_document(a="1")))
    await toolset.refresh()
    before = await toolset.list_specs(viewer)

    assert not await toolset.refresh()
    assert await toolset.list_specs(viewer) is before


async def test_failed_refresh_keeps_the_tools_and_reports_the_problem(toolset_of, viewer):
    toolset = await toolset_of(documents(make_document(a="1")))
    await toolset.refresh()

    with pytest.raises(ServerUnavailable):
        await toolset.refresh()
    assert len(await toolset.list_specs(viewer)) == 1
    assert not toolset.health.is_ok


async def test_a_server_that_is_down_is_asked_again(toolset_of, viewer):
    toolset = await toolset_of(documents(*[httpx.Response(503)] * 6, make_document(a="1")))

    await toolset.run()

    assert len(await toolset.list_specs(viewer)) == 1


async def test_a_document_may_be_yaml(toolset_of, viewer):
    text = "openapi: 3.0.0\npaths:\n  /t:\n    get: {operationId: t, responses: {200: {description: 2024-01-01}}}\n"
    toolset = await toolset_of(lambda request: httpx.Response(200, text=text), url="http://tools.test/openapi.yaml")
    await toolset.refresh()

    assert [spec.name for spec in await toolset.list_specs(viewer)] == ["t"]


@pytest.mark.parametrize(
    "body",
    [
        b"\x00\xff" * 50,
        b"[" * 200_000,
        b"<html>no</html>",
        b'{"openapi": "3.1.0", "x": "' + b"x" * 3_000_000 + b'"}',
        # Each line doubles what the one before stands for: a billion parts in a kilobyte.
        b"openapi: 3.1.0\na0: &a0 {x: 1}\n"
        + b"".join(b"a%d: &a%d {x: *a%d, y: *a%d}\n" % (n, n, n - 1, n - 1) for n in range(1, 30))
        + b"paths: {/a: {post: {requestBody: {content: {application/json: {schema: {properties: *a29}}}}}}}\n",
    ],
)
async def test_hostile_document_makes_no_tools(toolset_of, viewer, body):
    toolset = await toolset_of(
        lambda request: httpx.Response(200, content=body), limits=ResponseLimits(document=2_000_000)
    )

    with contextlib.suppress(ServerUnavailable):
        await toolset.refresh()
    assert all(len(json.dumps(spec.parameters)) < 20_000 for spec in await toolset.list_specs(viewer))


@pytest.mark.parametrize(
    "raw",
    [
        {"servers": [{"url": "http://169.254.169.254/latest"}], "paths": {"/a": {"get": {"operationId": "a"}}}},
        {"servers": [{"url": "http://user@evil.test"}], "paths": {"/a": {"get": {"operationId": "a"}}}},
        {"paths": {"@evil.test/a": {"get": {"operationId": "a"}}}},
        {"paths": {"//evil.test/a": {"get": {"operationId": "a"}}}},
    ],
)
async def test_no_document_leads_a_call_to_another_origin(toolset_of, context, raw):
    requests = []

    def handle(request):
        requests.append(request.url.host)
        return httpx.Response(200, json={"openapi": "3.1.0"} | raw)

    toolset = await toolset_of(handle)
    await toolset.refresh()

    await toolset.call("a", {}, context)

    assert set(requests) == {"tools.test"}


async def test_a_server_out_of_reach_is_a_failure_that_names_no_secret(toolset_of, context):
    def handle(request):
        if request.url.path != "/a":
            return httpx.Response(200, json=make_document(a="1"))
        raise httpx.ConnectError(f"refused {request.headers['authorization']}")

    toolset = await toolset_of(handle, key="secret-key")
    await toolset.refresh()

    with pytest.raises(ServerUnavailable) as refusal:
        await toolset.call("a", {}, context)
    assert "secret-key" not in str(refusal.value)


YAML = """
openapi: 3.1.0
paths:
  /lamp:
    get:
      operationId: lamp
      parameters:
        - {name: on, in: query, schema: {type: string, enum: [on, off]}}
"""


async def test_words_such_as_on_are_no_booleans_in_yaml(toolset_of, viewer):
    toolset = await toolset_of(lambda _: httpx.Response(200, text=YAML))
    await toolset.refresh()
    [spec] = await toolset.list_specs(viewer)

    assert spec.parameters["properties"] == {"on": {"type": "string", "enum": ["on", "off"]}}


def make_secured_document(*scopes):
    flows = {scope: {"clientCredentials": {"tokenUrl": "/token", "scopes": {scope: ""}}} for scope in scopes}
    return {
        "openapi": "3.1.0",
        "paths": {f"/{scope}": {"get": {"operationId": scope, "security": [{scope: []}]}} for scope in scopes},
        "components": {"securitySchemes": {name: {"type": "oauth2", "flows": flow} for name, flow in flows.items()}},
    }


def token_server(document, requests, accepted):
    """Return a server that issues numbered tokens with their scopes and answers with the last accepted one."""

    def handle(request):
        if request.url.path == "/token":
            scope = dict(parse_qsl(request.content.decode()))["scope"]
            requests.append(scope)
            return httpx.Response(200, json={"access_token": f"{scope}-{len(requests)}", "expires_in": 3600})
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if request.url.path == "/openapi.json":
            return httpx.Response(200, json=document)
        return httpx.Response(200 if accepted(token) else 401, json={"token_scope": token.partition("-")[0]})

    return handle


async def test_each_scope_has_its_own_token(toolset_of, context):
    requests = []
    handle = token_server(make_secured_document("read", "write"), requests, lambda token: True)
    toolset = await toolset_of(handle, client_id="bubbles", client_secret="s")
    await toolset.refresh()
    values = [(await toolset.call(name, {}, context)).value for name in ("read", "write", "read")]

    assert [each["token_scope"] for each in values] == ["read", "write", "read"]
    assert requests == ["read", "write"]


async def test_refused_token_is_fetched_again_by_the_next_call(toolset_of, context):
    requests = []
    handle = token_server(make_secured_document("read"), requests, lambda token: token == "read-2")
    toolset = await toolset_of(handle, client_id="bubbles", client_secret="s")
    await toolset.refresh()

    assert [(await toolset.call("read", {}, context)).ok for _ in range(3)] == [False, True, True]
