"""Watches RSS and Atom feeds and posts what is new into a chat. Copy it into `plugins/`.

    [plugins.options.news]
    chat = "telegram:-1001234567"
    feeds = ["https://example.org/feed.xml"]
    every_minutes = 30

The first look at a feed posts nothing: what was there before the bot is no news.
"""

import asyncio
import re
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from xml.etree import ElementTree as ET

import httpx
from loguru import logger
from pydantic import BaseModel, ConfigDict, Field

from bot.platforms.base import OutgoingMessage
from bot.plugins.contributions import Contributions, Host
from services.kernel.chat import ChatAddress
from services.kernel.errors import DeliveryFailed
from services.kernel.text import unescape_html

_ATOM = "{http://www.w3.org/2005/Atom}"
_MAX_BYTES = 2_000_000
_MAX_CONCURRENT = 5
_MAX_REMEMBERED = 500
_KEEP = timedelta(days=3650)


class Options(BaseModel):
    """The table of this plugin."""

    model_config = ConfigDict(extra="forbid")

    chat: str = Field("", description="Where news is posted, as platform:id; empty = nowhere.")
    feeds: tuple[str, ...] = ()
    every_minutes: float = Field(30, gt=0)


class Entry(BaseModel):
    """One piece of news."""

    key: str
    title: str
    link: str


def setup(add: Contributions) -> None:
    """Start watching if feeds and a chat are set."""
    options = add.settings(Options)
    if options.chat and options.feeds:
        add.jobs.append(("feeds", partial(watch, options)))


async def watch(options: Options, host: Host) -> None:
    """Check every feed at intervals; one that cannot be read is tried again at the next interval."""
    while True:
        for feed in options.feeds:
            try:
                await _check_feed(feed, options, host)
            except (httpx.HTTPError, ET.ParseError, ValueError, DeliveryFailed) as error:
                logger.warning("the feed {} waits for the next time: {}", feed, error)
        await host.clock.nap(options.every_minutes * 60)


async def _check_feed(feed: str, options: Options, host: Host) -> None:
    entries = list(_entries(await asyncio.to_thread(ET.fromstring, await _fetch(feed))))
    seen = await host.state.get(_key(feed))
    known = list(seen) if isinstance(seen, list) else None
    new = [] if known is None else [each for each in entries if each.key not in known]
    for entry in reversed(new[:_MAX_CONCURRENT]):
        platform, _, chat_id = options.chat.partition(":")
        message = OutgoingMessage(text=f"📰 {entry.title}\n{entry.link}", idempotency_key=f"news:{entry.key}")
        await host.outbox.send(ChatAddress(platform=platform, chat_id=chat_id), message)
    keys = [*(each.key for each in entries), *(known or [])]
    await host.state.set(_key(feed), [*dict.fromkeys(keys)][:_MAX_REMEMBERED], keep=_KEEP)


async def _fetch(feed: str) -> bytes:
    """Fetch a feed; refuse one that is too long or declares entities.

    Redirects to another host are refused, because only the operator chooses the hosts. Feeds need no entities.
    """
    body = bytearray()

    async def stay(request: httpx.Request) -> None:
        if request.url.host != httpx.URL(feed).host:
            raise ValueError(f"the feed has moved to {request.url.host}; name its new address")

    async with (
        httpx.AsyncClient(timeout=20, follow_redirects=True, event_hooks={"request": [stay]}) as client,
        client.stream("GET", feed) as answer,
    ):
        answer.raise_for_status()
        async for piece in answer.aiter_bytes():
            body += piece
            if len(body) > _MAX_BYTES:
                raise ValueError("the feed is too long")
    if b"<!ENTITY" in body:
        raise ValueError("the feed declares entities")
    return bytes(body)


def _entries(root: ET.Element) -> Iterator[Entry]:
    for item in root.iter("item"):
        link = item.findtext("link") or ""
        yield _entry(item.findtext("guid") or link, item.findtext("title"), link)
    for item in root.iter(f"{_ATOM}entry"):
        found = item.find(f"{_ATOM}link")
        link = "" if found is None else found.get("href", "")
        yield _entry(item.findtext(f"{_ATOM}id") or link, item.findtext(f"{_ATOM}title"), link)


def _entry(key: str, title: str | None, link: str) -> Entry:
    words = " ".join(re.sub(r"<[^>]*>", " ", unescape_html(title or "")).split())
    return Entry(key=key.strip(), title=words[:300] or link, link=link.strip())


def _key(feed: str) -> str:
    return f"news:{feed}"
