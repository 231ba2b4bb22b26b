"""Connections to tool servers from settings and Open WebUI."""

import json
import sys

import pytest
from pydantic import SecretStr

from bot.config.settings import ToolServerSettings
from bot.tools.servers.connections import read_connections
from bot.tools.servers.mcp.servers import OAuthSettings
from bot.tools.servers.sources import open_tool_sources, try_connection
from function_calls.language.messages import text_in
from function_calls.registry import Registry
from function_calls.router import FunctionCallRouter
from function_calls.tools.permission import Viewer
from function_calls.toolsets.direct import DirectToolset
from services.kernel.chat import ChatAddress, Person
from services.kernel.clock import SystemClock
from services.kernel.errors import ConfigError


def make_settings(*entries):
    return ToolServerSettings(connections=SecretStr(json.dumps(entries)))


def test_the_specifications_connection_is_read():
    settings = make_settings({"url": "http://my-static-tool:8000/openapi.json", "headers": {"X-API-KEY": "k-123"}})

    [connection] = read_connections(settings).openapi

    assert connection.name == "my-static-tool_8000"
    assert connection.secrets == ("k-123",)
    assert "k-123" not in repr(connection)


def test_connections_of_open_webui_are_read_with_their_switch_and_access():
    entry = {
        "url": "http://t:1",
        "path": "openapi.json",
        "auth_type": "bearer",
        "key": "k",
        "config": {"enable": True, "access_control": {"read": {"user_ids": ["web:ann"]}}},
        "info": {"name": "Time", "description": ""},
    }

    [connection] = read_connections(make_settings(entry, {"url": "http://off:1", "config": {"enable": False}})).openapi

    assert (connection.name, connection.access.people) == ("Time", {"web:ann"})


@pytest.mark.parametrize(("kind", "place"), [("openapi", "openapi"), ("", "openapi"), ("mcp", "mcp")])
def test_entry_as_open_webui_0_12_stores_it_is_used(kind, place):
    entry = {
        "type": kind,
        "url": "http://t:1",
        "spec_type": "url",
        "spec": "",
        "path": "openapi.json",
        "auth_type": "bearer",
        "forward_cookies": False,
        "headers": None,
        "key": "",
        "config": {"enable": True, "function_name_filter_list": "", "access_grants": []},
        "info": {"id": "", "name": "Time", "description": "", "oauth_resource_parameter": "auto"},
    }

    found = read_connections(make_settings(entry))

    assert ([each.name for each in getattr(found, place)], found.refused) == (["Time"], ())


def test_two_servers_of_one_name_get_labels_of_their_own():
    found = read_connections(
        make_settings({"url": "http://a:1", "name": "time"}, {"url": "http://b:1", "name": "time"})
    ).openapi

    assert [each.name for each in found] == ["time", "time_2"]


@pytest.mark.parametrize("text", ["{", "7", '{"key": "red"}'])
def test_connections_that_cannot_be_read_are_an_error_that_quotes_no_secret(text):
    with pytest.raises(ConfigError) as refusal:
        read_connections(ToolServerSettings(connections=SecretStr(text)))

    assert "red" not in str(refusal.value)


URL = "http://x:1"
REFUSED = {
    "a number": (1, "0"),
    "another scheme": ({"url": "ftp://x"}, "url"),
    "an unknown field": ({"url": URL, "colour": "red"}, "colour"),
    "an unknown field of config": ({"url": URL, "config": {"colour": "red"}}, "config.colour"),
    "an unknown type": ({"url": URL, "type": "red"}, "type"),
    "a session": ({"url": URL, "auth_type": "session", "key": "red"}, "auth_type session"),
    "a login of Open WebUI": ({"url": URL, "auth_type": "system_oauth"}, "use bearer with a key of the server"),
    "a sign-in at an OpenAPI server": ({"url": URL, "auth_type": "oauth_2.1"}, "it is for type mcp"),
    "a registered client at an OpenAPI server": ({"url": URL, "auth_type": "oauth_2.1_static"}, "it is for type mcp"),
    "a registered client without an id": (
        {"url": URL, "type": "mcp", "auth_type": "oauth_2.1_static", "info": {"oauth_client_secret": "red"}},
        "needs info.oauth_client_id",
    ),
    "a sign-in without the parameter resource": (
        {"url": URL, "type": "mcp", "auth_type": "oauth_2.1", "info": {"oauth_resource_parameter": "omit"}},
        "oauth_resource_parameter",
    ),
    "a secret without a client": (
        {"url": URL, "type": "mcp", "oauth": {"grant_type": "authorization_code", "client_secret": "red"}},
        "client_secret needs client_id",
    ),
    "oauth of an OpenAPI server": ({"url": URL, "oauth": {}}, "oauth is for type mcp"),
    "an unknown auth_type": ({"url": URL, "auth_type": "red"}, "auth_type"),
    "an auth_type that is a list": ({"url": URL, "auth_type": ["red"]}, "auth_type"),
    "an unknown spec_type": ({"url": URL, "spec_type": "red"}, "spec_type"),
    "a document that is none": ({"url": URL, "spec_type": "json", "spec": "red"}, "spec"),
    "an access_control of another form": ({"url": URL, "access_control": "red"}, "access_control"),
    "access_grants of another form": ({"url": URL, "config": {"access_grants": ["red"]}}, "access_grants"),
    "two access rules": ({"url": URL, "access_control": {}, "config": {"access_grants": []}}, "access_grants"),
    "an identity without a platform": (
        {
            "url": URL,
            "config": {"access_grants": [{"principal_type": "user", "principal_id": "red", "permission": "read"}]},
        },
        "user_ids",
    ),
    "a filter of another form": ({"url": URL, "config": {"function_name_filter_list": 7}}, "function_name_filter_list"),
    "cookies to pass on": ({"url": URL, "forward_cookies": True}, "forward_cookies"),
    "a header with a variable": ({"url": URL, "headers": {"X-User": "red {{USER_NAME}}"}}, "headers.X-User"),
    "a field that MCP has not": ({"url": URL, "type": "mcp", "tags": ["red"]}, "tags"),
}


