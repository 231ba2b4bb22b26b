"""Windows of people at the page, with a list of their errors."""

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
_QUIET = "/health/live"  # an address without a page
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


def find_chromium() -> str | None:
    """Return the path of the browser, BUBBLES_CHROMIUM or that of Debian, or None."""
    named = os.environ.get("BUBBLES_CHROMIUM") or "/usr/bin/chromium"
    return named if Path(named).exists() else None


class WindowPool:
    """Browser windows that tests use one after the other, cleared in between.

    Opening the page in a used tab takes a quarter of the work of a new one.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: dict[Language, list[BrowserContext]] = {language: [] for language in LOCALES}

    async def acquire(self, language: Language, zone: str = "UTC", *, is_new: bool = False) -> BrowserContext:
        """Return an empty window; one that `is_new` has nothing in its caches either."""
        if self._idle[language] and zone == "UTC" and not is_new:
            return self._idle[language].pop()
        return await self._browser.new_context(viewport=_SIZE, locale=LOCALES[language], timezone_id=zone)

    async def release(self, window: BrowserContext, language: Language, address: str, tab: Page | None) -> None:
        """Clear a window that was at `address`, and close its tabs except for `tab` or a new one."""
        tab_left = await window.new_page() if tab is None or tab.is_closed() else tab
        for page in window.pages:
            if page is not tab_left:
                await page.close()
        await window.set_offline(False)
        await tab_left.unroute_all()
        await tab_left.set_viewport_size(_SIZE)
        await tab_left.goto(f"{address}{_QUIET}")
        await tab_left.evaluate("localStorage.clear(), sessionStorage.clear()")
        self._idle[language].append(window)


@dataclass(kw_only=True)
class Visitors:
    """Opens windows. `errors` has console errors, exceptions, CSP reports and requests to other hosts.

    With `expects_outage`, failed connections to the bot are no errors. Requests to `other_hosts` are none either.
    """

    window_pool: WindowPool
    address: str
    room: str = "lobby"
    errors: list[str] = field(default_factory=list)
    expects_outage: bool = False
    _windows: list[tuple[BrowserContext, Language, bool]] = field(default_factory=list)
    _tabs: dict[BrowserContext, Page] = field(default_factory=dict)
    other_hosts: tuple[str, ...] = ()

    async def open_window(
        self, language: Language = "en", *, is_single_use: bool = False, zone: str = "UTC"
    ) -> BrowserContext:
        """Open a window of one person, with its own storage.

        A test that changes a window for all its pages, such as its clock or its scripts, needs one that
        `is_single_use`: it is new, and closed after the test.
        """
        window = await self.window_pool.acquire(language, zone, is_new=is_single_use)
        self._windows.append((window, language, is_single_use))
        window.on("console", self._on_console)
        window.on("weberror", self._on_exception)
        window.on("request", self._on_request)
        return window

    async def enter(self, name: str, path: str = "/", *, window: BrowserContext | None = None) -> Page:
        """Open a page as `name` in a new tab of `window`, by default a new window, and wait until it is connected."""
        window = window or await self.open_window()
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

    async def close(self) -> None:
        """Release the windows to the pool, and close those for single use."""
        for window, language, is_single_use in self._windows:
            window.remove_listener("console", self._on_console)
            window.remove_listener("weberror", self._on_exception)
            window.remove_listener("request", self._on_request)
            if is_single_use:
                await window.close()
            else:
                await self.window_pool.release(window, language, self.address, self._tabs.get(window))

    def _on_exception(self, error: WebError) -> None:
        self.errors.append(f"exception: {error.error}")

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type != "error" or (self.expects_outage and any(mark in message.text for mark in _OUTAGE)):
            return
        url = message.location.get("url", "")
        if url.endswith("/favicon.ico") and not url.startswith(self.address):
            return  # the tab was at the bot of an earlier test
        self.errors.append(f"console: {message.text} ({url})")

    def _on_request(self, request: Request) -> None:
        own = (self.address, self.address.replace("http", "ws", 1))
        if not request.url.startswith((*own, *self.other_hosts, *_INSIDE)):
            self.errors.append(f"off-host request: {request.url}")


async def say(page: Page, text: str) -> None:
    """Type a message and send it with Enter."""
    await page.locator("#composer").fill(text)
    await page.locator("#composer").press("Enter")


def messages_with(page: Page, text: str) -> Locator:
    """Return the texts of people's messages in the log that contain `text`, without quotations."""
    return page.locator("[data-message] .bubble .plain", has_text=text)
