"""The first minute: a fresh clone, one command, one click, and a punctual reminder."""

import re
import time
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from tests.browser.bot_process import BotProcess
from tests.browser.conftest import open_visitors
from tests.browser.fresh_clone import clone_repository, is_clonable
from tests.browser.visitors import Visitors, WindowPool
from tests.support.timeouts import on_this_machine

EXAMPLE = "remind me in 10 seconds to stretch"
MAX_DELAY_MS = 1000

# A call takes milliseconds: each status of its card is recorded.
WATCH = """() => {
    window.seen = []
    new MutationObserver(() => {
        const status = document.querySelector('[data-tool]')?.dataset.status
        if (status && status !== window.seen.at(-1)) window.seen.push(status)
    }).observe(document.body, {subtree: true, childList: true, attributes: true})
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def newcomers(window_pool: WindowPool, tmp_path: Path) -> AsyncIterator[Visitors]:
    """Yield visitors of a bot that was cloned and started a moment ago."""
    if not is_clonable():
        pytest.skip("no clone: there is no repository to clone from")
    with BotProcess(tmp_path, clone=clone_repository(tmp_path)) as bot:
        async with open_visitors(window_pool, bot.address) as people:
            yield people


async def test_clicked_example_sets_a_punctual_reminder_with_a_mention(newcomers: Visitors):
    page = await (await newcomers.open_window()).new_page()
    start = time.monotonic()
    await page.goto(newcomers.address)
    await page.get_by_label("Your name").fill("Ada")
    opened = time.monotonic() - start
    await page.get_by_role("button", name="Join room").click()
    async with page.expect_request_finished(lambda request: re.search("/ToolCard.*js$", request.url) is not None):
        await page.get_by_role("link", name="Skip setup").click()
    await expect(page.locator("[data-model='']")).to_contain_text("No AI model connected")
    await expect(page.locator(".welcome .example")).to_have_count(3)

    await page.evaluate(WATCH)
    await page.locator(".welcome .example", has_text=EXAMPLE).click()
    await expect(page.locator("[data-card=reminder][data-status=active]")).to_contain_text("stretch")
    assert (await page.evaluate("window.seen"))[0] == "running"
    await page.locator(".how-line").click()
    card = page.locator("[data-tool=reminder_set]")
    await expect(card.locator(".chip", has_text="stretch")).to_be_visible()
    await expect(card.locator(".tool-time")).to_contain_text("ms")
    await card.locator(".tool-line").click()
    await expect(card.locator(".block").nth(1)).to_contain_text('"id"')
    await expect(page.locator(".panel [data-reminder] [data-countdown]")).to_be_visible()
    fired = page.locator("[data-fired]")
    await expect(fired).to_be_visible(timeout=15_000)

    sent_at = datetime.fromisoformat(await _time_of(page.locator("[data-mine]")))
    sent = datetime.fromisoformat(await _time_of(page.locator("[data-message]", has=fired)))
    assert opened < on_this_machine(3)
    assert abs((sent - sent_at).total_seconds() - 10) <= on_this_machine(1)
    assert int((await fired.locator(".late").inner_text()).strip("+ ms")) < on_this_machine(MAX_DELAY_MS)
    await expect(fired.locator(".mention[data-me]")).to_have_text("@Ada")
    await expect(page.locator("[data-toast=stretch]")).to_be_visible()
    assert await page.title() == "(1) ⏰ stretch"


async def _time_of(row: Locator) -> str:
    return await row.locator("time").first.get_attribute("datetime") or ""
