"""Cards of reminders, questions, summaries and searches in the room."""

import json

from playwright.async_api import Locator, Page, expect

from tests.browser.test_appearance import (
    BOT,
    call,
    message,
    person,
    time_after,
)
from tests.browser.test_messages import bot_message, open_room
from tests.browser.visitors import Visitors, say


def card_of(page: Page, text: str, kind: str = "reminder") -> Locator:
    return page.locator(f"[data-card={kind}]", has_text=text)


async def set_reminder(page: Page, what: str, when: str = "in 10 minutes") -> Locator:
    await say(page, f"remind me {when} to {what}")
    card = card_of(page, what)
    await expect(card.locator("[data-countdown]")).to_be_visible()
    return card


async def test_reminder_is_confirmed_once_and_its_calls_are_shown_on_demand(visitors: Visitors):
    page = await visitors.enter("Ada")
    card = await set_reminder(page, "stretch")
    answer = page.locator("[data-message][data-kind=bot]")

    await expect(answer).to_have_count(1)
    await expect(card).to_contain_text("Reminder set")
    await expect(card).to_contain_text("@Ada")
    await expect(answer.locator("[data-tool]")).to_have_count(0)
    assert "[" not in await answer.inner_text()
    assert (await answer.inner_text()).count("stretch") == 1
    await expect(answer.get_by_role("button", name="Undo")).to_have_count(1)
    await answer.get_by_role("button", name="Details").click()
    await expect(answer.locator("[data-tool=reminder_set]")).to_be_visible()


async def test_buttons_of_a_card_change_it_in_place(visitors: Visitors):
    page = await visitors.enter("Ada")
    card = await set_reminder(page, "stretch")

    await card.get_by_role("button", name="Pause").click()
    await expect(card).to_contain_text("Reminder paused")
    await card.get_by_role("button", name="Resume").click()
    await expect(card.locator("[data-countdown]")).to_be_visible()
    await card.get_by_role("button", name="Delete").click()
    await expect(card).to_contain_text("Reminder deleted")
    await card.get_by_role("button", name="Undo").click()
    await expect(card.locator("[data-countdown]")).to_be_visible()
    await card.get_by_role("button", name="Edit").click()
    await page.get_by_role("dialog").get_by_label("What").fill("walk")
    await page.get_by_role("dialog").get_by_role("button", name="Save").click()
    await expect(card_of(page, "walk")).to_be_visible()

    await expect(page.locator("[data-message]")).to_have_count(2)


async def test_undo_reverts_only_the_change_of_its_card(visitors: Visitors):
    page = await visitors.enter("Ada")
    first = await set_reminder(page, "stretch")
    second = await set_reminder(page, "drink", "in 20 minutes")

    await first.get_by_role("button", name="Undo").click()

    await expect(first).to_contain_text("Reminder deleted")
    await expect(second).to_contain_text("Reminder set")
    await expect(second.locator("[data-countdown]")).to_be_visible()
    await expect(page.locator(".panel [data-reminder]")).to_have_count(1)
    await expect(page.locator("[data-message]")).to_have_count(4)
    await page.reload()
    await expect(card_of(page, "stretch")).to_contain_text("Reminder deleted")


async def test_card_of_an_undo_has_its_own_title(visitors: Visitors):
    page = await visitors.enter("Ada")
    await set_reminder(page, "stretch")
    await say(page, "move it to tomorrow at 9pm")
    await expect(page.locator("[data-card=reminder]").nth(1)).to_contain_text("Reminder changed")

    await say(page, "undo")

    await expect(page.locator("[data-card=reminder]").nth(2)).to_contain_text("Change undone")


async def test_calls_of_an_undo_are_shown_as_one(visitors: Visitors):
    page = await visitors.enter("Ada")
    await set_reminder(page, "stretch")
    await say(page, "undo")
    row = page.locator("[data-message]", has=page.locator("[data-card=reminder]")).nth(1)
    await expect(row).to_contain_text("Reminder deleted")

    for _ in range(2):
        await row.locator(".how-line").click()
        await expect(row.locator("[data-tool]")).to_have_count(1)
        await expect(row.locator("[data-tool]")).to_have_attribute("data-tool", "undo")
        await page.reload()
    await page.locator(".panel").get_by_text("Activity", exact=True).click()
    await expect(page.locator(".recent-calls .mono:not(.figures)")).to_have_text(["undo", "reminder_set"])
    await visitors.go(page, "/activity", "Ada")
    await expect(page.locator(".activity-row").first).to_have_attribute("data-tool", "undo")
    await expect(page.locator(".activity-row").nth(1)).to_have_attribute("data-tool", "reminder_set")
    await page.locator(".activity-row").first.click()
    await expect(page.locator("[data-turn] .call-parts [data-tool]")).to_have_count(1)


