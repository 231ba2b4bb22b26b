"""The tools page and the record of calls."""

import re

import pytest
from mcp import Client
from mcp.types import ElicitResult
from playwright.async_api import ViewportSize, expect

from tests.browser.test_appearance import PHONE
from tests.browser.visitors import Language, Visitors, say

DESK: ViewportSize = {"width": 1280, "height": 800}
REFUSED = "status of 422"
SCRIPT = "<script>alert(1)</script>"


async def test_tool_form_shows_errors_at_fields_and_its_call_is_recorded(visitors: Visitors):
    page = await visitors.enter("Ada", "/tools?tool=reminder_set")
    await page.get_by_role("button", name="Run").click()
    await expect(page.get_by_text("Required")).to_have_count(3)

    await page.locator("#argument-type").click()
    await page.get_by_role("option", name="once").click()
    await page.locator("#argument-time").fill("in 40 minutes")
    await page.locator("#argument-content").fill(f"buy milk for {visitors.room}")
    await page.locator("#argument-weekday").fill("9")
    await page.get_by_role("button", name="Run").click()
    await expect(page.locator("#argument-weekday-error")).to_be_visible()
    await page.locator("#argument-weekday").fill("")
    await page.get_by_role("button", name="Validate only").click()
    await expect(page.locator("[data-result=checked]")).to_be_visible()
    await page.get_by_role("button", name="Run").click()
    await expect(page.locator("[data-result=ok]")).to_contain_text('"id"')

    await visitors.go(page, "/activity", "Ada")
    await page.reload()
    await page.get_by_label("Search", exact=True).fill(visitors.room)
    await expect(page).to_have_url(re.compile(f"q={visitors.room}"))
    await expect(page.locator("[data-call]")).to_have_count(1)
    await page.locator("[data-call][data-tool=reminder_set]").click()
    await expect(page.locator("[data-turn] .block").first).to_contain_text("buy milk")
    await page.keyboard.press("Escape")
    await page.get_by_label("Search", exact=True).fill("nothing is called like this")
    await page.get_by_role("button", name="Clear filters").click()
    await expect(page.locator("[data-call]").first).to_be_visible()


async def test_refused_call_is_recorded_with_its_message_and_without_its_code(visitors: Visitors):
    page = await visitors.enter("Ada")
    question = f"search the web for {visitors.room}"
    await say(page, question)
    await expect(page.locator("[data-message]", has_text="no web search is set up here")).to_be_visible()

    await visitors.go(page, f"/activity?q={visitors.room}", "Ada")

    line = page.locator("[data-call][data-tool=perplexity_search]")
    await expect(line).to_contain_text("no web search is set up here")
    await line.click()
    await expect(page.locator("[data-turn] .tool-error")).to_contain_text("no web search is set up here")
    await expect(page.get_by_text("search_not_configured")).to_have_count(0)


async def test_refused_call_of_an_mcp_client_is_recorded_with_its_reason(visitors: Visitors):
    async with Client(f"{visitors.address}/mcp", elicitation_callback=decline) as client:
        await client.call_tool("forget_me", {})
        await client.call_tool("reminder_set", {"type": "once", "time": visitors.room, "content": "tea"})
    page = await visitors.enter("Ada", "/activity")
    lines = page.locator("[data-call]")

    for size in (DESK, PHONE):
        await page.set_viewport_size(size)
        await expect(lines.nth(0).get_by_text(f"Couldn’t read “{visitors.room}” as a time.")).to_be_visible()
        await expect(lines.nth(1).get_by_text("The answer was no, so nothing was done.")).to_be_visible()
    await lines.nth(1).click()
    await expect(page.locator("[data-turn] .tool-error")).to_have_text("The answer was no, so nothing was done.")


async def decline(context: object, question: object) -> ElicitResult:
    return ElicitResult(action="decline")


