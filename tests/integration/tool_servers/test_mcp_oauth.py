"""Remote MCP servers behind OAuth: client credentials, the sign-in of an operator, and refreshed tokens."""

import asyncio
import json
import socket
import stat
from contextlib import AsyncExitStack

import httpx
import httpx2
import pytest
import uvicorn
from mcp.client.auth import OAuthFlowError
from pydantic import SecretStr

from bot.app.inspection import inspect_bot
from bot.config.settings import BotSettings, Settings, ToolServerSettings
from bot.tools.servers.connections import read_connections
from bot.tools.servers.mcp.oauth import TokenFile, oauth_provider, sign_in
from bot.tools.servers.mcp.servers import read_mcp_servers
from bot.tools.servers.mcp.toolset import McpToolset, describe_error
from services.kernel.clock import SystemClock
from tests.integration.tool_servers.oauth_server import SECRET, OAuthServer
from tests.support.tool_servers.mcp_toolsets import running

PROTOCOL = {"MCP-Protocol-Version": "2025-06-18"}

pytestmark = [pytest.mark.integration, pytest.mark.timeout(60)]


@pytest.fixture
async def vault():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        served = OAuthServer(f"http://127.0.0.1:{listening.getsockname()[1]}")
        server = uvicorn.Server(uvicorn.Config(served.app, log_config=None, timeout_graceful_shutdown=1))
        task = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        yield served
        server.should_exit = True
        await task


@pytest.fixture
def make_server(tmp_path, vault):
    """Return a function that reads a server with `oauth` from an MCP file."""

    def read(oauth):
        file = tmp_path / "mcp.json"
        entry = {"url": f"{vault.address}/mcp", "oauth": oauth}
        file.write_text(json.dumps({"mcpServers": {"vault": entry}}), encoding="utf-8")
        return read_mcp_servers(str(file))[0]

    return read


@pytest.fixture
async def connect():
    async with AsyncExitStack() as toolsets:

        async def make(server):
            return await toolsets.enter_async_context(running(McpToolset(server, first_pause=5)))

        yield make


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


async def complete_sign_in(server):
    """Sign in as an operator whose browser opens the address at once; return the number of tools and the last page."""
    visits = []

    async def visit(address):
        async with httpx.AsyncClient(follow_redirects=True) as browser:
            return await browser.get(address)

    def show(address):
        visits.append(asyncio.create_task(visit(address)))

    count = await sign_in(server, server.oauth, show)
    page = await visits[0]
    return count, page.text


async def test_client_credentials_authorize_the_bot(make_server, connect, vault, context):
    server = make_server({"client_id": "bot", "client_secret": SECRET, "issuer": vault.address, "scope": "read"})

    toolset = await connect(server)
    result = await toolset.call("get_gold", {}, context)

    assert result.value == {"result": "gold"}
    assert (vault.grants, vault.scopes) == (["client_credentials"], ["read"])


async def test_credentials_are_not_sent_to_another_issuer(make_server, connect, vault):
    server = make_server({"client_id": "bot", "client_secret": SECRET, "issuer": "https://login.example.org"})

    toolset = await connect(server)

    assert not toolset.health.is_ok
    assert vault.grants == []


async def test_health_names_the_command_for_a_needed_sign_in(make_server, connect, vault):
    toolset = await connect(make_server({"redirect_port": free_port()}))

    assert not toolset.health.is_ok
    assert "bubbles mcp-sign-in vault" in toolset.health.detail


async def test_operator_signs_in_and_the_bot_uses_the_token(make_server, connect, vault, context):
    server = make_server({"redirect_port": free_port(), "scope": "read"})

    count, page = await complete_sign_in(server)
    toolset = await connect(server)
    result = await toolset.call("get_gold", {}, context)

    assert (count, page) == (2, "You can close this page.\n")
    assert result.value == {"result": "gold"}
    assert (vault.grants, vault.scopes) == (["authorization_code"], ["read"])
    assert stat.S_IMODE(server.token_file.stat().st_mode) == 0o600


async def test_expired_token_is_refreshed_after_a_restart(make_server, connect, vault, context):
    server = make_server({"redirect_port": free_port()})
    await complete_sign_in(server)
    stored = json.loads(server.token_file.read_text())
    server.token_file.write_text(json.dumps(stored | {"expires_at": 1.0}))

    toolset = await connect(server)
    result = await toolset.call("get_gold", {}, context)

    assert result.value == {"result": "gold"}
    assert vault.grants == ["authorization_code", "refresh_token"]


async def test_token_that_a_server_sends_back_is_masked(make_server, connect, vault, context):
    server = make_server({"redirect_port": free_port()})
    await complete_sign_in(server)

    toolset = await connect(server)
    result = await toolset.call("get_header", {}, context)

    assert result.value == {"result": "Bearer [secret]"}


