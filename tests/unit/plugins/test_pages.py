"""Pages that plugins add to the HTTP API."""

from contextlib import asynccontextmanager

import httpx
import pytest

from bot.config.settings import HttpSettings, Settings
from bot.http.app import build_guarded_app
from bot.http.core.context import HttpContext
from bot.platforms.web.adapter import WebPlatform
from bot.testing.clocks import LoopClock
from tests.support.http_bot import with_token

PAGE = '''
    from fastapi import APIRouter


    def page(context):
        routes = APIRouter()

        @routes.get("/count")
        async def count() -> dict[str, int]:
            """How many messages there are."""
            return {"chats": len(await context.messages.chats(limit=9))}

        return routes


    def setup(add):
        add.pages.append(page)
    '''


@pytest.fixture
def open_client(rig):
    """Return a function that opens a client of a bot with these plugins."""

    @asynccontextmanager
    async def run(http=None):
        settings, clock = Settings(http=http or HttpSettings(port=0)), LoopClock()
        async with rig.running() as app:
            context = HttpContext.of(app, WebPlatform(clock=clock, bot_name="Bubbles"), settings, clock)
            transport = httpx.ASGITransport(app=build_guarded_app(context))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as client:
                yield client

    return run


async def test_a_page_is_served_under_the_plugin_s_name(rig, open_client):
    rig.write("counter", PAGE)
    async with open_client() as client:
        answer = await client.get("/plugins/counter/count")

    assert (answer.status_code, answer.json()) == (200, {"chats": 0})
    assert "default-src 'self'" in answer.headers["content-security-policy"]


async def test_page_needs_the_token_of_the_api(rig, open_client):
    rig.write("counter", PAGE)
    async with open_client(with_token("s3cret-token")) as client:
        response = await client.get("/plugins/counter/count")
        served = await client.get("/plugins/counter/count", headers={"Authorization": "Bearer s3cret-token"})

    assert (response.status_code, served.status_code) == (401, 200)


async def test_a_page_that_cannot_be_made_is_left_out_and_the_api_is_served(rig, open_client):
    rig.write("broken", "def setup(add):\n    add.pages.append(lambda context: 1 / 0)\n")
    rig.write("counter", PAGE)
    async with open_client() as client:
        answers = [(await client.get(path)).status_code for path in ("/plugins/counter/count", "/health/live")]

    assert answers == [200, 200]
