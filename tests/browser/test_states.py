"""States of the page, checked by axe and saved as pictures."""

from dataclasses import dataclass, field

import httpx
import pytest
from playwright.async_api import Page, Route, WebSocketRoute

from tests.browser.test_appearance import (
    COLOUR_RULES,
    CUT_OFF,
    FAILED,
    MESSAGES,
    NOW,
    PHONE,
    REMINDERS,
    RUNNING,
    SHOTS,
    TAGS,
    Scheme,
    find_violations,
    frame,
    hello,
    set_scheme,
)
from tests.browser.test_cards import REMINDER, card_messages
from tests.browser.visitors import LOCALES, Language, Visitors, say

DESK = {"width": 1280, "height": 800}
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
CALENDAR = ("list", "day", "week", "month", "agenda")
AMBIGUOUS: dict[Language, str] = {
    "en": "call Lin tomorrow at 6",
    "zh": "明天6点给林打电话",
    "es": "llamar a Lin mañana a las 6",
}
TWO_REMINDERS = [REMINDER, *REMINDERS]
TEXTS: dict[Language, tuple[str, ...]] = {
    "en": ("every weekday at 9 stand-up", "tomorrow at 17:30 take the bread out", "in 40 minutes water the plants"),
    "zh": ("每个工作日早上9点站会", "明天17:30取面包", "40分钟后浇花"),
    "es": ("cada lunes a las 9:00 reunión", "mañana a las 17:30 sacar el pan", "en 40 minutos regar las plantas"),
}
ROOM_SETTINGS: dict[Language, str] = {"en": "Room settings", "es": "Ajustes de la sala", "zh": "房间设置"}
BLANK = 8_000


async def add_reminders(visitors: Visitors, language: Language) -> None:
    async with httpx.AsyncClient(base_url=visitors.address, headers={"Accept-Language": language}) as client:
        for text in TEXTS[language]:
            query = {"session_id": visitors.room, "name": "Ada"}
            (await client.post("/api/reminders", params=query, json={"text": text})).raise_for_status()


@dataclass(kw_only=True)
class StateCheck:
    """Checks states of one page on a desktop and a phone, in light and dark mode; `found` has the problems."""

    page: Page
    language: Language
    found: list[str] = field(default_factory=list)

    async def run(self, state: str) -> None:
        """Run axe, find texts that are cut off, and save pictures, of which a blank one would be small."""
        await self.page.evaluate("document.fonts.ready")
        for size in (DESK, PHONE):
            await self.page.set_viewport_size(size)
            for scheme in SCHEMES:
                await set_scheme(self.page, scheme)
                found = []
                if scheme == "light":
                    found = await find_violations(self.page) + await self.page.evaluate(CUT_OFF)
                elif size is DESK:
                    found = await find_violations(self.page, COLOUR_RULES)
                self.found += [f"{state} {size['width']} {scheme}: {each}" for each in found]
                path = SHOTS / f"{state}-{self.language}-{scheme}-{size['width']}.png"
                assert len(await self.page.screenshot(path=path)) > BLANK, path
            width = await self.page.evaluate("document.documentElement.scrollWidth")
            assert width <= size["width"], f"{state} is {width} wide"
        await self.page.set_viewport_size(DESK)