@pytest.fixture
def make_registered_server(tmp_path, vault):
    """Return a function that makes a server from an entry of Open WebUI with a registered client."""

    def read(**info):
        own = {"oauth_client_id": "registered", "oauth_client_secret": SECRET, "oauth_scope": "read"}
        entry = open_webui_entry(vault, "oauth_2.1_static", own | info)
        settings = ToolServerSettings(connections=SecretStr(json.dumps([entry])))
        [server] = read_connections(settings, tmp_path).mcp
        return server

    return read


def open_webui_entry(vault, auth_type, info):
    return {
        "type": "mcp",
        "url": f"{vault.address}/mcp",
        "spec_type": "url",
        "spec": "",
        "path": "",
        "auth_type": auth_type,
        "key": "",
        "config": {"enable": True, "function_name_filter_list": "", "access_grants": None},
        "info": {"id": "vault", "name": "vault", "description": "", "oauth_client_info": "gAAAAABencrypted"} | info,
        "oauth": {"redirect_port": free_port()},
    }


async def test_check_uses_the_tokens_of_a_sign_in_and_writes_no_log(tmp_path, vault, caplog):
    vault.methods = ["client_secret_post"]
    own = {"oauth_client_id": "registered", "oauth_client_secret": SECRET}
    entry = open_webui_entry(vault, "oauth_2.1_static", own)
    servers = ToolServerSettings(connections=SecretStr(json.dumps([entry])))
    settings = Settings(bot=BotSettings(data_dir=tmp_path), tool_servers=servers)

    before = await inspect_bot(settings, SystemClock())
    [server] = read_connections(servers, settings.mcp_token_folder).mcp
    await complete_sign_in(server)
    after = await inspect_bot(settings, SystemClock())

    assert "bubbles mcp-sign-in vault" in before.sources[0].health.detail
    assert not [each for each in caplog.records if each.name.startswith("mcp.client")]
    assert [spec.name for spec in after.sources[0].specs] == ["get_gold", "get_header"]


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
async def test_registered_client_signs_in_and_refreshes(make_registered_server, connect, vault, context, method):
    vault.methods = [method]
    server = make_registered_server(oauth_server_url=vault.address)

    unsigned = await connect(server)
    await complete_sign_in(server)
    stored = json.loads(server.token_file.read_text())
    server.token_file.write_text(json.dumps(stored | {"expires_at": 1.0}))
    toolset = await connect(server)
    result = await toolset.call("get_gold", {}, context)

    assert "bubbles mcp-sign-in vault" in unsigned.health.detail
    assert result.value == {"result": "gold"}
    assert (vault.grants, vault.scopes) == (["authorization_code", "refresh_token"], ["read"])
    assert set(vault.clients) == {("registered", SECRET)}
    assert SECRET not in server.token_file.read_text()


async def test_registered_client_is_sent_only_to_its_authorization_server(make_registered_server, vault):
    vault.methods = ["client_secret_post"]

    with pytest.raises(BaseExceptionGroup) as failure:
        await complete_sign_in(make_registered_server(oauth_server_url="https://login.example.org"))

    assert "not https://login.example.org" in str(describe_error(failure.value))
    assert (vault.scopes, vault.clients) == ([], [])


async def test_registered_client_stays_with_the_authorization_server_of_its_sign_in(make_registered_server, vault):
    vault.methods = ["client_secret_post"]
    server = make_registered_server()
    await complete_sign_in(server)
    stored = json.loads(server.token_file.read_text())
    stored["metadata"]["issuer"] = "https://login.example.org"
    stored["tokens"]["access_token"] = "revoked"
    server.token_file.write_text(json.dumps(stored))
    provider = oauth_provider(server, server.oauth, TokenFile(server.token_file))

    async with httpx2.AsyncClient(auth=provider, headers=PROTOCOL) as http:
        with pytest.raises(OAuthFlowError):
            await http.post(server.url)
        provider.context.token_expiry_time = 1.0
        with pytest.raises(OAuthFlowError):
            await http.post(server.url)

    assert vault.grants == ["authorization_code"]


async def test_connection_of_open_webui_with_oauth_is_signed_in_by_the_operator(tmp_path, connect, vault, context):
    entry = open_webui_entry(vault, "oauth_2.1", {})
    settings = ToolServerSettings(connections=SecretStr(json.dumps([entry])))
    [server] = read_connections(settings, tmp_path).mcp

    unsigned = await connect(server)
    await complete_sign_in(server)
    toolset = await connect(server)
    result = await toolset.call("get_gold", {}, context)

    assert "bubbles mcp-sign-in vault" in unsigned.health.detail
    assert result.value == {"result": "gold"}
