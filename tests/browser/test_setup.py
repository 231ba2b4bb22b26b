"""Set up in the page: a model, a platform, settings, rooms and tool servers; from an empty data folder on."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from bot.testing.openai_server import OpenAIServer
from bot.testing.openai_server import say as answer
from tests.browser.bot_process import BotProcess
from tests.browser.conftest import people_at
from tests.browser.visitors import Wardrobe, say
from tests.support.chat_servers.telegram import TelegramServer

MOST_SECONDS = 120
SLOW_MS = 30_000
HELLO = "Hello from the model."


@pytest_asyncio.fixture(loop_scope="session")
async def model() -> AsyncIterator[OpenAIServer]:
    """A model server that always says the same."""
    async with OpenAIServer([answer(HELLO)] * 50) as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def telegram() -> AsyncIterator[TelegramServer]:
    """Telegram, with one bot."""
    async with TelegramServer() as server:
        yield server


def step(page: Page, name: str) -> Locator:
    return page.locator(f"[data-setup={name}]")


async def test_setup_leads_from_an_empty_folder_to_an_answering_model_and_telegram(
    wardrobe: Wardrobe, tmp_path: Path, model: OpenAIServer, telegram: TelegramServer
):
    with BotProcess(tmp_path) as bot:
        async with people_at(wardrobe, bot.address) as visitors:
            begun = time.monotonic()
            page = await (await visitors.window()).new_page()
            await page.goto(bot.address)
            await page.get_by_label("Your name").fill("Ada")
            await page.keyboard.press("Enter")

            await step(page, "bot").get_by_label("Name").fill("Pearl")
            await page.get_by_role("button", name="Continue").click()
            await page.get_by_text("Another server").click()
            await page.get_by_label("Server address").fill(f"{model.url}/v1")
            await page.get_by_label("Model name").fill("tiny")
            await page.get_by_label("API key").fill("sk-tiny")
            await page.get_by_role("button", name="Send a test request").click()
            await expect(page.locator("[data-test]")).to_contain_text("answers", timeout=SLOW_MS)
            await page.get_by_role("button", name="Continue").click()
            await expect(step(page, "search")).to_be_visible()
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
            await expect(step(page, "done")).not_to_contain_text("sk-tiny")
            await page.get_by_role("button", name="Finish").click()
            await expect(step(page, "ready")).to_contain_text("Pearl is ready", timeout=SLOW_MS)

            await page.get_by_role("button", name="Open the chat").click()
            await page.locator("[data-link=live]").wait_for()
            await say(page, "@Pearl how are you today?")
            await expect(page.locator("[data-message]", has_text=HELLO)).to_have_count(1, timeout=SLOW_MS)
            await telegram.say("Pearl, how are you today?", chat="7", sender="7", name="Lin")
            await telegram.said.reaches(1)
            assert time.monotonic() - begun < MOST_SECONDS

            assert telegram.said.texts[0] == HELLO
            settings = (tmp_path / "settings.toml").read_text(encoding="utf-8")
            assert "sk-tiny" not in settings
            assert telegram.token not in settings
