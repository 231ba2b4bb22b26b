"""Several people in one room."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, expect

from tests.browser.bot_process import BotProcess
from tests.browser.conftest import open_visitors
from tests.browser.slow_model import SlowModel
from tests.browser.visitors import Language, Visitors, WindowPool, messages_with, say

PAGE, LONG, ROWS = 50, 320, 300
STORY = "Once there was a bot that told long stories to its room."
WORDS = ["**Once** ", "there ", "was ", "a ", "bot ", "that ", "told ", "long ", "stories ", "to ", "its ", "room."]


async def message_ids(page: Page) -> list[str]:
    found: list[str] = await page.locator("[data-message]").evaluate_all("rows => rows.map(row => row.dataset.message)")
    return found


async def test_three_people_see_the_same_and_only_the_mentioned_one_is_notified(visitors: Visitors):
    ada = await visitors.enter("Ada")
    lin = await visitors.enter("Lin")
    await expect(ada.locator(".facepile-one")).to_have_count(3)
    mei = await visitors.enter("Mei")
    await expect(ada.locator(".facepile-one")).to_have_count(4)

    await lin.locator("#composer").press_sequentially("@A")
    await expect(lin.get_by_role("option", name="Ada")).to_be_visible()
    await expect(ada.locator("[data-typing=Lin]")).to_have_text("Lin is typing…")
    await lin.locator("#composer").press("Enter")
    await lin.locator("#composer").press_sequentially("are you there?")
    await lin.locator("#composer").press("Enter")
    await say(mei, "@Bubbles remind Ada in 2 seconds to answer")
    await expect(ada.locator("[data-fired]")).to_be_visible(timeout=10_000)
    await expect(mei.locator("[data-fired]")).to_be_visible()
    await expect(lin.locator("[data-fired]")).to_be_visible()

    assert await message_ids(ada) == await message_ids(lin) == await message_ids(mei)
    await expect(ada.locator("[data-kind=person] .mention[data-me]")).to_have_count(1)
    await expect(lin.locator("[data-message] .mention[data-me]")).to_have_count(0)
    await expect(ada.locator("[data-toast]")).to_have_count(1)
    await expect(lin.locator("[data-toast]")).to_have_count(0)
    await expect(ada.locator(".typing-row")).to_have_text("", timeout=8000)
    await mei.close()
    await expect(ada.locator(".facepile-one")).to_have_count(3)


async def test_all_replies_of_a_message_are_listed_below_it(visitors: Visitors):
    ada = await visitors.enter("Ada")
    lin = await visitors.enter("Lin")
    await say(ada, "shall we meet on Thursday?")
    question = lin.locator("[data-message]", has=lin.locator(".plain", has_text="Thursday")).first
    for text in ("yes, at two", "or on Friday"):
        await question.focus()
        await lin.keyboard.press("r")
        await say(lin, text)
    replies = ada.get_by_role("button", name="2 replies")

    await replies.click()
    await expect(replies).to_have_attribute("aria-expanded", "true")
    await expect(ada.locator(".reply-list li")).to_have_text(
        [re.compile("Lin.*yes, at two"), re.compile("Lin.*or on Friday")]
    )
    await replies.click()
    await expect(ada.locator(".reply-list")).to_have_count(0)


async def test_message_is_answered_reacted_to_edited_and_deleted(visitors: Visitors):
    ada = await visitors.enter("Ada")
    lin = await visitors.enter("Lin")
    await say(ada, "shall we meet on Thursday?")
    question = lin.locator("[data-message]", has=lin.locator(".plain", has_text="Thursday"))

    await question.focus()
    await lin.keyboard.press("e")
    await lin.get_by_label("React with 👍").click()
    await question.focus()
    await lin.keyboard.press("r")
    await say(lin, "yes, at two")
    await expect(ada.locator(".reaction")).to_have_attribute("aria-label", "👍 1: Lin")
    await expect(ada.locator(".quote")).to_contain_text("shall we meet on Thursday?")
    await ada.locator("#composer").press("ArrowUp")
    await expect(ada.locator("#composer")).to_have_value("shall we meet on Thursday?")
    await ada.locator("#composer").fill("shall we meet on Friday?")
    await ada.locator("#composer").press("Enter")

    await expect(messages_with(lin, "Friday")).to_have_count(1)
    changed = lin.locator("[data-message]", has=lin.locator(".plain", has_text="Friday"))
    await expect(changed).to_contain_text("edited")
    await expect(messages_with(lin, "Thursday")).to_have_count(0)
    await ada.locator("[data-mine]").hover()
    await ada.locator("[data-mine]").get_by_label("More actions").click()
    await ada.get_by_role("menuitem", name="Delete").click()
    await expect(messages_with(lin, "Friday")).to_have_count(0)


@pytest_asyncio.fixture(loop_scope="session")
async def slow_model_visitors(window_pool: WindowPool, tmp_path: Path) -> AsyncIterator[Visitors]:
    """Yield visitors of a bot whose model streams slowly."""
    async with SlowModel(WORDS, pause_seconds=0.25) as model:
        settings = {
            "BUBBLES_MODEL__BASE_URL": model.base_url,
            "BUBBLES_MODEL__STREAM": "true",
            "BUBBLES_MODEL__FUNCTION_CALLING": "native",
        }
        with BotProcess(tmp_path, **settings) as bot:
            async with open_visitors(window_pool, bot.address) as people:
                yield people


async def test_streamed_answer_continues_without_its_tab_and_can_be_stopped(slow_model_visitors: Visitors):
    ada = await slow_model_visitors.enter("Ada")
    lin = await slow_model_visitors.enter("Lin")
    await say(ada, "@Bubbles tell me a story")
    await expect(lin.locator("[data-streaming=dots], [data-streaming=text]")).to_be_visible()
    seen: set[str] = set()
    while len(seen) < 3:
        texts = await lin.locator("[data-streaming=text] .markdown").all_inner_texts()
        seen.update(text for text in texts if text)
        await lin.wait_for_timeout(60)
    await ada.close()

    whole = lin.locator("[data-kind=bot] .bubble", has_text="long stories to its room.")
    await expect(whole).to_be_visible(timeout=10_000)
    await expect(lin.locator("[data-streaming]")).to_have_count(0)
    assert all(STORY.startswith(_plain(text)) for text in seen)
    await say(lin, "@Bubbles another story")
    await lin.locator("[data-streaming=text]").wait_for()
    await lin.get_by_role("button", name="Stop").click()
    await expect(lin.locator("[data-kind=bot]").last).to_contain_text("stopped")
    await expect(lin.locator("[data-streaming]")).to_have_count(0)


def _plain(text: str) -> str:
    return re.sub(r"[*▍]", "", text).strip()


async def test_long_room_is_loaded_in_pages_with_a_limited_number_of_rows(visitors: Visitors):
    page = await (await visitors.open_window()).new_page()
    older = [make_message(number) for number in range(PAGE)]
    await page.route("**/log?**", lambda route: route.fulfill(json={"messages": older, "before": None}))
    await page.route_web_socket("**/api/chat/ws**", lambda socket: socket.send(make_hello(range(PAGE, PAGE + LONG))))
    await visitors.go(page, "/", "Ada")
    await expect(messages_with(page, f"number {PAGE + LONG - 1}")).to_be_in_viewport()

    earlier = page.get_by_role("button", name="Load earlier messages")
    await earlier.click()
    await expect(page.locator("[data-message]").first).to_contain_text(f"number {PAGE}")
    loading = page.locator("button[data-loading]")
    await expect(loading).to_have_count(0)
    while await earlier.count():
        await earlier.click()
        await expect(loading).to_have_count(0)

    await expect(page.locator("[data-message]").first).to_contain_text("number 0")
    assert await page.locator("[data-message]").count() <= ROWS
    await page.get_by_role("button", name="Jump to latest").click()
    await expect(messages_with(page, f"number {PAGE + LONG - 1}")).to_be_in_viewport()


async def leave_a_long_room_after_scrolling_back(visitors: Visitors, routes: list[Route]) -> Page:
    """Ask for earlier messages of a long room, then enter one with two messages; return its page."""
    page = await (await visitors.open_window()).new_page()
    short, long = visitors.room, f"long_{visitors.room[:40]}"
    await page.route("**/log?**", lambda route: routes.append(route))
    await page.route_web_socket(
        "**/api/chat/ws**",
        lambda socket: socket.send(make_hello(range(PAGE, PAGE + LONG) if long in socket.url else range(1000, 1002))),
    )
    await visitors.go(page, "/", "Ada")
    visitors.room = long
    await visitors.go(page, "/", "Ada")
    visitors.room = short
    earlier = page.get_by_role("button", name="Load earlier messages")
    await earlier.click()
    await expect(page.locator("[data-message]").first).to_contain_text(f"number {PAGE}")
    async with page.expect_request("**/log?**"):
        await earlier.click()
    await page.locator(f".rooms [data-room='{short}']").click()
    await expect(page.locator("h1")).to_have_text(f"# {short}")
    return page


async def test_short_room_entered_from_earlier_messages_of_a_long_one_is_shown(visitors: Visitors):
    page = await leave_a_long_room_after_scrolling_back(visitors, [])

    await expect(messages_with(page, "number 1001")).to_be_in_viewport()


async def test_earlier_messages_that_arrive_in_another_room_stay_out_of_it(visitors: Visitors):
    routes: list[Route] = []
    page = await leave_a_long_room_after_scrolling_back(visitors, routes)

    async with page.expect_response("**/log?**"):
        await routes[0].fulfill(json={"messages": [make_message(1)], "before": None})

    await page.wait_for_timeout(300)
    await expect(page.locator("[data-message]")).to_have_count(2)


def make_message(number: int) -> dict[str, object]:
    author = {"id": "lin", "name": "Lin", "kind": "person"}
    return {"id": f"m{number}", "author": author, "text": f"number {number}", "ts": "2026-11-21T11:00:00Z"}


def make_hello(numbers: range) -> str:
    ada = {"id": "ada", "name": "Ada", "kind": "person"}
    data = {"epoch": "e", "seq": 1, "server_time": "2026-11-21T11:00:00Z", "me": ada, "members": [ada]}
    data |= {"messages": [make_message(number) for number in numbers], "reminders": [], "bot": {"name": "Bubbles"}}
    return json.dumps({"v": 1, "type": "hello", "session_id": "lobby", "seq": 1, "ts": "", "data": data})


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_examples_are_answered_in_an_empty_room_with_another_person(visitors: Visitors, language: Language):
    lin = await visitors.enter("Lin")
    ada = await visitors.enter("Ada", window=await visitors.open_window(language))
    room = visitors.room

    for number in range(4):  # three examples of the log, and one of the side panel
        visitors.room = f"{room}_{number}"
        await visitors.go(lin, "/", "Lin")
        await visitors.go(ada, "/", "Ada")
        await expect(ada.locator(".facepile-one")).to_have_count(3)
        await ada.locator(".welcome .example, .panel .example").nth(number).click()
        await expect(ada.locator("[data-kind=bot]")).to_have_count(1)