@pytest.mark.parametrize(("entry", "field"), REFUSED.values(), ids=list(REFUSED))
def test_an_entry_that_cannot_be_followed_is_refused_by_name_and_the_others_are_used(entry, field):
    found = read_connections(make_settings(entry, {"url": "http://b:1", "name": "time"}))

    [refusal] = found.refused
    assert field in str(refusal.problem)
    assert "red" not in str(refusal.problem)
    assert [each.name for each in found.openapi] == ["time"]


def test_secrets_of_a_refused_entry_are_not_logged():
    entry = {"url": "ftp://x", "key": "k-1234", "headers": {"X-Key": "h-1234"}}
    entry |= {"oauth": {"client_secret": "s-1234"}, "info": {"oauth_client_info": "i-1234"}}

    assert set(read_connections(make_settings(entry)).secrets) == {"k-1234", "h-1234", "s-1234", "i-1234"}


@pytest.mark.parametrize("auth_type", ["none", "oauth_2.1"])
def test_key_is_not_sent_with_another_auth_type(auth_type):
    entry = {"url": URL, "type": "mcp", "auth_type": auth_type, "key": "k-1234"}

    [server] = read_connections(make_settings(entry)).mcp

    assert server.headers == {}


def test_oauth_of_open_webui_is_a_sign_in_of_the_operator(tmp_path):
    info = {"id": "notes", "name": "Notes", "description": "", "oauth_client_info": "gAAAAB", "oauth_scope": "read"}
    entry = {"url": URL, "type": "mcp", "path": "", "auth_type": "oauth_2.1", "key": "", "info": info}

    [server] = read_connections(make_settings(entry), tmp_path).mcp

    assert (server.name, server.token_file) == ("Notes", tmp_path / "Notes.json")
    assert server.oauth == OAuthSettings(scope="read")


def test_registered_client_of_open_webui_is_used_for_the_sign_in():
    info = {"name": "Notes", "oauth_client_id": "bot", "oauth_client_secret": "s-1234", "oauth_client_info": "gAAAAB"}
    info |= {"oauth_scope": "read", "oauth_server_url": "https://id.example.org", "oauth_resource_parameter": "auto"}
    entry = {"url": URL, "type": "mcp", "auth_type": "oauth_2.1_static", "key": "", "info": info}

    found = read_connections(make_settings(entry | {"oauth": {"redirect_port": 9000}}))

    assert found.mcp[0].oauth == OAuthSettings(
        grant_type="authorization_code",
        client_id="bot",
        client_secret=SecretStr("s-1234"),
        issuer="https://id.example.org",
        scope="read",
        redirect_port=9000,
    )
    assert found.secrets == ("s-1234",)


def test_client_credentials_of_an_mcp_connection_are_kept_secret():
    oauth = {"client_id": "bot", "client_secret": "s-1234", "issuer": "https://id.example.org"}

    found = read_connections(make_settings({"url": URL, "type": "mcp", "oauth": oauth}))

    assert found.mcp[0].oauth.client_id == "bot"
    assert found.secrets == ("s-1234",)


def test_null_counts_as_left_out():
    entry = {"url": URL, "key": None, "headers": None, "config": None, "info": None, "spec": None, "path": None}

    [connection] = read_connections(make_settings(entry)).openapi

    assert (connection.key.get_secret_value(), connection.headers, connection.access.is_public) == ("", {}, True)


