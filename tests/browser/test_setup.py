"""Set-up in the page: model, platform, settings, rooms and tool servers."""

import re
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from bot.testing.clocks import FixedClock
from tests.browser.bot_process import BotProcess
from tests.browser.conftest import open_visitors
from tests.browser.test_appearance import CUT_OFF, PHONE
from tests.browser.visitors import LOCALES, Language, Visitors, WindowPool, say
from tests.support.chat_servers.telegram import TelegramServer
from tests.support.http_bot import served_bot
from tests.support.openai_server import OpenAIServer
from tests.support.openai_server import say as answer
from tests.support.search_server import SearchServer
from tests.support.tool_servers.serving import served_app
from tests.support.tool_servers.time_server import time_server

MAX_SECONDS = 120
SLOW_MS = 60_000
MAX_TABS = 60
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
REFUSED = "status of 422"
HELLO = "Hello from the model."


@pytest_asyncio.fixture(loop_scope="session")
async def model() -> AsyncIterator[OpenAIServer]:
    """Start a model server with one answer."""
    async with OpenAIServer([answer(HELLO)] * 50) as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def telegram() -> AsyncIterator[TelegramServer]:
    """Start a fake Telegram server."""
    async with TelegramServer() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def search() -> AsyncIterator[SearchServer]:
    """Start a fake SearXNG server."""
    async with SearchServer() as server:
        yield server


def setup_step(page: Page, name: str) -> Locator:
    return page.locator(f"[data-setup={name}]")


async def test_setup_connects_a_model_a_search_engine_and_telegram(
    window_pool: WindowPool, tmp_path: Path, model: OpenAIServer, search: SearchServer, telegram: TelegramServer
):
    with BotProcess(tmp_path) as bot:
        async with open_visitors(window_pool, bot.address) as visitors:
            start = time.monotonic()
            page = await (await visitors.open_window()).new_page()
            await page.goto(bot.address)
            await page.get_by_label("Your name").fill("Ada")
            await page.keyboard.press("Enter")

            await setup_step(page, "bot").get_by_label("Name").fill("Pearl")
            await page.get_by_role("button", name="Continue").click()
            await page.get_by_text("Another server").click()
            await page.get_by_label("Server address").fill(f"{model.url}/v1")
            await page.get_by_label("Model name").fill("tiny")
            await page.get_by_label("API key").fill("sk-tiny")
            await page.get_by_role("button", name="Send a test request").click()
            await expect(page.locator("[data-test]")).to_contain_text("answers", timeout=SLOW_MS)
            await page.get_by_role("button", name="Continue").click()
            await page.get_by_role("combobox", name="Search engine").click()
            await page.get_by_role("option", name="Searxng").click()
            await page.get_by_label("SearXNG address").fill(search.url)
            await page.get_by_role("button", name="Run a test search").click()
            await expect(page.locator("[data-test]")).to_contain_text("searxng answers", timeout=SLOW_MS)
            await page.get_by_role("button", name="Continue").click()
            await page.get_by_role("combobox", name="Chat app").click()
            await page.get_by_role("option", name="Telegram").click()
            await page.locator("[data-setting='platforms.telegram.token']").fill("1:wrong")
            await page.get_by_role("button", name="More options").click()
            await page.locator("[data-setting='platforms.telegram.api_url']").fill(telegram.url)
            await page.get_by_role("button", name="Test the connection").click()
            await expect(page.locator("[data-test=problem]")).to_contain_text("Unauthorized", timeout=SLOW_MS)
            await page.locator("[data-setting='platforms.telegram.token']").fill(telegram.token)
            await page.get_by_role("button", name="Test the connection").click()
            await expect(page.locator("[data-test=ok]")).to_contain_text("works", timeout=SLOW_MS)
            await page.get_by_role("button", name="Continue").click()
            await expect(setup_step(page, "done")).not_to_contain_text("sk-tiny")
            await page.get_by_role("button", name="Finish").click()
            await expect(setup_step(page, "ready")).to_contain_text("Pearl is ready", timeout=SLOW_MS)

            await page.get_by_role("button", name="Open the chat").click()
            await page.locator("[data-link=live]").wait_for()
            await say(page, "@Pearl how are you today?")
            await expect(page.locator("[data-message]", has_text=HELLO)).to_have_count(1, timeout=SLOW_MS)
            await telegram.say("Pearl, how are you today?", chat="7", sender="7", name="Lin")
            await telegram.sent.wait_for_count(1)
            assert time.monotonic() - start < MAX_SECONDS

            assert telegram.sent.texts[0] == HELLO
            settings = (tmp_path / "settings.toml").read_text(encoding="utf-8")
            assert "sk-tiny" not in settings
            assert telegram.token not in settings


