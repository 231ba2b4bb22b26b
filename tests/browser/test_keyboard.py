"""Use of the page without a mouse, and with input methods."""

import httpx
from playwright.async_api import Locator, Page, expect

from tests.browser.test_setup import SLOW_MS, press_button, tab_to
from tests.browser.visitors import Visitors, messages_with, say

SYNTHETIC_ENTER = """(field, options) => field.dispatchEvent(
    new KeyboardEvent('keydown', {key: 'Enter', code: 'Enter', bubbles: true, cancelable: true, ...options}))"""


async def test_first_reminder_is_set_with_the_keyboard(visitors: Visitors):
    async with httpx.AsyncClient(base_url=visitors.address) as client:  # a bot with messages offers no set-up
        await client.post("/api/chat/send", json={"session_id": "attic", "message": "hello", "stream": False})
    page = await (await visitors.open_window()).new_page()
    await page.goto(f"{visitors.address}/?room={visitors.room}")
    await expect(page.get_by_label("Your name")).to_be_focused()
    await page.keyboard.type("Ada")
    await page.keyboard.press("Enter")
    await page.locator("[data-link=live]").wait_for()

    await expect(page.locator("#composer")).to_be_focused()
    for _ in range(5):  # over the button for files, the link to the model and the other examples
        await page.keyboard.press("Shift+Tab")
    await expect(page.locator(".welcome .example").first).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-card=reminder][data-status=active]")).to_be_visible()
    await page.locator(".how-line").focus()
    await page.keyboard.press("Enter")
    await page.locator("[data-tool=reminder_set]").wait_for()
    await page.keyboard.press("Tab")
    await expect(page.locator("[data-tool=reminder_set] .tool-line")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator(".tool-line")).to_have_attribute("aria-expanded", "true")


async def test_form_card_and_settings_are_used_with_the_keyboard(newcomers: Visitors):
    page = await newcomers.enter("Ada")
    await expect(page.locator("#composer")).to_be_focused()
    await page.keyboard.type("good morning")
    await page.keyboard.press("Enter")
    await expect(messages_with(page, "good morning")).to_have_count(1)
    await page.keyboard.type("/reminder_set")
    await expect(page.get_by_role("option", name="reminder_set")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.locator("#argument-type")).to_be_focused()
    for key in ("ArrowDown", "ArrowDown", "Enter", "Tab"):
        await page.keyboard.press(key)
    await page.keyboard.type("in 40 minutes")
    await page.keyboard.press("Tab")
    await page.keyboard.type("water the plants")
    await page.keyboard.press("Enter")
    card = page.locator("[data-card=reminder]", has_text="water the plants")
    await tab_to(page, card.get_by_role("button", name="Pause"))
    await page.keyboard.press("Enter")
    await expect(card).to_contain_text("Reminder paused")

    await page.keyboard.press("Control+k")
    await expect(page.get_by_placeholder("Search messages, rooms, pages, tools…")).to_be_focused()
    await page.keyboard.type("Settings")
    await expect(page.get_by_role("dialog").locator("[data-selected]")).to_have_text("Settings")
    await page.keyboard.press("Enter")
    await tab_to(page, page.get_by_role("searchbox", name="Search settings"))
    await page.keyboard.type("quiet hours")
    await tab_to(page, page.get_by_label("Quiet hours"))
    await page.keyboard.type("22:00-07:00")
    await press_button(page, "Save changes")
    await expect(page.locator(".save-notice")).to_have_text("Saved", timeout=SLOW_MS)


async def test_palette_opens_from_the_composer_and_keeps_its_draft(visitors: Visitors):
    page = await visitors.enter("Ada")
    await page.locator("#composer").fill("half a thought")

    await page.locator("#composer").press("Control+k")
    await expect(page.get_by_placeholder("Search messages, rooms, pages, tools…")).to_be_focused()
    await page.keyboard.type("Health")
    await page.keyboard.press("Enter")

    await expect(page.get_by_role("heading", name="Health", level=1)).to_be_visible()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.get_by_role("link", name="Chat").click()
    await expect(page.locator("#composer")).to_have_value("half a thought")


async def test_enter_that_ends_a_composition_sends_nothing(visitors: Visitors):
    page = await visitors.enter("Ada")
    await page.locator("#composer").fill("明天早上")

    await page.locator("#composer").evaluate(SYNTHETIC_ENTER, {"isComposing": True})
    await page.locator("#composer").evaluate(SYNTHETIC_ENTER, {"keyCode": 229, "which": 229})
    await page.wait_for_timeout(300)

    await expect(page.locator("#composer")).to_have_value("明天早上")
    await page.locator("#composer").press_sequentially("提醒@B")
    await expect(page.get_by_role("option", name="Bubbles")).to_be_visible()
    await say(page, "done now")
    await expect(messages_with(page, "done now")).to_have_count(1)
    await expect(page.locator("[data-mine]")).to_have_count(1)


async def test_draft_is_there_again_when_an_edit_ends_with_a_reply_or_with_its_message(visitors: Visitors):
    page = await visitors.enter("Ada")
    field = page.locator("#composer")
    for text in ("first", "second"):
        await say(page, text)
    await field.fill("half")

    await choose(page, "second", "Edit")
    await expect(field).to_have_value("second")
    await own_message(page, "first").hover()
    await own_message(page, "first").get_by_role("button", name="Reply").click()
    await expect(field).to_have_value("half")
    await choose(page, "second", "Edit")
    await expect(field).to_have_value("second")
    await choose(page, "second", "Delete")

    await expect(field).to_have_value("half")


def own_message(page: Page, text: str) -> Locator:
    return page.locator("[data-mine][data-message]", has_text=text)


async def choose(page: Page, text: str, action: str) -> None:
    await page.locator("#composer").hover()
    await own_message(page, text).hover()
    await own_message(page, text).get_by_role("button", name="More actions").click()
    await page.get_by_role("menuitem", name=action).click()
