"""Windows of people at the page, with a list of errors that must not occur."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    ViewportSize,
    WebError,
)

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
Language = Literal["en", "zh", "es"]
LOCALES: dict[Language, str] = {"en": "en-GB", "zh": "zh-CN", "es": "es-ES"}
_QUIET = "/health/live"  # an address of the bot that shows nothing and does nothing
_INSIDE = ("data:", "blob:", "about:")
_SIZE: ViewportSize = {"width": 1280, "height": 800}
_OUTAGE = (
    "WebSocket connection to",
    "net::ERR_CONNECTION_REFUSED",
    "net::ERR_CONNECTION_RESET",
    "net::ERR_CONTENT_LENGTH_MISMATCH",
    "net::ERR_EMPTY_RESPONSE",
    "net::ERR_SOCKET_NOT_CONNECTED",
    "net::ERR_INTERNET_DISCONNECTED",
)


def chromium() -> str | None:
    """Where the browser is: BUBBLES_CHROMIUM, or where Debian puts it; None when there is none."""
    named = os.environ.get("BUBBLES_CHROMIUM") or "/usr/bin/chromium"
    return named if Path(named).exists() else None


class Wardrobe:
    """Windows that are lent to one test after the other, each emptied in between.

    A tab that has shown the page before shows it again for a quarter of the work: it runs, and knows the scripts.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: dict[Language, list[BrowserContext]] = {language: [] for language in LOCALES}

    async def lend(self, language: Language, zone: str = "UTC") -> BrowserContext:
        """A window of nobody."""
        if self._idle[language] and zone == "UTC":
            return self._idle[language].pop()
        return await self._browser.new_context(viewport=_SIZE, locale=LOCALES[language], timezone_id=zone)

    async def take_back(self, window: BrowserContext, language: Language, address: str, tab: Page | None) -> None:
        """Empty a window that has been at `address`, but for `tab` or a new one."""
        kept = await window.new_page() if tab is None or tab.is_closed() else tab
        for page in window.pages:
            if page is not kept:
                await page.close()
        await window.set_offline(False)
        await kept.unroute_all()
        await kept.set_viewport_size(_SIZE)
        await kept.goto(f"{address}{_QUIET}")
        await kept.evaluate("localStorage.clear(), sessionStorage.clear()")
        self._idle[language].append(window)


@dataclass(kw_only=True)
class Visitors:
    """Opens windows. `complaints` are console errors, exceptions, CSP reports and requests that leave the host.

    With `expects_outage` a browser may say that the bot was not reached; `elsewhere` are hosts that may be asked too.
    """

    wardrobe: Wardrobe
    address: str
    room: str = "lobby"
    complaints: list[str] = field(default_factory=list)
    expects_outage: bool = False
    _windows: list[tuple[BrowserContext, Language, bool]] = field(default_factory=list)
    _tabs: dict[BrowserContext, Page] = field(default_factory=dict)
    elsewhere: tuple[str, ...] = ()

    async def window(
        self, language: Language = "en", *, is_for_good: bool = False, zone: str = "UTC"
    ) -> BrowserContext:
        """A browser of one person: its own storage, none of the others' tabs.

        What a test changes in it for all of its pages, such as the clock or the zone, needs one that is taken
        `is_for_good`.
        """
        window = await self.wardrobe.lend(language, zone)
        self._windows.append((window, language, is_for_good))
        window.on("console", self._heard)
        window.on("weberror", self._broke)
        window.on("request", self._asked)
        return window

    async def enter(self, name: str, path: str = "/", *, window: BrowserContext | None = None) -> Page:
        """`name` at a page of the bot, connected, in a new tab of `window` (of a new one by default)."""
        window = window or await self.window()
        idle = (page for page in window.pages if page.url.endswith(_QUIET))
        page = next(idle, None) or await window.new_page()
        self._tabs.setdefault(window, page)
        await self.go(page, path, name)
        return page

    async def go(self, page: Page, path: str, name: str) -> None:
        """Open a page of the bot as `name`, and wait until it is connected."""
        query = urlencode({"as": name, "room": self.room})
        await page.goto(f"{self.address}{path}{'&' if '?' in path else '?'}{query}")
        await page.locator("[data-link=live]").wait_for()

    async def leave(self) -> None:
        """Give every window back."""
        for window, language, is_for_good in self._windows:
            window.remove_listener("console", self._heard)
            window.remove_listener("weberror", self._broke)
            window.remove_listener("request", self._asked)
            if is_for_good:
                await window.close()
            else:
                await self.wardrobe.take_back(window, language, self.address, self._tabs.get(window))

    def _broke(self, error: WebError) -> None:
        self.complaints.append(f"exception: {error.error}")

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type != "error" or (self.expects_outage and any(mark in message.text for mark in _OUTAGE)):
            return
        url = message.location.get("url", "")
        if url.endswith("/favicon.ico") and not url.startswith(self.address):
            return  # the tab was at the bot of another test, which has ended since
        self.complaints.append(f"console: {message.text} ({url})")

    def _asked(self, request: Request) -> None:
        own = (self.address, self.address.replace("http", "ws", 1))
        if not request.url.startswith((*own, *self.elsewhere, *_INSIDE)):
            self.complaints.append(f"off-host request: {request.url}")


async def say(page: Page, text: str) -> None:
    """Type a message and send it with Enter."""
    await page.locator("#composer").fill(text)
    await page.locator("#composer").press("Enter")


def said(page: Page, text: str) -> Locator:
    """What people said in the log, as far as it has `text`; quotations of it do not count."""
    return page.locator("[data-message] .bubble .plain", has_text=text)
