"""How the page looks: readable for everybody in every dress, on a phone too, and kept as pictures."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, WebSocketRoute, expect

from tests.browser.visitors import Visitors, say

SHOTS = Path(__file__).parent / "shots"
SCREENS = ("/", "/reminders", "/tools?tool=reminder_set", "/activity", "/health", "/metrics-live")
TOOLS = 2
NOW = datetime(2026, 11, 21, 11, 16, tzinfo=UTC)
PHONE = (390, 844)
DOUBLE = (640, 400)
"""What a window of 1280 × 800 shows at 200 %."""
NAME = "Maximiliane-Wolfeschlegelsteinhausenberg"
WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
# Texts that end outside of the window, and are not in something that scrolls by itself or ends in an ellipsis.
CUT_OFF = """() => {
    const isScrolled = (one) => {
        for (let at = one; at; at = at.parentElement) {
            const style = getComputedStyle(at)
            if (['auto', 'scroll'].includes(style.overflowX) && at.scrollWidth > at.clientWidth) return true
            if (style.textOverflow === 'ellipsis' || style.position === 'fixed' || style.clip !== 'auto') return true
        }
        return false
    }
    return [...document.querySelectorAll('main *')]
        .filter((one) => [...one.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()))
        .filter((one) => one.checkVisibility({visibilityProperty: true, opacityProperty: true}))
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !isScrolled(one))
        .map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 40)}`)
}"""
BOT = {"id": "bot", "name": "Bubbles", "kind": "bot"}


async def violations(page: Page) -> list[str]:
    """What axe finds wrong, with where it is."""
    found = (await Axe().run(page)).response["violations"]
    return [f"{page.url}: {each['id']} {[node['target'] for node in each['nodes'][:3]]}" for each in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_axe_finds_nothing_on_any_page(
    visitors: Visitors, scheme: Literal["light", "dark"], language: Literal["en", "zh"]
):
    window = await visitors.window(language=language, scheme=scheme, is_still=True)
    page = await window.new_page()
    await page.goto("/")
    await page.locator("main").wait_for()
    found = await violations(page)
    await visitors.go(page, "/", "Ada")
    await say(page, {"en": "remind me in 10 minutes to stretch", "zh": "10分钟后提醒我伸展"}[language])
    await expect(page.locator("[data-tool][data-status=ok]")).to_be_visible()

    found += await violations(page)
    for screen in range(5, 0, -1):
        await page.locator(".rail-link").nth(screen).click()
        await page.locator("main .page-column").wait_for()
        if screen == TOOLS:
            await page.locator(".tool-list a").first.click()
        await expect(page.locator("main .skeleton-rows, main .mantine-Skeleton-root")).to_have_count(0)
        found += await violations(page)
    for view in range(1, 5):
        await page.locator("main .mantine-SegmentedControl-label").nth(view).click()
        await page.locator(".calendar").wait_for()
        found += await violations(page)

    assert found == []
    assert await page.locator("html").get_attribute("lang") == {"en": "en", "zh": "zh-Hans"}[language]


async def test_a_phone_never_scrolls_sideways_and_has_the_panel_in_a_sheet(visitors: Visitors):
    page = await visitors.enter("Ada", window=await visitors.window(size=PHONE, language="zh"))
    await say(page, "10分钟后提醒我" + "伸展" * 40)
    await expect(page.locator("[data-tool][data-status=ok]")).to_be_visible()

    for screen in SCREENS:
        await visitors.go(page, screen, "Ada")
        width = await page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE[0], f"{screen} is {width} wide"
    await visitors.go(page, "/", "Ada")
    await page.get_by_label("显示侧栏").click()
    await expect(page.get_by_role("dialog", name="房间")).to_be_visible()
    await expect(page.get_by_role("dialog").locator("[data-reminder]")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.set_viewport_size({"width": PHONE[0], "height": 480})  # the keyboard of the phone is open
    box = await page.locator("#composer").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 480


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_at_double_size_and_with_words_that_have_no_end_nothing_is_cut_off(
    visitors: Visitors, language: Literal["en", "zh"]
):
    page = await visitors.enter(NAME, window=await visitors.window(size=DOUBLE, language=language))
    await say(page, f"{WORD} 👩🏽‍🚀 @{NAME}")
    await say(page, {"en": f"remind me in 10 minutes to {WORD}", "zh": f"10分钟后提醒我{WORD}"}[language])
    await expect(page.locator("[data-tool][data-status=ok]")).to_be_visible()
    await expect(page.locator("[data-mine]")).to_have_count(2)

    for screen in SCREENS:
        await visitors.go(page, screen, NAME)
        await page.locator("main .page-column > *, main .log").first.wait_for()
        width = await page.evaluate("document.documentElement.scrollWidth")
        assert width <= DOUBLE[0], f"{screen} is {width} wide"
        cut = await page.evaluate(CUT_OFF)
        assert cut == [], screen
    await visitors.go(page, "/", NAME)
    box = await page.locator("#composer").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= DOUBLE[1]


def at(minutes: float) -> str:
    return (NOW + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def person(name: str) -> dict[str, str]:
    return {"id": name.lower(), "name": name, "kind": "person"}


def message(number: int, author: Mapping[str, str], text: str, minutes: float, **more: object) -> dict[str, object]:
    return {"id": f"m{number}", "author": author, "text": text, "ts": at(minutes), **more}


def call(name: str, status: str, arguments: Mapping[str, object], **more: object) -> dict[str, object]:
    return {"id": f"c-{name}", "name": name, "status": status, "arguments": arguments, **more}


SUMMARY = """Here is what happened in the last two hours:

- **Ada** and **Lin** settled on Thursday 14:00 for the release review.
- Lin will bring the migration checklist; Ada books the room.
- Open question: who writes the changelog for `0.4`?

| Owner | Task | Due |
|---|---|---|
| Lin | Checklist | Thu |
| Ada | Room | Wed |"""

MESSAGES = [
    message(1, person("Lin"), "shall we meet on Thursday? @Ada", -14),
    message(2, person("Ada"), "yes, 14:00 is fine", -13, reply_to="m1", reactions={"👍": ["lin", "mei"]}),
    message(3, person("Mei"), "@Bubbles summarise the last two hours", -6),
    message(
        *(4, BOT, SUMMARY, -6),
        tool_calls=[
            call("history_search", "ok", {"limit": 50, "since": "2h"}, result="12 messages", duration_ms=601),
            call("summary", "ok", {"style": "bullets"}, result="…", duration_ms=900),
        ],
    ),
    message(5, person("Ada"), "remind me in 10 seconds to stretch", -0.3),
    message(
        *(6, BOT, "✓ Set `f1c3a2` for today at 11:15:52, in 10 seconds: stretch", -0.3),
        tool_calls=[
            call("reminder_set", "ok", {"type": "once", "content": "stretch"}, result={"id": "f1c3a2"}, duration_ms=12)
        ],
    ),
    message(
        *(7, BOT, "⏰ @Ada stretch", -0.1),
        reminder={"id": "f1c3a2", "text": "stretch", "due_at": at(-0.1), "late_ms": 34},
        choices=[{"label": label, "says": label} for label in ("+5 min", "+15 min", "+60 min", "Done")],
    ),
]
FAILED = message(
    *(8, BOT, "That could not be found: the search engine is not reached.", 0),
    tool_calls=[call("perplexity_search", "error", {"query": "weather"}, error="not reached", duration_ms=5012)],
)
REMINDERS = [
    {"id": f"r{minutes}", "text": text, "due_at": at(minutes), "tz": "UTC", "repeat": "", "created_by": "ada"}
    | {"mentions": [who], "status": "active", "late_ms": None}
    for minutes, text, who in ((21, "take the bread out", "lin"), (41, "water the plants", "mei"))
]


def hello(messages: list[dict[str, object]]) -> str:
    members = [person("Ada"), person("Lin"), person("Mei"), BOT]
    data = {"epoch": "e", "seq": 1, "server_time": at(0), "me": person("Ada"), "members": members}
    data |= {"messages": messages, "reminders": REMINDERS if messages else []}
    data |= {"bot": {"name": "Bubbles", "model": None}, "limits": {"message_length": 4000}, "is_replay": False}
    return json.dumps({"v": 1, "type": "hello", "session_id": "lobby", "seq": 1, "ts": at(0), "data": data})


def frame(kind: str, **data: object) -> str:
    return json.dumps({"v": 1, "type": kind, "session_id": "lobby", "seq": 2, "ts": at(0), "data": data})


RUNNING = call("summary", "running", {"window": "today"}, started_at=at(-0.02))
STATES: dict[str, tuple[str, Literal["en", "zh"], Literal["light", "dark"], tuple[int, int], list[str]]] = {
    "room-light": ("/", "en", "light", (1280, 800), [hello(MESSAGES)]),
    "room-dark-zh": ("/", "zh", "dark", (1280, 800), [hello(MESSAGES)]),
    "room-empty": ("/", "en", "light", (1280, 800), [hello([])]),
    "room-phone-zh": ("/", "zh", "light", PHONE, [hello(MESSAGES)]),
    "room-failed": ("/", "en", "dark", (1280, 800), [hello([*MESSAGES, FAILED])]),
    "room-running": (
        *("/", "en", "light", (1280, 800)),
        [hello(MESSAGES), frame("tool_start", message_id="m9", call=RUNNING)],
    ),
    "reminders-light": ("/reminders", "en", "light", (1280, 800), [hello(MESSAGES)]),
    "tools-dark": ("/tools?tool=reminder_set", "en", "dark", (1280, 800), [hello(MESSAGES)]),
}


@pytest.mark.parametrize("state", STATES)
async def test_the_fixed_states_are_kept_as_pictures(visitors: Visitors, state: str):
    path, language, scheme, size, frames = STATES[state]
    window = await visitors.window(language=language, scheme=scheme, size=size, is_still=True)
    page = await window.new_page()
    visitors.room = "lobby"
    await page.clock.set_fixed_time(NOW)

    def room(socket: WebSocketRoute) -> None:
        for each in frames:
            socket.send(each)

    await page.route_web_socket("**/api/chat/ws**", room)
    await page.route("**/api/reminders?**", lambda route: route.fulfill(json={"reminders": REMINDERS}))
    await visitors.go(page, path, "Ada")
    await page.locator("main .page-column > *, main .log").first.wait_for()
    await expect(page.locator("main .skeleton-rows")).to_have_count(0)
    await page.evaluate("document.fonts.ready")

    SHOTS.mkdir(exist_ok=True)
    picture = await page.screenshot(path=SHOTS / f"{state}.png")

    assert len(picture) > 20_000
