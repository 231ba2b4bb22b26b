"""The page in light and dark mode, in every language, at double size and on a phone."""

import asyncio
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page, Request, Route, ViewportSize, expect

from tests.browser.visitors import Language, Visitors, say

SHOTS = Path(__file__).parent / "shots"
SCREENS = ("room", "reminders", "tools", "activity", "health", "metrics")
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
FIND_VIOLATIONS = """([only, rules]) => axe.run({
    resultTypes: ['violations'], preload: false, iframes: false, rules, ...(only && {runOnly: only}),
}).then((found) => found.violations)"""
# Rules that axe does not check by default: the accessible name has to contain the visible label, for speech input.
ALSO = {"label-content-name-mismatch": {"enabled": True}}
# Colours change within the next frames; endless animations are not awaited.
TRANSITIONS_ENDED = """async () => {
    const isMoving = (each) => each.playState === 'running' && each.effect.getTiming().iterations !== Infinity
    for (let moving = [0]; moving.length > 0; await Promise.allSettled(moving.map((each) => each.finished))) {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
        moving = document.getAnimations().filter(isMoving)
    }
}"""
Scheme = Literal["light", "dark"]
NOW = datetime(2026, 11, 21, 11, 16, tzinfo=UTC)
PHONE: ViewportSize = {"width": 390, "height": 844}
DOUBLE: ViewportSize = {"width": 640, "height": 400}
"""The size of a window of 1280 × 800 at 200 %."""
NAME = "Maximiliane-Wolfeschlegelsteinhausenberg"
WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
# Texts that end outside of the window, except in elements that scroll or end in an ellipsis.
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


