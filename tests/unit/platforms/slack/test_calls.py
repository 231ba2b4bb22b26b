"""Answers of the Web API, or of a proxy in front of it, that are no JSON objects."""

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.platforms.slack.calls import WebApi, web_client
from services.kernel.chat import Person
from services.kernel.clock import SystemClock
from services.kernel.errors import DeliveryFailed

NOT_OBJECTS = {
    "text": (b"upstream connect error", "text/plain"),
    "page": (b"<html></html>", "text/html"),
    "page as JSON": (b"<html></html>", "application/json"),
    "nothing": (b"", "application/json"),
    "list": (b"[1]", "application/json"),
    "bytes": (b'{"error": "\xff"}', "application/json"),
}


@pytest.fixture
async def answering():
    """Return a function that starts a Web API with the same answer to every request."""
    servers = []

    async def start(body, content_type, status):
        async def answer(_):
            return web.Response(body=body, content_type=content_type, status=status)

        app = web.Application()
        app.router.add_route("*", "/api/{method}", answer)
        servers.append(TestServer(app))
        await servers[-1].start_server()
        return WebApi(web_client("xoxb-test", str(servers[-1].make_url("/api/"))), SystemClock())

    yield start
    for server in servers:
        await server.close()


@pytest.mark.parametrize("name", ["text", "page", "page as JSON"])
async def test_refusal_that_is_no_object_may_pass(answering, name):
    api = await answering(*NOT_OBJECTS[name], 503)

    with pytest.raises(DeliveryFailed) as failure:
        await api.ask("chat.postMessage", {})

    assert not failure.value.is_permanent


async def test_rate_limit_in_plain_text_is_a_rate_limit(answering):
    api = await answering(*NOT_OBJECTS["text"], 429)

    with pytest.raises(DeliveryFailed, match="rate limit") as failure:
        await api.ask("chat.postMessage", {})

    assert failure.value.retry_after


@pytest.mark.parametrize("name", NOT_OBJECTS)
async def test_success_that_is_no_object_leaves_the_outcome_unknown(answering, name):
    api = await answering(*NOT_OBJECTS[name], 200)

    with pytest.raises(DeliveryFailed) as failure:
        await api.ask("chat.postMessage", {})

    assert failure.value.is_unknown


@pytest.mark.parametrize("name", NOT_OBJECTS)
async def test_person_whose_profile_is_no_object_has_an_id(answering, name):
    api = await answering(*NOT_OBJECTS[name], 200)

    assert await api.people({"U7"}) == {"U7": Person(id="U7", name="U7")}