async def test_reason_of_a_failed_call_is_shown_in_the_panel(visitors: Visitors):
    page = await visitors.enter("Ada")
    await say(page, "search the web for penguins")
    await page.locator(".panel").get_by_text("Activity", exact=True).click()

    call = page.locator(".recent-calls button", has_text="perplexity_search")
    await expect(call).to_contain_text("no web search is set up here")


async def test_tool_that_never_ran_has_no_count(visitors: Visitors):
    page = await visitors.enter("Ada", "/tools")

    await expect(page.locator(".tool-list li").first).to_be_visible()
    await expect(page.get_by_text("0 calls", exact=True)).to_have_count(0)


@pytest.mark.parametrize(
    ("language", "request_text", "words"),
    [
        ("en", "remind me on the last day of every month at 9 to pay rent", "on the last day of every month"),
        ("zh", "每月最后一天9点提醒我交房租", "每月最后一天"),
    ],
)
async def test_call_shows_its_recurrence_in_words(
    visitors: Visitors, language: Language, request_text: str, words: str
):
    window = await visitors.open_window(language)
    page = await visitors.enter("Ada", window=window)
    await say(page, request_text)
    await expect(page.locator("[data-card=reminder]")).to_contain_text(words)
    await page.locator(".how-line").click()
    card = page.locator("[data-tool=reminder_set][data-status=ok]")
    await card.locator(".tool-line").click()

    await expect(card.locator(".chips")).to_contain_text(words)
    await expect(card.locator(".block").first).to_contain_text(words)
    await expect(card).not_to_contain_text("FREQ=")

    await visitors.go(page, "/activity?tool=reminder_set", "Ada")
    await page.locator("[data-call][data-tool=reminder_set]").first.click()
    await expect(page.locator("[data-turn] .tool-card")).to_contain_text(words)
    await expect(page.locator("[data-turn] .tool-card")).not_to_contain_text("FREQ=")


async def test_error_of_an_argument_is_shown_at_its_field(visitors: Visitors):
    page = await visitors.enter("Ada", "/tools?tool=reminder_delete")
    refusal = {"code": "arguments_invalid", "detail": "no", "fields": {"reminder_id": "There is no such id."}}
    await page.route("**/api/tools/*/invoke", lambda route: route.fulfill(status=422, json=refusal))

    await page.locator("#argument-reminder_id").fill("zzz")
    await page.get_by_role("button", name="Run").click()

    await expect(page.locator("#argument-reminder_id-error")).to_have_text("There is no such id.")
    visitors.errors[:] = [each for each in visitors.errors if REFUSED not in each]


async def test_html_in_messages_and_summaries_is_shown_as_text(visitors: Visitors):
    page = await visitors.enter("Ada")
    lin = await visitors.enter("Lin")
    for text in (f"the release is on Thursday {SCRIPT}", "I will write the notes", "Lin books the room"):
        await say(lin, text)
    await expect(page.locator("[data-message] .plain")).to_have_count(3)

    await say(page, "@Bubbles summarise the last 10 messages")

    await expect(page.locator("[data-card=summary]")).to_contain_text("Thursday")
    await expect(page.locator(".log script")).to_have_count(0)
    await expect(page.locator(".plain", has_text=SCRIPT)).to_be_visible()


async def test_tool_shows_its_server_and_that_it_does_not_respond(visitors: Visitors):
    page = await (await visitors.open_window()).new_page()
    health = {"is_ok": False, "detail": "the server cannot be reached"}
    tool = {"name": "get_time", "description": "The time.", "parameters": {}, "source": "clock", "health": health}
    row = {**tool, "permission": "everyone", "confirm": False, "calls": 0, "p95_ms": None}
    await page.route("**/api/tools?*", lambda route: route.fulfill(json={"tools": [row]}))

    await visitors.go(page, "/tools?tool=get_time", "Ada")

    await expect(page.locator(".tool-list li")).to_contain_text("clock · server not responding")
    await expect(page.locator(".one-tool")).to_contain_text("the server cannot be reached")