class ScriptedRoom:
    """A room with scripted frames, without a bot."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._socket: WebSocketRoute | None = None
        self._is_closed = False

    async def open(self) -> None:
        """Answer the requests of the page for the room and its reminders."""
        await self._page.route_web_socket("**/api/chat/ws**", self._serve)
        await self._page.route("**/api/reminders?**", self._list)

    async def _list(self, route: Route) -> None:
        await route.fulfill(json={"reminders": TWO_REMINDERS})

    async def _serve(self, socket: WebSocketRoute) -> None:
        if self._is_closed:
            await socket.close(code=1013)
            return
        self._socket = socket
        socket.on_message(lambda _: None)
        socket.send(hello(MESSAGES))

    def send(self, text: str) -> None:
        """Send a frame to the page."""
        assert self._socket is not None
        self._socket.send(text)

    async def close(self) -> None:
        """Close the connection, and refuse others."""
        assert self._socket is not None
        self._is_closed = True
        await self._socket.close(code=1013)


async def open_state_check(visitors: Visitors, language: Language) -> StateCheck:
    SHOTS.mkdir(exist_ok=True)
    page = await (await visitors.open_window(language, is_single_use=True)).new_page()
    await page.emulate_media(reduced_motion="reduce")
    return StateCheck(page=page, language=language)


@pytest.mark.parametrize("language", LOCALES)
async def test_axe_finds_no_problem_in_states_of_the_room(visitors: Visitors, language: Language):
    check = await open_state_check(visitors, language)
    page, room = check.page, ScriptedRoom(check.page)
    await page.clock.install(time=NOW)
    await room.open()
    await page.goto(f"{visitors.address}/?room=no/room")
    await page.locator("form button[type=submit]").click()
    await check.run("join")

    await visitors.go(page, "/", "Ada")
    room.send(frame("tool_start", message_id="m9", call=RUNNING))
    room.send(frame("message_new", message=FAILED))
    await page.locator("[data-tool][data-status=error]").wait_for()
    await check.run("room")
    await page.locator("#composer").fill("/reminder_set")
    await page.get_by_role("option", name="reminder_set").wait_for()
    await page.keyboard.press("Enter")
    await page.locator(".command-form button[type=submit]").click()
    await page.locator(".command-form [aria-invalid=true]").first.wait_for()
    await check.run("command")
    await page.keyboard.press("Escape")
    await page.locator("#composer").fill("")
    await page.locator(".rooms .mantine-Button-root").click()
    await page.locator(".new-room input").fill("no/room")
    await page.keyboard.press("Enter")
    await page.locator(".own-menu").click()
    await page.get_by_role("menu").wait_for()
    await check.run("own-menu")
    await page.get_by_role("menuitem").first.click()
    await page.get_by_role("dialog").wait_for()
    await check.run("rename")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+k")
    await page.get_by_role("dialog").locator("input").fill("re")
    await check.run("palette")
    await page.keyboard.press("Escape")
    await page.locator("h1").click()
    await page.keyboard.press("?")
    await page.locator(".shortcuts").wait_for()
    await check.run("shortcuts")
    await page.keyboard.press("Escape")

    room.send(hello(card_messages(), epoch="cards"))
    await page.locator("[data-card=search]").wait_for()
    await page.locator("[data-message=m2] .how-line").click()
    await page.locator("[data-card=summary]").scroll_into_view_if_needed()
    await check.run("cards")
    await page.locator(".panel-tabs > label").nth(3).click()
    await page.locator(".panel input[type=search]").fill("nothing is called like this")
    await page.locator(".panel .panel-empty").wait_for()
    room.send(hello([], epoch="another"))
    await page.locator(".welcome").wait_for()
    await check.run("welcome")
    room.send(hello(MESSAGES, epoch="again"))
    await page.locator("[data-message]").first.wait_for()
    await room.close()
    await page.locator("[data-link=reconnecting]").wait_for()
    await say(page, "during the outage")
    await page.locator("[data-pending]").wait_for()
    await page.clock.fast_forward(31_000)
    await page.locator("[data-link=offline]").wait_for()
    await check.run("offline")

    assert not check.found, "\n".join(check.found)


@pytest.mark.parametrize("language", LOCALES)
async def test_axe_finds_no_problem_in_states_of_reminders(visitors: Visitors, language: Language):
    check = await open_state_check(visitors, language)
    page = check.page
    await visitors.go(page, "/reminders", "Ada")
    await page.locator(".new-reminder input").fill(AMBIGUOUS[language])
    await page.locator("[data-question]").wait_for()
    await check.run("reminders-empty")
    await add_reminders(visitors, language)
    await visitors.go(page, "/reminders", "Ada")
    await page.locator("[data-reminder]").first.wait_for()
    await check.run("reminders")
    for place, view in enumerate(CALENDAR[1:], start=1):
        await page.locator("main .mantine-SegmentedControl-label").nth(place).click()
        await page.locator(".calendar").wait_for()
        await check.run(f"calendar-{view}")
    await page.locator("main .mantine-SegmentedControl-label").first.click()
    await page.locator("[data-reminder] .reminder-actions button").first.click()
    await page.get_by_role("menu").wait_for()
    await check.run("snooze")
    await page.keyboard.press("Escape")
    await page.locator("[data-reminder] .reminder-actions button").nth(1).click()
    await page.get_by_role("dialog").wait_for()
    await check.run("reminder-edit")

    assert await page.locator("html").get_attribute("lang") == TAGS[language]
    assert not check.found, "\n".join(check.found)


@pytest.mark.parametrize("language", LOCALES)
async def test_axe_finds_no_problem_in_states_of_the_other_pages(visitors: Visitors, language: Language):
    check = await open_state_check(visitors, language)
    page = check.page
    await add_reminders(visitors, language)
    await visitors.go(page, "/tools?tool=reminder_set", "Ada")
    await page.locator(".try-it button[type=submit]").click()
    await check.run("tool")
    await visitors.go(page, "/tools?manage=1", "Ada")
    await page.locator("[data-add-server] input:not([type=password], [type=radio])").first.fill("http://127.0.0.1:9")
    await page.locator("[data-add-server] .server-actions button").last.click()
    await page.locator("[data-probe], [role=alert]").first.wait_for()
    await check.run("tool-servers")
    await visitors.go(page, "/tools?servers=1", "Ada")
    await page.locator("[data-servers=off]").wait_for()
    await check.run("own-servers")
    await visitors.go(page, "/activity", "Ada")
    await page.locator("[data-call]").first.wait_for()
    await check.run("activity")
    await visitors.go(page, "/activity?q=nothing+is+called+like+this", "Ada")
    await page.locator(".nothing").wait_for()
    await check.run("activity-empty")
    await visitors.go(page, "/health", "Ada")
    await page.locator("[data-check]").first.wait_for()
    await check.run("health")
    await visitors.go(page, "/metrics-live", "Ada")
    await page.locator(".page-column > *").first.wait_for()
    await check.run("metrics")

    assert not check.found, "\n".join(check.found)


@pytest.mark.parametrize("language", LOCALES)
async def test_axe_finds_no_problem_in_states_after_a_failure(visitors: Visitors, language: Language):
    check = await open_state_check(visitors, language)
    page = check.page
    await page.goto(f"{visitors.address}/nosuch")
    await check.run("not-found")
    await page.route("**/api/admin/health*", lambda route: route.fulfill(status=500, json={"detail": "broken"}))
    await visitors.go(page, "/health", "Ada")
    await page.locator("[role=alert]").wait_for()
    await check.run("error")
    await page.route("**/api/admin/health*", lambda route: route.fulfill(json={"checks": [{}]}))
    await visitors.go(page, "/health", "Ada")
    await page.locator("[data-crash]").wait_for()
    await check.run("crash")

    assert await page.locator("html").get_attribute("lang") == TAGS[language]
    visitors.errors.clear()
    assert not check.found, "\n".join(check.found)


@pytest.mark.parametrize("language", LOCALES)
async def test_axe_finds_no_problem_in_states_of_the_settings(newcomers: Visitors, language: Language):
    check = await open_state_check(newcomers, language)
    page = check.page
    await newcomers.go(page, "/setup", "Ada")
    for step in ("bot", "model", "search", "platform"):
        await page.locator(f"[data-setup={step}]").wait_for()
        if step == "model":
            await page.locator(".mantine-SegmentedControl-label").last.click()
            await page.locator("[data-setup=model] input[placeholder^=http]").fill("http://127.0.0.1:9/v1")
            await page.locator(".test button").click()
            await page.locator("[data-test=problem]").wait_for()
        if step == "platform":
            await page.locator(".setup-fields").get_by_role("combobox").click()
            await page.locator(".mantine-Select-option").nth(1).click()
        await check.run(f"setup-{step}")
        if step == "platform":
            await page.locator(".setup-fields").get_by_role("combobox").first.click()
            await page.locator(".mantine-Select-option").first.click()
        await page.locator("form button[type=submit]").click()
    await check.run("setup-done")
    await page.locator("form button[type=submit]").click()
    await page.locator("[data-setup=ready]").wait_for(timeout=60_000)
    await check.run("setup-ready")

    await newcomers.go(page, "/settings?group=reminders", "Ada")
    await page.locator("[id='setting-reminders.quiet_hours']").fill("at night")
    await page.locator(".save-bar [type=submit]").click()
    await page.locator("[id='setting-reminders.quiet_hours-error']").wait_for()
    await check.run("settings")
    await newcomers.go(page, "/settings?tab=history", "Ada")
    await page.locator("[data-change]").first.wait_for()
    await check.run("history")
    await newcomers.go(page, "/", "Ada")
    await page.locator("header").get_by_role("button", name=ROOM_SETTINGS[language]).click()
    await page.locator("[data-room-settings]").wait_for()
    await check.run("room-settings")

    newcomers.errors.clear()
    assert not check.found, "\n".join(check.found)