async def save_settings(page: Page) -> None:
    """Save the changes, and wait until the bot has applied them."""
    await page.get_by_role("button", name="Save changes").click()
    await expect(page.locator(".save-notice")).to_have_text("Saved", timeout=SLOW_MS)


async def test_setting_is_found_validated_at_its_field_applied_and_undone(newcomers: Visitors):
    page = await newcomers.enter("Ada", "/settings")
    await page.get_by_role("searchbox", name="Search settings").fill("quiet hours")
    hours = page.get_by_label("Quiet hours")
    place = await hours.bounding_box()
    await hours.fill("at night")
    assert await hours.bounding_box() == place
    await page.get_by_role("button", name="Save changes").click()
    await expect(page.locator("[id='setting-reminders.quiet_hours-error']")).to_have_text(
        "Must be two clock times, such as 22:00-07:00.", timeout=SLOW_MS
    )
    await expect(hours).to_be_focused()
    await hours.fill("22:00-07:00")
    await save_settings(page)

    await page.get_by_role("searchbox", name="Search settings").fill("bot.name")
    await page.get_by_label("Name", exact=True).fill("Ruby")
    await save_settings(page)
    await page.get_by_role("link", name="Chat").click()
    await expect(page.locator("#composer")).to_have_attribute("placeholder", re.compile("@Ruby"), timeout=SLOW_MS)

    await newcomers.go(page, "/settings?tab=history", "Ada")
    await expect(page.locator("[data-change]").first).to_contain_text("Name bot.name: Not set")
    await page.get_by_role("button", name="Undo change 2").click()
    await expect(page.locator("[data-change]")).to_have_count(3, timeout=SLOW_MS)
    await newcomers.go(page, "/settings?group=bot", "Ada")
    await expect(page.get_by_label("Name", exact=True)).to_have_value("Bubbles")
    newcomers.errors[:] = [each for each in newcomers.errors if REFUSED not in each]


async def test_change_that_prevents_a_start_is_undone_and_reported(newcomers: Visitors):
    page = await newcomers.enter("Ada", "/settings?group=platforms")
    await page.locator("[data-setting='platforms.enabled']").fill("matrix")
    await page.keyboard.press("Enter")

    await page.get_by_role("button", name="Save changes").click()

    await expect(page.locator(".save-notice[data-problem]")).to_contain_text("so it was undone", timeout=SLOW_MS)
    await newcomers.go(page, "/settings?tab=history", "Ada")
    await expect(page.locator("[data-change]")).to_contain_text("Not applied")


async def test_failed_check_links_to_its_setting(visitors: Visitors):
    page = await visitors.enter("Ada", "/health")

    await page.get_by_role("link", name="Fix it: Access").click()
    await expect(page.get_by_label("Admin token", exact=True)).to_be_focused()
    await page.go_back()
    await page.get_by_role("link", name="Fix it: AI model").click()
    await expect(page.locator("[data-group=model]")).to_be_visible()


@pytest.mark.parametrize("language", LOCALES)
async def test_texts_of_health_checks_are_aligned(visitors: Visitors, language: Language):
    page = await visitors.enter("Ada", "/health", window=await visitors.open_window(language))
    await expect(page.locator("[data-check] .state[data-state=warning]").first).to_be_visible()

    begins = await page.locator("[data-check] .grow").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().left)"
    )
    assert len(set(begins)) == 1


async def test_stored_secret_is_never_shown(newcomers: Visitors):
    page = await newcomers.enter("Ada", "/settings?group=search")
    await page.get_by_label("Brave Search API key", exact=True).fill("sk-brave")
    await save_settings(page)

    await newcomers.go(page, "/settings?group=search", "Ada")
    key = page.get_by_label("Brave Search API key", exact=True)
    await expect(key).to_have_value("")
    await expect(key).to_have_attribute("placeholder", "Set. Type a new one to replace it.")
    await page.get_by_role("button", name="Remove search.brave_api_key").click()
    await save_settings(page)
    await expect(key).to_have_attribute("placeholder", "Not set")