async def find_violations(page: Page, rules: list[str] | None = None) -> list[str]:
    """Return what axe finds wrong by `rules`, or by all of its rules, with the place."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    found = await page.evaluate(FIND_VIOLATIONS, [rules, {} if rules else ALSO])
    return [f"{page.url}: {each['id']} {[_describe(node) for node in each['nodes'][:3]]}" for each in found]


def _describe(node: Mapping[str, Any]) -> str:
    return f"{node['target']}: {node.get('failureSummary', '')}"


async def find_violations_in_both_schemes(page: Page) -> list[str]:
    """Return what axe finds wrong in the present scheme, and by the colour rules in the other."""
    now = await page.locator("html").get_attribute("data-mantine-color-scheme")
    await page.evaluate(TRANSITIONS_ENDED)
    found = await find_violations(page)
    other: Scheme = "light" if now == "dark" else "dark"
    await set_scheme(page, other)
    return found + [f"{other}: {each}" for each in await find_violations(page, COLOUR_RULES)]


async def set_scheme(page: Page, scheme: Scheme) -> None:
    """Set the colour scheme of the system to `scheme`, and wait until the page has changed."""
    await page.emulate_media(color_scheme=scheme)
    await expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme)
    await page.evaluate(TRANSITIONS_ENDED)


async def open_screen(page: Page, screen: str) -> None:
    """Open a screen by its link, and wait until it is loaded."""
    link = page.locator(".rail-link").nth(SCREENS.index(screen))
    if not await link.is_visible():  # a phone has most pages behind "More"
        await page.locator(".rail-more").click()
    await link.click()
    await page.locator("main .page-column > *, main .log").first.wait_for()
    if screen == "tools":
        await page.locator(".tool-list li a").first.click()
        await page.locator(".try-it").wait_for()
    await expect(page.locator("main .skeleton-rows, main .mantine-Skeleton-root")).to_have_count(0)


REMIND: dict[Language, str] = {
    "en": "remind me in 10 minutes to stretch",
    "zh": "10分钟后提醒我伸展",
    "es": "recuérdame en 10 minutos estirar",
}
TAGS: dict[Language, str] = {"zh": "zh-Hans", "es": "es", "en": "en"}


async def test_phone_never_scrolls_sideways_and_has_the_panel_in_a_dialog(visitors: Visitors):
    page = await (await visitors.open_window("zh")).new_page()
    await page.set_viewport_size(PHONE)
    await visitors.go(page, "/", "Ada")
    await say(page, "10分钟后提醒我" + "伸展" * 40)
    await expect(page.locator("[data-card=reminder][data-status=active]")).to_be_visible()

    for screen in reversed(SCREENS):
        await open_screen(page, screen)
        width = await page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], f"{screen} is {width} wide"
    await expect(page.locator("h1")).to_have_text(visitors.room)  # the button of the room list shows the sign
    await page.get_by_label("显示侧栏").click()
    await expect(page.get_by_role("dialog", name="房间详情")).to_be_visible()
    await expect(page.get_by_role("dialog").locator("[data-reminder]")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.set_viewport_size(PHONE | {"height": 480})  # the keyboard of the phone is open
    box = await page.locator("#composer").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 480


MORE: dict[Language, tuple[str, str]] = {"en": ("More", "Health"), "zh": ("更多", "运行状态"), "es": ("Más", "Estado")}


@pytest.mark.parametrize("language", sorted(MORE))
async def test_phone_has_three_pages_in_its_bar_and_the_others_in_a_menu(visitors: Visitors, language: Language):
    page = await visitors.enter("Ada", window=await visitors.open_window(language))
    more = page.get_by_role("button", name=MORE[language][0], exact=True)
    links = page.locator(".rail-link").filter(visible=True)
    await expect(links).to_have_count(7)
    await expect(more).to_be_hidden()

    await page.set_viewport_size(PHONE)
    await expect(links).to_have_count(3)
    await more.click()
    await expect(links).to_have_count(7)
    found = await find_violations_in_both_schemes(page)
    await page.keyboard.press("Escape")
    await expect(links).to_have_count(3)
    await more.click()
    await page.locator(".log").click(position={"x": 5, "y": 5})
    await expect(links).to_have_count(3)
    await more.press("Enter")
    await page.get_by_role("link", name=MORE[language][1], exact=True).click()

    await expect(page).to_have_url(re.compile("/health"))
    await expect(links).to_have_count(3)
    await expect(page.locator(".rail-more[data-current]")).to_be_visible()
    assert found == []


async def test_notice_on_a_phone_covers_neither_composer_nor_pages(visitors: Visitors):
    page = await visitors.enter("Ada")
    await page.set_viewport_size(PHONE)
    composer = await page.locator(".composer").bounding_box()
    await visitors.go(page, "/reminders", "Ada")
    await page.locator(".new-reminder input").fill("tomorrow at 9 water the plants")
    await page.locator(".new-reminder input").press("Enter")
    notice = page.locator(".mantine-Notification-root")
    await notice.wait_for()
    box = await notice.bounding_box()

    assert box is not None
    assert composer is not None
    assert box["y"] >= 50
    assert box["y"] + box["height"] <= composer["y"]


PANEL: dict[Language, str] = {"en": "Show side panel", "zh": "显示侧栏", "es": "Mostrar panel lateral"}


@pytest.mark.parametrize("language", sorted(PANEL))
async def test_parts_of_the_panel_fit_a_phone(visitors: Visitors, language: Language):
    window = await visitors.open_window(language)
    tabs = [await visitors.enter("Ada", window=window) for _ in range(4)]
    await say(tabs[0], REMIND[language])

    for place, page in enumerate(tabs):
        await page.set_viewport_size(PHONE)
        await expect(page.locator("[data-card=reminder][data-status=active]")).to_be_visible()
        await page.get_by_label(PANEL[language]).click()
        parts = page.get_by_role("dialog").locator(".panel-tabs > label")
        await expect(parts).to_have_count(4)
        await parts.nth(place).click()
        assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert await parts.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length") == 0


async def test_long_words_at_double_size_are_not_cut_off(visitors: Visitors):
    page = await (await visitors.open_window()).new_page()
    await page.set_viewport_size(DOUBLE)
    await visitors.go(page, "/", NAME)
    await say(page, f"{WORD} 👩🏽‍🚀 @{NAME}")
    await say(page, f"remind me in 10 minutes to {WORD}")
    await say(page, f"10分钟后提醒我{WORD}")
    await expect(page.locator("[data-card=reminder][data-status=active]")).to_have_count(2)
    await expect(page.locator("[data-mine]")).to_have_count(3)

    for screen in reversed(SCREENS):
        await open_screen(page, screen)
        for language, lang in TAGS.items():
            await page.locator(".language select").select_option(language)
            await expect(page.locator("html")).to_have_attribute("lang", lang)
            width = await page.evaluate("document.documentElement.scrollWidth")
            assert width <= DOUBLE["width"], f"{screen} is {width} wide ({lang})"
            cut = await page.evaluate(CUT_OFF)
            assert cut == [], f"{screen} ({lang})"
    box = await page.locator("#composer").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= DOUBLE["height"]


def time_after(minutes: float) -> str:
    return (NOW + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def person(name: str) -> dict[str, str]:
    return {"id": name.lower(), "name": name, "kind": "person"}


def message(number: int, author: Mapping[str, str], text: str, minutes: float, **more: object) -> dict[str, object]:
    return {"id": f"m{number}", "author": author, "text": text, "ts": time_after(minutes), **more}


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
            call(
                *("reminder_set", "ok", {"type": "once", "content": "stretch"}),
                result={"id": "f1c3a2"},
                text="✓ Set `f1c3a2` for today at 11:15:52, in 10 seconds: stretch",
                changes=[{"action": "set", "subject": "f1c3a2"}],
                duration_ms=12,
            )
        ],
    ),
    message(
        *(7, BOT, "⏰ @Ada stretch", -0.1),
        reminder={"id": "f1c3a2", "text": "stretch", "due_at": time_after(-0.1), "late_ms": 34},
        choices=[{"label": label, "says": label} for label in ("+5 min", "+15 min", "+60 min", "Done")],
    ),
]
FAILED = message(
    *(8, BOT, "That could not be found: the search engine is not reached.", 0),
    tool_calls=[call("perplexity_search", "error", {"query": "weather"}, error="not reached", duration_ms=5012)],
)
REMINDERS = [
    {"id": f"r{minutes}", "text": text, "due_at": time_after(minutes), "tz": "UTC", "repeat": "", "created_by": "ada"}
    | {"mentions": [who], "status": "active", "late_ms": None}
    for minutes, text, who in ((21, "take the bread out", "lin"), (41, "water the plants", "mei"))
]


def hello(messages: list[dict[str, object]], epoch: str = "e") -> str:
    members = [person("Ada"), person("Lin"), person("Mei"), BOT]
    data = {"epoch": epoch, "seq": 1, "server_time": time_after(0), "me": person("Ada"), "members": members}
    data |= {"messages": messages, "reminders": REMINDERS if messages else []}
    data |= {"bot": {"name": "Bubbles", "model": None}, "limits": {"message_length": 4000}, "is_replay": False}
    return json.dumps({"v": 1, "type": "hello", "session_id": "lobby", "seq": 1, "ts": time_after(0), "data": data})


def frame(kind: str, **data: object) -> str:
    return json.dumps({"v": 1, "type": kind, "session_id": "lobby", "seq": 2, "ts": time_after(0), "data": data})


RUNNING = call("summary", "running", {"window": "today"}, started_at=time_after(-0.02))


# The page is shown when its form or its panel is there; it loads further scripts later.
NOTE_FIRST_SCREEN = """new MutationObserver((_, observer) => {
    if (!document.querySelector('.panel-tabs, main form')) return
    window.shownAt = performance.now()
    observer.disconnect()
}).observe(document, {childList: true, subtree: true})"""
KILOBYTES_UNTIL_SHOWN = """() => performance.getEntriesByType('resource')
    .filter((one) => one.name.endsWith('.js') && one.responseEnd <= window.shownAt)
    .reduce((sum, one) => sum + one.decodedBodySize, 0) / 1000"""


@pytest.mark.parametrize("query", ["", "?as=Ada"])
async def test_first_load_has_at_most_450_kilobytes_of_javascript(visitors: Visitors, query: str):
    page = await (await visitors.open_window(is_single_use=True)).new_page()
    await page.add_init_script(NOTE_FIRST_SCREEN)
    await page.goto(f"{visitors.address}/{query}")
    await page.locator(".panel-tabs, main form").first.wait_for()
    await page.wait_for_load_state("networkidle")
    await page.wait_for_function("window.shownAt")

    assert 100 < await page.evaluate(KILOBYTES_UNTIL_SHOWN) <= 450


@pytest.mark.parametrize(("query", "part"), [("", "Join"), ("?as=Ada", "room")])
async def test_first_screen_is_requested_in_parallel_with_the_first_script(visitors: Visitors, query: str, part: str):
    page = await (await visitors.open_window()).new_page()
    requests: list[str] = []
    held: list[str] = []
    has_asked = asyncio.Event()

    def note(request: Request) -> None:
        if request.url.endswith(".js"):
            requests.append(request.url.rpartition("/")[2].partition("-")[0])
        if {part, "en"} <= set(requests):
            has_asked.set()

    async def serve(route: Route) -> None:
        held.append(route.request.url)
        await has_asked.wait()
        await route.continue_()

    page.on("request", note)
    await page.route("**/assets/index-*.js", serve)
    await page.goto(f"{visitors.address}/{query}")

    await page.locator("#composer, main form").first.wait_for()
    assert len(held) == requests.count(part) == 1


FIND_LOADERS = """new MutationObserver(() => {
    if (document.querySelector('.mantine-Loader-root')) window.hasLoaded = true
}).observe(document, {childList: true, subtree: true})"""


async def test_room_is_shown_without_a_loading_indicator(visitors: Visitors):
    page = await (await visitors.open_window()).new_page()
    await page.add_init_script(FIND_LOADERS)
    await visitors.go(page, "/", "Ada")

    assert await page.evaluate("window.hasLoaded") is None
