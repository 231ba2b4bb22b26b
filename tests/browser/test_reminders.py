"""The reminders page: the list, the calendar and the HTTP API show the same, and what is done can be undone."""

from playwright.async_api import Page, expect

from tests.browser.visitors import Visitors, say


async def known_to_the_api(page: Page, visitors: Visitors) -> list[str]:
    answer = await page.request.get(f"{visitors.address}/api/reminders?session_id={visitors.room}")
    return [each["text"] for each in (await answer.json())["reminders"]]


async def test_reminders_are_made_changed_put_off_deleted_and_brought_back(visitors: Visitors):
    page = await visitors.enter("Ada", "/reminders")
    await page.get_by_label("New reminder").fill("tomorrow at 9 water the plants")
    await page.get_by_role("button", name="Create").click()
    row = page.locator(".reminder-row", has_text="water the plants")
    await expect(row).to_contain_text("@Ada")

    await row.get_by_role("button", name="Edit: water the plants").click()
    await page.get_by_label("Text").fill("water the roses")
    await page.get_by_label("Time").fill("in 20 minutes")
    await page.get_by_role("button", name="Save").click()
    row = page.locator(".reminder-row", has_text="water the roses")
    await expect(row.locator(".countdown-text")).to_have_text("20m")
    await row.get_by_role("button", name="Snooze").click()
    await page.get_by_role("menuitem", name="+60 min").click()
    await expect(row.locator(".countdown-text")).to_have_text("1h")
    assert await known_to_the_api(page, visitors) == ["water the roses"]

    await page.get_by_text("Agenda", exact=True).click()
    await expect(page.locator("[data-view=agenda]")).to_contain_text("water the roses")
    await page.get_by_text("List", exact=True).click()
    await row.get_by_role("button", name="Delete: water the roses").click()
    await expect(row).to_have_count(0)
    assert await known_to_the_api(page, visitors) == []
    await page.get_by_role("button", name="Undo").click()

    await expect(row).to_have_count(1)
    assert await known_to_the_api(page, visitors) == ["water the roses"]


async def test_a_reminder_that_fired_while_nobody_was_there_waits_as_unread_with_its_lateness(visitors: Visitors):
    window = await visitors.window()
    page = await visitors.enter("Ada", window=window)
    await say(page, "remind me in 2 seconds to look up")
    await expect(page.locator("[data-tool=reminder_set][data-status=ok]")).to_be_visible()
    await page.close()
    await (await window.new_page()).wait_for_timeout(3000)

    page = await visitors.enter("Ada", window=window)

    await expect(page.locator("[data-fired]")).to_contain_text("look up")
    await expect(page.locator("[data-fired] .late")).to_contain_text("+")
    await expect(page.locator("[data-unread-line]")).to_be_visible()


async def test_a_button_of_a_fired_reminder_is_that_person_saying_its_words(visitors: Visitors):
    page = await visitors.enter("Ada")
    await say(page, "remind me in 2 seconds to stand up")
    fired = page.locator("[data-fired]")
    await expect(fired).to_contain_text("stand up", timeout=10_000)

    await fired.get_by_role("button", name="10 min").click()

    await expect(page.locator("[data-mine]")).to_have_count(2)
    await expect(page.locator("[data-tool=reminder_snooze]")).to_have_attribute("data-status", "ok")
    await expect(page.locator("[data-reminder]")).to_contain_text("stand up")