async def test_room_has_instructions_quiet_hours_and_tools_of_its_own(visitors: Visitors):
    page = await visitors.enter("Ada")
    await page.get_by_role("button", name="Room settings").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Instructions for the bot").fill("Be brief here.")
    await dialog.get_by_text("22:00–07:00").click()
    await dialog.get_by_label("From").fill("23:00")
    await dialog.get_by_role("switch", name="web_fetch").click()
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_have_count(0)

    await page.reload()
    await page.get_by_role("button", name="Room settings").click()
    await expect(dialog.get_by_label("Instructions for the bot")).to_have_value("Be brief here.")
    await expect(dialog.get_by_label("From")).to_have_value("23:00")
    await expect(dialog.get_by_role("switch", name="web_fetch")).not_to_be_checked()


async def test_tool_server_is_tried_added_used_switched_off_and_removed(newcomers: Visitors):
    async with served_app(time_server(FixedClock(NOON))) as url:
        page = await newcomers.enter("Ada", "/tools?manage=1")
        await page.get_by_label("Address").fill(url)
        await page.get_by_label("Name").fill("clock")
        await page.get_by_role("button", name="Test", exact=True).click()
        await expect(page.locator("[data-probe=ok]")).to_contain_text("Connected, 7 tools", timeout=SLOW_MS)
        await page.get_by_role("button", name="Add server").click()
        await expect(page.locator("[data-server=clock][data-state=ok]")).to_be_visible(timeout=SLOW_MS)
        await expect(page.locator(".tool-list section", has_text="clock")).to_contain_text("time_zones")

        await page.get_by_role("switch", name="clock is on").click(force=True)
        await expect(page.locator("[data-server=clock][data-state=off]")).to_be_visible(timeout=SLOW_MS)
        await page.get_by_role("button", name="Remove clock").click()
        await page.get_by_text("Remove clock", exact=True).last.click()
        await expect(page.locator("[data-server=clock]")).to_have_count(0, timeout=SLOW_MS)


async def test_setup_focuses_empty_required_fields_and_lists_changes_in_words(newcomers: Visitors):
    page = await (await newcomers.open_window("es")).new_page()
    await newcomers.go(page, "/setup", "Ada")
    next_step = page.locator("form button[type=submit]")
    await next_step.click()
    await page.get_by_text("Otro servidor").click()
    address = page.get_by_label("Dirección del servidor")
    await next_step.click()
    await expect(address).to_be_focused()
    await address.fill("127.0.0.1:9")
    await page.get_by_role("button", name="Enviar una prueba").click()
    await expect(page.locator("[data-test=problem]")).to_have_text("No funciona. Revisa 1 ajuste", timeout=SLOW_MS)
    await expect(address).to_have_attribute("aria-invalid", "true")
    await address.fill("http://127.0.0.1:9/v1")
    await expect(page.locator("[data-test]")).to_have_count(0)
    await page.get_by_role("button", name="Enviar una prueba").click()
    await expect(page.locator("[data-test=problem]")).to_contain_text(
        "corrige “Dirección del servidor”", timeout=SLOW_MS
    )
    await page.get_by_text("Sin modelo").click()
    await next_step.click()
    await next_step.click()
    await page.locator(".setup-fields").get_by_role("combobox").click()
    await page.get_by_role("option", name="Telegram").click()
    await next_step.click()
    token = page.locator("[data-setting='platforms.telegram.token']")
    await expect(token).to_be_focused()
    await expect(page.locator("[id='setting-platforms.telegram.token-error']")).to_have_text("Obligatorio")
    await token.fill("1:x")
    await next_step.click()
    await expect(setup_step(page, "done")).to_contain_text("Español")
    await expect(setup_step(page, "done")).to_contain_text("Consola, Telegram")
    newcomers.errors[:] = [each for each in newcomers.errors if REFUSED not in each]