GRANT = {"principal_type": "user", "principal_id": "web:ann", "permission": "read"}
SHARED = {"principal_type": "group", "principal_id": "web:home", "permission": "read"}
EVERYBODY = {"principal_type": "user", "principal_id": "*", "permission": "read"}


@pytest.mark.parametrize(
    ("grants", "access"),
    [
        ([], {}),
        (None, None),
        ([EVERYBODY], None),
        ([GRANT, SHARED], {"read": {"user_ids": ["web:ann"], "group_ids": ["web:home"]}}),
        ([{**GRANT, "permission": "write"}], {}),
    ],
)
def test_access_grants_are_followed(grants, access):
    [connection] = read_connections(make_settings({"url": URL, "config": {"access_grants": grants}})).openapi

    assert connection.access_control == access


def test_without_authentication_the_key_stays_here():
    [connection] = read_connections(make_settings({"url": URL, "auth_type": "none", "key": "k-1234"})).openapi

    assert connection.key.get_secret_value() == ""


SERVER = {
    "url": "http://192.168.21.201:8000",
    "openapi": {"paths": {"/forget": {"post": {"operationId": "forget_all"}}}},
    "specs": [
        {
            "type": "function",
            "name": "get_current_utc_get_current_utc_time_get",
            "description": "Returns the current time in UTC in ISO format.",
            "parameters": {"type": "object", "properties": {}, "required": []},
        },
        {"type": "function", "name": "forget_all", "parameters": {"type": "object", "properties": {}}},
        {"name": ""},
        "nonsense",
    ],
}
UTC_TIME = "get_current_utc_get_current_utc_time_get"


async def test_tools_of_a_client_are_its_own_and_end_with_its_message(viewer):
    direct = DirectToolset()
    other = Viewer(person=Person(id="eve", name="eve"), chat=viewer.chat)
    other_viewer = Viewer(person=viewer.person, chat=ChatAddress(platform="fake", chat_id="work"))

    async def nobody(event):
        raise ConnectionError

    with direct.offer(viewer, [SERVER], session_id="s1", event_call=nobody):
        seen = [len(await direct.list_specs(each)) for each in (viewer, other, other_viewer)]

    assert seen == [2, 0, 0]
    assert await direct.list_specs(viewer) == ()


async def test_changing_tools_of_a_client_are_known_from_their_document(viewer):
    direct = DirectToolset()

    async def nobody(event):
        raise ConnectionError

    with direct.offer(viewer, [SERVER], session_id="s1", event_call=nobody):
        specs = {spec.name: spec for spec in await direct.list_specs(viewer)}

    assert (specs[UTC_TIME].changes_state, specs["forget_all"].changes_state) == (False, True)


async def test_a_call_goes_to_the_client_as_the_specifications_event(viewer, context):
    events = []

    async def answer(event):
        events.append(event)
        return [{"local_time": "2025-08-20T12:09:16"}, "data:image/png;base64,AA=="]

    direct = DirectToolset()
    with direct.offer(viewer, [SERVER], session_id="s1", event_call=answer):
        result = await direct.call(UTC_TIME, {}, context)

    data = events[0]["data"]
    assert events[0]["type"] == "execute:tool"
    assert (data["name"], data["params"], data["session_id"]) == (UTC_TIME, {}, "s1")
    assert data["server"]["url"] == SERVER["url"]
    assert result.value == [{"local_time": "2025-08-20T12:09:16"}]


async def test_tools_of_a_client_are_limited_in_all_servers_together(viewer):
    direct = DirectToolset()
    server = {"url": "http://127.0.0.1:1", "specs": [{"name": "same"}] * 300}

    with direct.offer(viewer, [server] * 20, session_id="s1", event_call=None):
        specs = await direct.list_specs(viewer)

    assert len(specs) == 500


@pytest.mark.parametrize(("raised", "failure"), [(TimeoutError, "timeout"), (ConnectionError, "error")])
async def test_a_client_that_does_not_answer_is_a_failed_call(viewer, context, raised, failure):
    async def silent(event):
        raise raised

    direct = DirectToolset()
    with direct.offer(viewer, [SERVER], session_id="s1", event_call=silent):
        result = await direct.call(UTC_TIME, {}, context)

    assert (result.ok, result.failure) == (False, failure)


async def test_mcp_server_without_the_extra_is_a_source_that_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "bot.tools.servers.mcp.toolset", None)
    entry = {"type": "mcp", "url": "http://127.0.0.1:1/mcp", "name": "notes"}
    settings = make_settings(entry)

    async with open_tool_sources(settings, FunctionCallRouter(Registry()), clock=SystemClock()) as tools:
        [source] = [each for each in tools.sources if each.kind == "mcp"]
    probe = await try_connection(entry, settings)

    assert (source.label, source.health().is_ok) == ("notes", False)
    assert source.health().detail == probe.problem
    assert "pip install -e '.[mcp]'" in text_in("en", probe.problem)
