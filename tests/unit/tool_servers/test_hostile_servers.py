"""Hostile servers: texts, redirects and delays."""

import asyncio
import gzip
import time
from contextlib import asynccontextmanager, suppress

import httpx
import pytest

from bot.config.settings import ToolServerSettings
from bot.tools.servers.connections import ToolServerConnection, read_connections
from bot.tools.servers.openapi_toolset import OpenApiToolset
from bot.tools.servers.origin_client import OriginClient, OriginRequest
from bot.tools.servers.responses import ServerUnavailable

DOCUMENT = {"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a"}}}}
PRIVATE = ["http://169.254.169.254/latest/meta-data", "http://127.0.0.1:22/", "//internal.test/", "file:///etc/passwd"]


@asynccontextmanager
async def serve_slowly():
    """Serve an answer that never ends: a byte every hundredth of a second until the client disconnects."""
    is_over = asyncio.Event()

    async def drip(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{")
        with suppress(ConnectionError):
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.01)
        writer.close()
        is_over.set()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/openapi.json"
        await is_over.wait()
    finally:
        server.close()


async def test_server_with_an_endless_answer_is_cancelled(viewer):
    async with serve_slowly() as url, OriginClient(url, timeout_seconds=0.1) as client:
        toolset = OpenApiToolset(ToolServerConnection(url=url), client)
        with pytest.raises(ServerUnavailable, match="in time"):
            await toolset.refresh()

    assert await toolset.list_specs(viewer) == ()


@pytest.mark.parametrize("location", PRIVATE)
async def test_a_document_that_redirects_to_another_address_is_not_fetched_there(toolset_of, location):
    requests = []

    def handle(request):
        requests.append(request.url.host)
        return httpx.Response(302, headers={"location": location})

    toolset = await toolset_of(handle)
    with pytest.raises(ServerUnavailable):
        await toolset.refresh()

    assert set(requests) == {"tools.test"}


@pytest.mark.parametrize("location", PRIVATE)
async def test_a_call_that_is_redirected_to_another_address_is_not_made_there(toolset_of, context, location):
    requests = []

    def handle(request):
        requests.append(request.url.host)
        if request.url.path == "/a":
            return httpx.Response(307, headers={"location": location})
        return httpx.Response(200, json=DOCUMENT)

    toolset = await toolset_of(handle, key="secret-key")
    await toolset.refresh()
    with pytest.raises(ServerUnavailable):
        await toolset.call("a", {}, context)

    assert set(requests) == {"tools.test"}


async def test_redirects_without_end_are_not_followed(toolset_of):
    toolset = await toolset_of(lambda request: httpx.Response(302, headers={"location": "/openapi.json"}))

    with pytest.raises(ServerUnavailable, match="without end"):
        await toolset.refresh()


async def test_compressed_bomb_is_read_only_to_its_limit(toolset_of, context):
    def handle(request):
        if request.url.path != "/a":
            return httpx.Response(200, json=DOCUMENT)
        packed = gzip.compress(b"x" * 20_000_000)
        return httpx.Response(200, content=packed, headers={"content-encoding": "gzip", "content-type": "text/plain"})

    toolset = await toolset_of(handle)
    await toolset.refresh()

    result = await toolset.call("a", {}, context)

    assert "cut off" in result.value["note"]


async def test_control_characters_of_a_document_reach_neither_names_nor_descriptions(toolset_of, viewer):
    operation = {"operationId": "get\x1b[2Jtime\u202e", "summary": "The\x00 time\u2066 of day", "parameters": [
        {"name": "a\u200bb", "in": "query", "description": "zone\x07", "schema": {"type": "string"}}
    ]}  # fmt: skip
    toolset = await toolset_of(
        lambda request: httpx.Response(200, json={"openapi": "3.1.0", "paths": {"/t": {"get": operation}}})
    )
    await toolset.refresh()

    [spec] = await toolset.list_specs(viewer)

    assert (spec.name, spec.description) == ("get_2Jtime", "The time of day")
    assert str(spec.parameters).isprintable()


async def test_any_text_can_be_sent_in_a_header():
    sent = []

    def handle(request):
        sent.append(dict(request.headers.raw)[b"City"])
        return httpx.Response(200)

    async with OriginClient("http://tools.test", timeout_seconds=1, transport=httpx.MockTransport(handle)) as client:
        request = OriginRequest(method="GET", url="http://tools.test/a", headers=(("City", "北京"),))
        await client.send(request, max_bytes=10)

    assert sent == ["北京".encode()]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json; charset=bogus", b'{"openapi": "3.1.0", "paths": {}}\xff'),
        ("application/json; charset=idna", b"\xff"),
        ("text/yaml", b"openapi: 3.1.0\npaths: !!bool x"),
        ("text/yaml", b"openapi: !!timestamp x"),
        ("text/yaml", b"openapi: !!int ''"),
    ],
)
async def test_document_that_cannot_be_read_does_not_end_the_bot(toolset_of, kind, body):
    toolset = await toolset_of(lambda _: httpx.Response(200, headers={"content-type": kind}, content=body))
    running = asyncio.create_task(toolset.run())
    await asyncio.wait([running], timeout=0.1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert toolset.first_try.is_set()
    assert running.cancelled()


async def test_answer_in_an_unknown_encoding_is_read(toolset_of, context):
    def handle(request):
        if request.url.path == "/a":
            return httpx.Response(200, headers={"content-type": "text/plain; charset=bogus"}, content=b"tea")
        return httpx.Response(200, json=DOCUMENT)

    toolset = await toolset_of(handle)
    await toolset.refresh()

    assert (await toolset.call("a", {}, context)).value == "tea"


async def test_answer_in_an_encoding_of_quadratic_time_is_read_at_once(toolset_of, context):
    def handle(request):
        if request.url.path == "/a":
            return httpx.Response(200, headers={"content-type": "text/plain; charset=punycode"}, content=b"a" * 200_000)
        return httpx.Response(200, json=DOCUMENT)

    toolset = await toolset_of(handle)
    await toolset.refresh()
    start = time.process_time()
    await toolset.call("a", {}, context)

    assert time.process_time() - start < 1


async def test_refusal_of_another_form_is_shown(toolset_of, context):
    def handle(request):
        if request.url.path == "/a":
            return httpx.Response(422, json={"detail": [{"msg": "no", "loc": 5}]})
        return httpx.Response(200, json=DOCUMENT)

    toolset = await toolset_of(handle)
    await toolset.refresh()

    assert (await toolset.call("a", {}, context)).error == "HTTP 422: no"


@pytest.mark.parametrize("port", ["99999", "abc"])
def test_address_with_an_impossible_port_is_refused_alone(port):
    settings = ToolServerSettings(urls=(f"http://tools.test:{port}/", "http://tools.test"))
    found = read_connections(settings)

    assert (len(found.refused), len(found.openapi)) == (1, 1)
