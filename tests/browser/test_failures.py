"""Messages on the page for parts that cannot be loaded or do not exist."""

import asyncio

from playwright.async_api import Page, Route, expect

from tests.browser.bot_process import BotProcess
from tests.browser.conftest import open_visitors
from tests.browser.visitors import Visitors, WindowPool

CHUNKS = "**/assets/Health-*.js"
UNLOADED = ("Failed to load resource", "Failed to fetch dynamically imported module", "Unable to preload CSS")


def ignore_errors(visitors: Visitors, *marks: str) -> None:
    """Remove errors that contain one of the marks."""
    visitors.errors[:] = [each for each in visitors.errors if not any(mark in each for mark in marks)]


async def test_page_opened_during_an_outage_is_shown_on_retry(bot: BotProcess, window_pool: WindowPool):
    async with open_visitors(window_pool, bot.address) as people:
        people.expects_outage = True
        page = await (await people.open_window(is_single_use=True)).new_page()
        await people.go(page, "/", "Ada")
        bot.kill()

        await page.get_by_role("link", name="Health").click()

        await expect(page.get_by_role("heading", name="Health")).to_be_visible()
        await expect(page.locator("[data-crash=failed]")).to_contain_text("Something went wrong here")
        await expect(page.get_by_role("link", name="Chat")).to_be_visible()
        await asyncio.to_thread(bot.start)
        await page.locator("[data-link=live]").wait_for()
        await page.get_by_role("button", name="Retry").click()
        await expect(page.get_by_text("Checks")).to_be_visible()
        ignore_errors(people, *UNLOADED)


async def _fulfill_404(route: Route) -> None:
    await route.fulfill(status=404, body="gone")


async def test_page_with_an_outdated_script_offers_to_reload(visitors: Visitors):
    page = await (await visitors.open_window(is_single_use=True)).new_page()
    await visitors.go(page, "/", "Ada")
    await page.route(CHUNKS, _fulfill_404)
    await page.route(f"{visitors.address}/", lambda route: route.fulfill(body="<script src=/assets/newer.js></script>"))

    await page.get_by_role("link", name="Health").click()

    crash = page.locator("[data-crash=outdated]")
    await expect(crash).to_contain_text("A new version is available.")
    await page.unroute(CHUNKS)
    await page.unroute(f"{visitors.address}/")
    await crash.get_by_role("button", name="Reload").click()
    await expect(page.get_by_role("heading", name="Health")).to_be_visible()
    await expect(page.locator("[data-crash]")).to_have_count(0)
    ignore_errors(visitors, *UNLOADED)


async def test_other_pages_work_after_a_crash_of_one(visitors: Visitors):
    page = await visitors.enter("Ada")
    await page.route("**/api/reminders?**", lambda route: route.fulfill(json={"reminders": [{"id": "x", "text": {}}]}))

    await page.get_by_role("link", name="Reminders").click()

    await expect(page.locator("[data-crash=failed]")).to_be_visible()
    await page.get_by_role("link", name="Chat").click()
    await expect(page.locator("#composer")).to_be_visible()
    visitors.errors.clear()


async def test_unknown_address_shows_a_page_with_a_link_to_the_chat(visitors: Visitors):
    page: Page = await (await visitors.open_window()).new_page()
    answered = await page.goto(f"{visitors.address}/nosuch/page?as=Ada&room={visitors.room}")

    assert answered is not None
    assert answered.status == 404
    await expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    await expect(page.get_by_text("/nosuch/page")).to_be_visible()
    await expect(page).to_have_title("Page not found · Bubbles")
    await page.get_by_role("link", name="Back to chat").click()
    await expect(page.locator("#composer")).to_be_visible()
    ignore_errors(visitors, "status of 404")