async def test_pressed_button_of_a_fired_reminder_is_shown_in_its_card(visitors: Visitors):
    page = await visitors.enter("Ada")
    await say(page, "remind me in 1 second to drink")
    fired = page.locator("[data-card=fired]")
    await fired.get_by_role("button", name="10 min").click()

    await expect(fired.locator("[data-press='10 min']")).to_contain_text("Ada")
    await expect(fired).to_contain_text("Next:")
    await expect(fired.locator("[data-countdown]")).to_be_visible()
    await expect(page.locator("[data-message]")).to_have_count(3)


async def test_delivered_reminder_has_no_undo_button(visitors: Visitors):
    page = await visitors.enter("Ada")
    await say(page, "Bubbles, remind me in 2 seconds to stretch")
    card = page.locator("[data-card=reminder]")
    await expect(card.get_by_role("button", name="Undo")).to_be_visible()

    await page.locator("[data-fired]").wait_for()

    await expect(card).to_have_attribute("data-status", "done")
    await expect(card.get_by_role("button")).to_have_count(0)


async def test_question_is_a_card_with_buttons_instead_of_a_list(visitors: Visitors):
    page = await visitors.enter("Ada")
    await say(page, "remind me tomorrow at 6 to call Lin")
    question = page.locator("[data-card=question]")
    await expect(question.locator(".markdown")).to_have_text("Which time do you mean for “call Lin”?")

    await question.get_by_role("button", name="06:00").click()

    await expect(question.locator("[data-press]")).to_contain_text("Ada tomorrow at 06:00")
    await expect(card_of(page, "call Lin")).to_contain_text("06:00")
    await expect(page.locator("[data-mine]")).to_have_count(1)


async def test_one_of_several_matching_reminders_is_chosen_with_a_button(visitors: Visitors):
    page = await visitors.enter("Ada")
    await set_reminder(page, "call Ann", "at 10 in the morning tomorrow")
    await set_reminder(page, "call Ben", "at 11 in the morning tomorrow")
    await say(page, "pause the call reminder")
    question = page.locator("[data-card=question]")
    assert "[" not in await question.inner_text()

    await question.get_by_role("button", name="call Ben").click()

    await expect(page.locator("[data-card=reminder]").last).to_contain_text("Reminder paused")
    await expect(page.locator("[data-card=reminder]").last).to_contain_text("call Ben")


async def test_points_of_a_summary_link_to_their_messages(visitors: Visitors):
    ada = await visitors.enter("Ada")
    lin = await visitors.enter("Lin")
    for text in ("the release is on Thursday at 14:00", "I bring the migration checklist", "we decided: no changelog"):
        await say(lin, text)
        await expect(ada.locator("[data-message] .plain", has_text=text)).to_be_visible()
    await say(ada, "@Bubbles summarise today")
    summary = ada.locator("[data-card=summary]")
    await expect(summary.locator("> .markdown, > ul").last).to_contain_text("no changelog")  # below "Decisions:"

    await summary.get_by_role("button", name="no changelog").first.click()

    question = ada.locator("[data-message]", has=ada.locator(".plain", has_text="no changelog"))
    await expect(question).to_be_focused()
    await expect(question).to_have_attribute("data-flash", "")
    assert "http" not in await summary.inner_text()


async def test_summary_of_missed_messages_is_offered_on_return(visitors: Visitors):
    window = await visitors.open_window()
    ada = await visitors.enter("Ada", window=window)
    await say(ada, "see you later")
    await expect(ada.locator("[data-message][data-mine]")).to_have_count(1)  # stored, so that it counts as read
    await ada.goto(f"{visitors.address}/health/live")
    lin = await visitors.enter("Lin")
    await visitors.enter("Mei")
    for number in range(6):
        await say(lin, f"we decided point {number} of the release plan")
    await expect(lin.locator("[data-message][data-mine]")).to_have_count(6)

    await visitors.go(ada, "/", "Ada")
    await expect(ada.locator(".missed")).to_contain_text("new messages")
    count_before = await lin.locator("[data-message]").count()
    await ada.get_by_role("button", name="What did I miss?").click()

    await ada.locator("[data-card=summary] .card-link").first.click()
    await expect(ada.locator("[data-message][data-flash]")).to_contain_text("we decided point")
    await expect(lin.locator("[data-message]")).to_have_count(count_before)


