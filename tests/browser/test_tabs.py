"""Many tabs, and reconnections to the bot."""

import asyncio

from playwright.async_api import expect

from tests.browser.bot_process import BotProcess
from tests.browser.visitors import Visitors, messages_with, say
from tests.support.timeouts import on_this_machine

TABS = 12
ONE_REQUEST = """async () => {
    const begun = performance.now()
    await fetch('/api/chat/sessions')
    return performance.now() - begun
}"""


async def test_twelve_tabs_of_one_browser_are_connected_and_requests_stay_fast(visitors: Visitors):
    window = await visitors.open_window()
    tabs = [await visitors.enter(f"Tab {number}", window=window) for number in range(TABS)]

    took = await tabs[0].evaluate(ONE_REQUEST)
    await say(tabs[0], "hello to all tabs")

    assert took < on_this_machine(1000)
    for tab in tabs:
        await expect(messages_with(tab, "hello to all tabs")).to_have_count(1)


async def test_offline_messages_are_sent_once_after_reconnecting(bot: BotProcess, newcomers: Visitors):
    newcomers.expects_outage = True
    page = await newcomers.enter("Ada")
    await say(page, "before the outage")
    await expect(messages_with(page, "before the outage")).to_have_count(1)

    bot.kill()
    await expect(page.locator("[data-link=reconnecting]")).to_be_visible(timeout=on_this_machine(3000))
    await say(page, "during the outage")
    await expect(page.locator("[data-pending]")).to_have_count(1)
    await expect(page.get_by_label("sending")).to_be_visible()
    await asyncio.to_thread(bot.start)
    await expect(page.locator("[data-link=live]")).to_be_visible(timeout=10_000)

    await expect(page.locator("[data-pending]")).to_have_count(0)
    await expect(messages_with(page, "during the outage")).to_have_count(1)
    await expect(messages_with(page, "before the outage")).to_have_count(1)
    await page.reload()
    await expect(messages_with(page, "during the outage")).to_have_count(1)


async def test_messages_written_without_a_network_are_sent_when_it_returns(visitors: Visitors):
    visitors.expects_outage = True
    window = await visitors.open_window()
    page = await visitors.enter("Ada", window=window)

    await window.set_offline(True)

    await expect(page.locator(".link-word")).to_have_text("Offline")
    await expect(page.get_by_role("alert")).to_contain_text("You’re offline.")
    await say(page, "written in a tunnel")
    await expect(page.locator("[data-pending]")).to_have_count(1)
    await window.set_offline(False)
    await expect(page.locator(".link-word")).to_have_text("Online")
    await expect(messages_with(page, "written in a tunnel")).to_have_count(1)
    await expect(page.locator("[data-pending]")).to_have_count(0)


async def test_page_stays_online_while_the_bot_is_reachable_without_a_network(visitors: Visitors):
    page = await visitors.enter("Ada")

    await page.evaluate("window.dispatchEvent(new Event('offline'))")

    await expect(page.locator("[data-link=live]")).to_be_visible()
    await page.wait_for_timeout(2000)
    await expect(page.locator("[data-link=live]")).to_be_visible()


async def test_returning_tab_shows_number_and_start_of_missed_messages(visitors: Visitors):
    visitors.expects_outage = True
    window = await visitors.open_window()
    ada = await visitors.enter("Ada", window=window)
    lin, mei = await visitors.enter("Lin"), await visitors.enter("Mei")
    await say(ada, "I am leaving for a moment")
    await expect(messages_with(lin, "leaving")).to_have_count(1)

    await window.set_offline(True)
    await expect(ada.locator("[data-link=offline]")).to_be_visible()
    for text in ("one", "two", "three"):
        await say(lin, text)
        await expect(messages_with(mei, text)).to_have_count(1)
    await window.set_offline(False)

    await expect(ada.locator("[role=status]", has_text="3 new messages while you were away")).to_be_visible(
        timeout=10_000
    )
    await expect(ada.locator("[data-unread-line]")).to_have_count(1)
    await expect(ada.locator("[data-message]")).to_have_count(4)


async def test_unsent_message_is_removed_when_its_author_leaves(visitors: Visitors):
    page = await visitors.enter("Ada")
    await page.locator("#composer").fill("between you and me")
    await page.reload()
    await expect(page.locator("#composer")).to_have_value("between you and me")

    await page.get_by_role("button", name="Profile and notifications").click()
    await page.get_by_role("menuitem", name="Leave").click()
    await page.get_by_role("button", name="Join").wait_for()
    await visitors.go(page, "/", "Lin")

    await expect(page.locator("#composer")).to_have_value("")
