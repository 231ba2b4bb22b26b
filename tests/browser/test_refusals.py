"""Refused messages, with their reason and a retry if it can help."""

import json
from collections.abc import Callable

from playwright.async_api import Page, WebSocketRoute, expect

from tests.browser.visitors import Visitors, messages_with, say


async def refuse_first(page: Page, **error: object) -> None:
    """Answer the first message of `page` with an error, and forward later ones to the bot."""
    urls: list[str] = []

    def connect(route: WebSocketRoute) -> None:
        route.on_message(forward(route, route.connect_to_server().send))

    def forward(route: WebSocketRoute, send: Callable[[str | bytes], None]) -> Callable[[str | bytes], None]:
        def receive(text: str | bytes) -> None:
            frame = json.loads(text)
            if frame["type"] != "send" or urls:
                send(text)
                return
            urls.append(frame["data"]["client_id"])
            data = {**error, "client_id": urls[0]}
            route.send(json.dumps({"v": 1, "type": "error", "session_id": "", "seq": 0, "ts": "", "data": data}))

        return receive

    await page.route_web_socket("**/api/chat/ws?**", connect)


async def test_permanently_refused_message_cannot_be_sent_again(visitors: Visitors):
    page = await (await visitors.open_window(is_single_use=True)).new_page()
    await refuse_first(page, code="message_too_long", detail="It is too long.", retryable=False)
    await visitors.go(page, "/", "Ada")

    await say(page, "a very long story")

    failed = page.locator("[data-failed]")
    await expect(failed.get_by_role("alert")).to_contain_text("It is too long.")
    await page.reload()
    await expect(failed.get_by_role("alert")).to_contain_text("It is too long.")
    await expect(failed.get_by_role("button", name="Retry")).to_have_count(0)
    await failed.get_by_role("button", name="Delete").click()
    await expect(failed).to_have_count(0)


async def test_failed_message_is_kept_after_a_reload(visitors: Visitors):
    page = await (await visitors.open_window(is_single_use=True)).new_page()
    await refuse_first(page, code="too_fast", detail="Wait a moment.", retryable=True, retry_after=1)
    await visitors.go(page, "/", "Ada")
    await say(page, "hello all")
    failed = page.locator("[data-failed]")
    await expect(failed).to_have_count(1)

    await page.reload()

    await expect(failed.get_by_role("alert")).to_contain_text("Wait a moment.")
    await failed.get_by_role("button", name="Retry").click()
    await expect(messages_with(page, "hello all")).to_have_count(1)
    await page.reload()
    await expect(messages_with(page, "hello all")).to_have_count(1)
    await expect(failed).to_have_count(0)


async def test_message_above_the_rate_limit_can_be_sent_again_after_its_time(visitors: Visitors):
    page = await (await visitors.open_window(is_single_use=True)).new_page()
    await refuse_first(page, code="too_fast", detail="Wait a moment.", retryable=True, retry_after=3)
    await visitors.go(page, "/", "Ada")
    await say(page, "hello all")
    retry = page.locator("[data-failed]").get_by_role("button", name="Retry")
    await expect(retry).to_be_disabled()

    await retry.click()

    await expect(messages_with(page, "hello all")).to_have_count(1)
    await expect(page.locator("[data-failed]")).to_have_count(0)


async def test_refused_request_is_not_offered_again(visitors: Visitors):
    page = await visitors.enter("Ada")

    await say(page, "remind me on 2020-01-01 at 09:00 to stretch")

    await expect(page.locator("[data-message]", has_text="already passed")).to_be_visible()
    await expect(page.get_by_role("button", name="Retry")).to_have_count(0)


async def test_unknown_command_is_answered_in_the_language_of_its_sender(visitors: Visitors):
    page = await visitors.enter("Mei")
    other = await visitors.enter("Olga")
    card = page.locator("[data-card=reminder]").last
    await say(other, "Bubbles, recuérdame mañana a las 9 llamar al hotel")
    await expect(card).to_be_visible()
    await say(page, "Bubbles，每天早上8点提醒我喝水")
    await expect(card).to_contain_text("喝水")

    await say(page, "Bubbles, /xyzzy")

    await expect(page.locator("[data-message]").last).to_contain_text("没有 /xyzzy 这个命令。")