async def test_setup_is_completed_with_the_keyboard(newcomers: Visitors):
    page = await (await newcomers.open_window()).new_page()
    await page.goto(newcomers.address)
    await expect(page.get_by_label("Your name")).to_be_focused()
    await page.keyboard.type("Ada")
    await page.keyboard.press("Enter")
    await expect(setup_step(page, "bot")).to_be_visible()
    await tab_to(page, setup_step(page, "bot").get_by_label("Name"))
    await page.keyboard.press("Control+a")
    await page.keyboard.type("Opal")
    card = page.locator(".card.setup")
    width = (await card.bounding_box() or {})["width"]
    for name in ("model", "search", "platform", "done"):
        await page.keyboard.press("Enter") if name == "model" else await press_button(page)
        await expect(setup_step(page, name)).to_be_visible()
    await press_button(page, "Finish")
    await expect(setup_step(page, "ready")).to_contain_text("Opal is ready", timeout=SLOW_MS)
    assert (await card.bounding_box() or {})["width"] == width
    await tab_to(page, page.get_by_role("button", name="Open the chat"))
    await page.keyboard.press("Enter")
    await expect(page.locator("#composer")).to_be_focused(timeout=SLOW_MS)


async def tab_to(page: Page, button: Locator) -> None:
    """Press Tab until `wanted` has the focus."""
    for _ in range(MAX_TABS):
        if await button.evaluate("one => one === document.activeElement"):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{button} is not reached by Tab")


async def press_button(page: Page, name: str = "Continue") -> None:
    """Move the focus to a button with Tab, and press it with Enter."""
    await tab_to(page, page.get_by_role("button", name=name))
    await page.keyboard.press("Enter")


async def test_skipped_setup_is_found_in_palette_and_settings(newcomers: Visitors):
    page = await (await newcomers.open_window()).new_page()
    await page.goto(newcomers.address)
    await page.get_by_label("Your name").fill("Ada")
    await page.keyboard.press("Enter")

    await page.get_by_role("link", name="Skip setup").click()
    await expect(page.locator("#composer")).to_be_visible()
    await page.locator("#composer").press("Control+k")
    await page.get_by_placeholder("Search messages, rooms, pages, tools…").fill("Set up")
    await page.keyboard.press("Enter")
    await expect(setup_step(page, "bot")).to_be_visible()
    await page.get_by_role("link", name="Settings").click()
    await page.get_by_role("link", name="Run setup again").click()
    await expect(setup_step(page, "bot")).to_be_visible()


STATES = (
    "/setup",
    "/settings?group=model",
    "/settings?tab=history",
    "/tools?manage=1",
    "/health",
)


async def test_setup_settings_tools_and_health_fit_a_phone(newcomers: Visitors):
    page = await newcomers.enter("Ada")
    await page.set_viewport_size(PHONE)
    for state in STATES:
        await newcomers.go(page, state, "Ada")
        await page.locator(".card, .sheet, .nothing").first.wait_for()
        assert await page.evaluate(CUT_OFF) == [], state


async def test_mcp_server_and_python_tool_are_added_used_and_removed(window_pool: WindowPool, tmp_path: Path):
    async with served_bot() as (shop, _):
        with BotProcess(tmp_path, BUBBLES_TOOL_SERVERS__PYTHON_TOOLS="true") as bot:
            async with open_visitors(window_pool, bot.address) as visitors:
                page = await visitors.enter("Ada", "/tools?manage=1")
                await page.get_by_text("MCP", exact=True).click()
                await page.get_by_label("Address").fill(f"{shop}/mcp")
                await page.get_by_label("Name").fill("shop")
                await page.get_by_role("button", name="Test", exact=True).click()
                await expect(page.locator("[data-probe=ok]")).to_contain_text("Connected", timeout=SLOW_MS)
                await page.get_by_role("button", name="Add server").click()
                await expect(page.locator("[data-server=shop][data-state=ok]")).to_be_visible(timeout=SLOW_MS)
                await expect(page.locator(".tool-list section", has_text="shop")).to_contain_text("reminder_list")

                await page.get_by_role("button", name="Add Python tool").click()
                editor = page.locator("[data-stored-editor]")
                await editor.get_by_label("Name").fill("sums")
                await editor.get_by_role("button", name="Save").click()
                await expect(page.locator("[data-stored]", has_text="sums")).to_be_visible(timeout=SLOW_MS)
                await page.locator(".tool-list").get_by_text("Add two numbers.").click()
                await page.locator("#argument-a").fill("40")
                await page.locator("#argument-b").fill("2")
                await page.get_by_role("button", name="Run").click()
                await expect(page.locator("[data-result=ok]")).to_contain_text("42", timeout=SLOW_MS)

                await visitors.go(page, "/tools?manage=1", "Ada")
                await page.get_by_role("button", name="Remove sums").click()
                await page.get_by_text("Remove sums", exact=True).last.click()
                await expect(page.locator("[data-stored]")).to_have_count(0, timeout=SLOW_MS)