SOURCES = [
    {"title": "Sunset in Oslo", "url": "https://www.example.org/oslo", "snippet": "At 22:43 in June."},
    {"title": "Almanac", "url": "https://almanac.example.net/", "snippet": ""},
]
SEARCH = {"answer": "At **22:43** [1].", "sources": SOURCES, "engine": "test"}
TEXT = "At **22:43** [1].\n[1] Sunset in Oslo https://www.example.org/oslo\n[2] Almanac https://almanac.example.net/"


def search_message(number: int) -> dict[str, object]:
    done = call("perplexity_search", "ok", {"query": "sunset"}, result=json.dumps(SEARCH), text=TEXT, duration_ms=9)
    return bot_message(number, TEXT, tool_calls=[done])


async def test_search_answer_lists_its_sources_once(visitors: Visitors):
    page = await open_room(visitors, [search_message(1)])
    card = page.locator("[data-card=search]")

    await expect(card.locator("strong")).to_have_text("22:43")
    await expect(card.locator(".card-sources li")).to_have_count(2)
    await expect(card.locator(".card-sources li").first).to_have_text("Sunset in Oslo example.org")
    await expect(page.locator("[data-message] a")).to_have_count(2)


async def test_link_to_a_known_page_has_a_preview(visitors: Visitors):
    texts = ("see https://example.org/oslo/ there", "see https://example.org/other")
    people = [message(number, person("Lin"), text, -1) for number, text in enumerate(texts, start=2)]
    page = await open_room(visitors, [search_message(1), *people])

    preview = page.locator("[data-message=m2] .link-preview")
    await expect(preview).to_contain_text("Sunset in Oslo")
    await expect(preview).to_contain_text("At 22:43 in June.")
    await expect(page.locator(".link-preview")).to_have_count(1)


FOUND = [{"id": "m1", "when": "2026-11-21 11:00", "who": "Lin", "text": "the wifi password"}]
REMINDER = {"id": "abc123", "text": "stretch", "due_at": time_after(10), "tz": "UTC", "repeat": "", "created_by": "ada"}
REMINDER |= {"created_by_name": "Ada", "mentions": ["ada"], "status": "active"}


def card_messages() -> list[dict[str, object]]:
    """Return a message with each kind of card."""
    changes = [{"action": "set", "subject": "abc123"}]
    undo = {"label": "↩ Undo", "says": "/undo 1", "only_for": ["ada"], "state": "live", "change_id": "1"}
    choice = {"label": "08:00", "says": "1", "only_for": ["ada"], "state": "live", "expires_at": time_after(1_000_000)}
    done = call("reminder_set", "ok", {"content": "stretch"}, result='{"id": "abc123"}', text="set", changes=changes)
    list_call = call(
        "reminder_list", "ok", {}, result='{"reminders": [{"id": "abc123", "content": "stretch"}]}', text="1."
    )
    point = {"text": "the wifi password", "message_ids": ["m1"]}
    summary = call("summary", "ok", {}, result=json.dumps({"bullets": [point]}), text="Summary of one message:\n• it")
    found = call("history_search", "ok", {"query": "wifi"}, result=json.dumps({"messages": FOUND}), text="one")
    fired = {"id": "abc123", "text": "stretch", "due_at": time_after(-1), "late_ms": 4}
    return [
        message(1, person("Lin"), "the wifi password\n```python\nprint('x')  # why\n```", -20),
        bot_message(2, "set", tool_calls=[done], choices=[undo]),
        bot_message(3, "Which time? Answer with its number:\n1. 08:00", choices=[choice]),
        bot_message(4, "1.", tool_calls=[list_call]),
        bot_message(5, "Summary of one message:\n• it", tool_calls=[summary]),
        bot_message(6, "one", tool_calls=[found]),
        bot_message(
            7, "⏰ @Ada stretch", reminder=fired, mentions=["ada"], choices=[{"label": "Done", "says": "done"}]
        ),
        message(8, person("Ada"), "done", -1, reply_to="m7"),
        message(9, BOT, "Done: stretch", -1, reply_to="m8"),
        search_message(10),
        message(11, person("Lin"), "https://example.org/oslo", 0, reply_to="m1"),
        message(12, person("Ada"), '/reminder_set time="9:00" content="tea"', 0),
    ]
