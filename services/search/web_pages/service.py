"""Fetch web pages as text."""

import asyncio
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from msgspec import Struct

from services.kernel.text import decode_text
from services.search.model import PageUnavailable

if TYPE_CHECKING:
    import httpcore

_MAX_REDIRECTS = 5
_MAX_URL_LENGTH = 2_000
_MAX_TEXT_LENGTH = 20_000
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_PLAIN = frozenset({"text/plain", "text/markdown", "application/json", "text/csv", "text/xml", "application/xml"})
_CHARSET = re.compile(rb"charset=[\"']?([\w-]{2,40})", re.IGNORECASE)
_DECLARED_WITHIN = 2_048
_HEADERS = (
    (b"User-Agent", b"Bubbles"),
    (b"Accept", b"text/html, text/plain;q=0.9"),
    (b"Accept-Encoding", b"identity"),
)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class WebPage(Struct, frozen=True, kw_only=True):
    """A page as text. `url` is that after redirects; `title` and `text` are untrusted.

    `is_cut`: the text was longer than 20,000 characters.
    """

    url: str
    title: str
    text: str
    is_cut: bool = False


class WebPageService(Struct, frozen=True):
    """Fetches pages of public addresses; `open_pool` opens the connection pool of a request."""

    open_pool: "Callable[[], AbstractAsyncContextManager[httpcore.AsyncConnectionPool]] | None" = None
    timeout: timedelta = timedelta(seconds=20)
    max_bytes: int = 1_000_000

    async def fetch(self, url: str) -> WebPage:
        """Return the page at `url`, which may lack `https://`.

        Raises:
            PageUnavailable: it cannot or must not be read.
        """
        import httpcore

        from services.search.web_pages.guard import open_guarded_pool

        address = url.strip() if "://" in url else f"https://{url.strip()}"
        try:
            async with asyncio.timeout(self.timeout.total_seconds()), (self.open_pool or open_guarded_pool)() as pool:
                return await self._follow(pool, address)
        except (TimeoutError, httpcore.TimeoutException) as error:
            raise PageUnavailable("timeout") from error
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol, ValueError) as error:
            raise PageUnavailable("malformed") from error
        except (httpcore.NetworkError, OSError) as error:
            raise PageUnavailable("connection") from error

    async def _follow(self, pool: "httpcore.AsyncConnectionPool", address: str) -> WebPage:
        for _ in range(_MAX_REDIRECTS + 1):
            address = _check_address(address)
            async with pool.stream("GET", address, headers=_HEADERS) as response:
                given = {name.lower().decode(): value.decode("latin-1") for name, value in response.headers}
                if response.status not in _REDIRECTS:
                    return await self._read(response, given, address)
            address = urljoin(address, given.get("location", ""))
        raise PageUnavailable("redirects")

    async def _read(self, response: "httpcore.Response", headers: dict[str, str], address: str) -> WebPage:
        if response.status != 200:
            raise PageUnavailable("status", str(response.status))
        kind = headers.get("content-type", "text/html").partition(";")[0].strip().lower()
        if kind not in _HTML | _PLAIN:
            raise PageUnavailable("content_type", kind[:40])
        if headers.get("content-encoding", "identity").lower() != "identity":
            # No compression was requested, and a small compressed answer may have any size.
            raise PageUnavailable("malformed", "packed")
        body = bytearray()
        async for piece in response.aiter_stream():
            body += piece
            if len(body) > self.max_bytes:
                raise PageUnavailable("too_large", f"more than {self.max_bytes} bytes")
        from services.search.web_pages.readable import extract_text

        decoded = _decode(bytes(body), headers.get("content-type", ""))
        title, text = await asyncio.to_thread(extract_text, decoded) if kind in _HTML else ("", decoded.strip())
        return WebPage(
            url=address, title=title[:200], text=text[:_MAX_TEXT_LENGTH], is_cut=len(text) > _MAX_TEXT_LENGTH
        )


def _check_address(address: str) -> str:
    """Validate and normalise a URL.

    Raises:
        PageUnavailable: `address`, it is not a plain web address.
    """
    import httpx

    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, ValueError) as error:
        raise PageUnavailable("address", "not a web address") from error
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo or len(address) > _MAX_URL_LENGTH:
        raise PageUnavailable("address", "not a web address")
    return str(url.copy_with(fragment=None))


def _decode(body: bytes, content_type: str) -> str:
    """Decode `body` with the character set of the header, else of the page, else UTF-8."""
    found = _CHARSET.search(content_type.encode("latin-1", "ignore")) or _CHARSET.search(body[:_DECLARED_WITHIN])
    return decode_text(body, found[1].decode() if found else "utf-8")
