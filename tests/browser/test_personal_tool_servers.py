"""Tool servers of a person's own page: added in a form and called by the browser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest_asyncio
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from playwright.async_api import Page, expect

from bot.config.settings import HttpSettings
from bot.testing.clocks import FixedClock
from bot.testing.models import ScriptedInterpreter
from function_calls.tools.calls import ToolCall
from tests.browser.conftest import open_visitors
from tests.browser.visitors import Visitors, WindowPool, say
from tests.support.http_bot import served_bot
from tests.support.tool_servers.serving import served_app
from tests.support.tool_servers.time_server import time_server

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
FORMAT = "format_current_time_format_time_post"
TOKYO = {"format": "%H:%M", "timezone": "Asia/Tokyo"}
PROBLEM = "Invalid timezone: Moon/Base"


@asynccontextmanager
async def serve_for_pages(app: FastAPI) -> AsyncIterator[str]:
    """Serve an application that pages of other sites may call; yield its origin."""
    app.add_middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["*"], allow_headers=["*"])
    async with served_app(app) as origin:
        yield origin


@pytest_asyncio.fixture(loop_scope="session")
async def clock_origin() -> AsyncIterator[str]:
    """Serve the time server, whose clock stands at noon; yield its origin."""
    async with serve_for_pages(time_server(FixedClock(NOON))) as origin:
        yield origin


@asynccontextmanager
async def open_scripted_visitors(
    window_pool: WindowPool, clock_origin: str, *script: object
) -> AsyncIterator[tuple[Visitors, ScriptedInterpreter]]:
    """Yield visitors of a bot that allows the time server, and its scripted interpreter."""
    interpreter = ScriptedInterpreter(list(script), is_strict=False)
    http = HttpSettings(port=0, page_tool_servers=(clock_origin,))
    async with (
        served_bot(interpreter=interpreter, http=http) as (address, _),
        open_visitors(window_pool, address) as visitors,
    ):
        visitors.other_hosts = (clock_origin,)
        yield visitors, interpreter


async def add_server(page: Page, url: str) -> None:
    """Add a server in the form of the tools page."""
    await page.get_by_role("link", name="Your tool servers").click()
    await page.get_by_label("Address").fill(url)
    await page.get_by_role("button", name="Add server").click()


async def test_added_server_is_called_by_the_browser_and_stored_for_the_next_visit(
    window_pool: WindowPool, clock_origin: str
):
    script = [[ToolCall(id="1", name=FORMAT, arguments=TOKYO)], "It is 21:00 in Tokyo.", "Nothing to do."]
    async with open_scripted_visitors(window_pool, clock_origin, *script) as (visitors, interpreter):
        page = await visitors.enter("Ada", "/tools")
        await add_server(page, clock_origin)
        await expect(page.locator(f"[data-server='{clock_origin}']")).to_contain_text("7 tools")
        await page.get_by_role("link", name="Chat", exact=True).click()
        await say(page, "@Bubbles what time is it in Tokyo?")
        await expect(page.locator(".log")).to_contain_text("It is 21:00 in Tokyo.")

        again = await visitors.enter("Ada", "/tools?servers=1", window=page.context)
        await expect(again.locator("[data-server][data-state=ok]")).to_contain_text("Secure Time Utilities API")

    result = interpreter.turns[1].steps[0].results[0]
    assert (result.ok, result.value) == (True, {"formatted_time": "21:00"})


async def test_error_of_the_server_is_shown(window_pool: WindowPool, clock_origin: str):
    script = [[ToolCall(id="1", name=FORMAT, arguments={"timezone": "Moon/Base"})], "There is no such place."]
    async with open_scripted_visitors(window_pool, clock_origin, *script) as (visitors, interpreter):
        page = await visitors.enter("Ada", "/tools")
        await add_server(page, clock_origin)
        await expect(page.locator("[data-server]")).to_have_count(1)
        await page.get_by_role("link", name="Chat", exact=True).click()
        await say(page, "@Bubbles what time is it on the moon?")
        await expect(page.locator(".log")).to_contain_text("There is no such place.")
        visitors.errors[:] = [each for each in visitors.errors if "status of 400" not in each]

    result = interpreter.turns[1].steps[0].results[0]
    assert (result.ok, result.error) == (False, f"HTTP 400: {PROBLEM}")


async def test_argument_of_dots_leads_to_no_other_operation(window_pool: WindowPool):
    app = FastAPI()

    @app.get("/notes/{note}", operation_id="get_note")
    async def get_note(note: str) -> str:
        return note

    @app.get("/")
    async def get_everything() -> str:
        return "everything"

    script = [[ToolCall(id="1", name="get_note", arguments={"note": ".."})], "There is no such note."]
    async with (
        serve_for_pages(app) as origin,
        open_scripted_visitors(window_pool, origin, *script) as (visitors, interpreter),
    ):
        page = await visitors.enter("Ada", "/tools")
        await add_server(page, origin)
        await expect(page.locator("[data-server]")).to_have_count(1)
        await page.get_by_role("link", name="Chat", exact=True).click()
        await say(page, "@Bubbles show me the note")
        await expect(page.locator(".log")).to_contain_text("There is no such note.")

    result = interpreter.turns[1].steps[0].results[0]
    assert (result.ok, result.error) == (False, 'an argument in the path is "." or ".."')


async def test_call_is_made_only_by_the_tab_of_the_message(window_pool: WindowPool, clock_origin: str):
    script = [[ToolCall(id="1", name=FORMAT, arguments=TOKYO)], "It is 21:00 in Tokyo."]
    async with open_scripted_visitors(window_pool, clock_origin, *script) as (visitors, _):
        page = await visitors.enter("Ada", "/tools")
        await add_server(page, clock_origin)
        await expect(page.locator("[data-state=ok]")).to_be_visible()
        other = await visitors.enter("Ada", "/tools?servers=1", window=page.context)
        await expect(other.locator("[data-state=ok]")).to_be_visible()
        requests: list[str] = []
        page.context.on("request", lambda request: requests.append(f"{request.method} {request.url}"))
        await page.get_by_role("link", name="Chat", exact=True).click()
        await say(page, "@Bubbles what time is it in Tokyo?")
        await expect(page.locator(".log")).to_contain_text("It is 21:00 in Tokyo.")

    assert requests.count(f"POST {clock_origin}/format_time") == 1


async def test_only_an_allowed_server_is_called_with_its_key(window_pool: WindowPool, clock_origin: str):
    async with open_scripted_visitors(window_pool, clock_origin) as (visitors, _):
        page = await visitors.enter("Ada", "/tools")
        await add_server(page, "http://127.0.0.1:9")
        await expect(page.get_by_text("This server isn’t allowed in the bot’s settings.")).to_be_visible()
        await expect(page.locator("[data-server]")).to_have_count(0)

        await add_server(page, clock_origin)
        await page.get_by_role("button", name=f"Remove {clock_origin}").click()
        await expect(page.locator("[data-server]")).to_have_count(0)

        assert await page.evaluate("localStorage.getItem('bubbles.tool_servers')") is None


async def test_page_explains_the_setting_when_no_server_is_allowed(visitors: Visitors):
    window = await visitors.open_window("zh")
    page = await visitors.enter("Ada", "/tools?servers=1", window=window)

    await expect(page.locator("[data-servers=off]")).to_contain_text("page_tool_servers")
    await expect(page.locator("[data-servers=off]")).to_contain_text("尚未允许任何服务器")
