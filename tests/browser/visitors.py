"""People at the page: each in a browser window of their own, and a list of everything that must not happen there."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_INSIDE = ("data:", "blob:", "about:")
_OUTAGE = ("WebSocket connection to", "net::ERR_CONNECTION_REFUSED", "net::ERR_CONNECTION_RESET")


def chromium() -> str | None:
    """Where the browser is: BUBBLES_CHROMIUM, or where Debian puts it; None when there is none."""
    named = os.environ.get("BUBBLES_CHROMIUM") or "/usr/bin/chromium"
    return named if Path(named).exists() else None


@dataclass(kw_only=True)
class Visitors:
    """Opens windows. `complaints` are console errors, exceptions, CSP reports and requests that leave the host.

    With `expects_outage` a browser may say that the bot was not reached; `elsewhere` are hosts that may be asked too.
    """

    browser: Browser
    address: str
    room: str = "lobby"
    complaints: list[str] = field(default_factory=list)
    expects_outage: bool = False
    _windows: list[BrowserContext] = field(default_factory=list)
    elsewhere: tuple[str, ...] = ()

    async def window(
        self,
        *,
        language: Literal["en", "zh"] = "en",
        scheme: Literal["light", "dark"] = "light",
        size: tuple[int, int] = (1280, 800),
        is_still: bool = False,
    ) -> BrowserContext:
        """A browser of one person: its own storage, none of the others' tabs."""
        context = await self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            base_url=self.address,
            locale={"en": "en-GB", "zh": "zh-CN"}[language],
            timezone_id="UTC",
            reduced_motion="reduce" if is_still else "no-preference",
        )
        self._windows.append(context)
        context.on("console", self._heard)
        context.on("weberror", lambda error: self.complaints.append(f"exception: {error.error}"))
        context.on("request", self._asked)
        return context

    async def enter(self, name: str, path: str = "/", *, window: BrowserContext | None = None) -> Page:
        """`name` at a page of the bot, connected, in a new tab of `window` (of a new one by default)."""
        page = await (window or await self.window()).new_page()
        await self.go(page, path, name)
        return page

    async def go(self, page: Page, path: str, name: str) -> None:
        """Open a page of the bot as `name`, and wait until it is connected."""
        query = urlencode({"as": name, "room": self.room})
        await page.goto(f"{self.address}{path}{'&' if '?' in path else '?'}{query}")
        await page.locator("[data-link=live]").wait_for()

    async def leave(self) -> None:
        """Close every window."""
        for window in self._windows:
            await window.close()

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type != "error" or (self.expects_outage and any(mark in message.text for mark in _OUTAGE)):
            return
        self.complaints.append(f"console: {message.text} ({message.location.get('url')})")

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
