"""Send requests to one configured origin only, and limit the size of responses.

An operator's own server may well stand on a private address; so the rule is not which addresses are public, but that
nothing that a document or an answer says leads to another origin (OWASP's SSRF prevention cheat sheet, case 1).
"""

import asyncio
from types import TracebackType
from typing import Final, Self
from urllib.parse import urljoin, urlsplit

import httpx
from msgspec import Struct

from bot.tools.servers.answers import Answer, ServerUnavailable
from services.kernel.network import trusted_certificates

_MOST_REDIRECTS: Final = 3
_USER_AGENT: Final = "Bubbles (tool client)"
_PORTS: Final = {"http": 80, "https": 443}
Origin = tuple[str, str, int]
Files = list[tuple[str, tuple[str | None, bytes, str | None]]]


class Outgoing(Struct, frozen=True, kw_only=True):
    """A request as it is sent."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    content: bytes | None = None
    files: Files | None = None
    auth: tuple[str, str] | None = None


class Exchange:
    """Talks to the origin of `url`; use it as `async with`. `transport` is for tests.

    `timeout_seconds` is for a whole answer: one that comes drop by drop is given up too.
    """

    def __init__(self, url: str, *, timeout_seconds: float, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.origin = origin_of(url)
        self._timeout_seconds = timeout_seconds
        self._client = httpx.AsyncClient(
            timeout=timeout_seconds,
            transport=transport,
            trust_env=False,
            verify=trusted_certificates(trust_environment=False),
            headers={"User-Agent": _USER_AGENT},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    def is_home(self, url: str) -> bool:
        """Return whether `url` is of the configured origin."""
        return origin_of(url) == self.origin

    async def send(self, request: Outgoing, *, max_bytes: int) -> Answer:
        """Send it and read at most `max_bytes` of the answer; redirects are followed within the origin, for GET.

        Raises:
            ServerUnavailable: another origin is meant, or the server cannot be reached.
        """
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._follow_redirects(request, max_bytes)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise ServerUnavailable("the server did not answer in time") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServerUnavailable(f"the server cannot be reached ({type(error).__name__})") from error

    async def _follow_redirects(self, request: Outgoing, max_bytes: int) -> Answer:
        url = request.url
        for _ in range(_MOST_REDIRECTS + 1):
            if not self.is_home(url):
                raise ServerUnavailable("the server leads to another address, which is refused")
            answer, location = await self._once(request, url, max_bytes)
            if location is None or request.method != "GET":
                return answer
            url = urljoin(url, location)
        raise ServerUnavailable("the server redirects without end")

    async def _once(self, request: Outgoing, url: str, max_bytes: int) -> tuple[Answer, str | None]:
        sent = self._client.build_request(
            request.method, url, headers=list(request.headers), content=request.content, files=request.files
        )
        auth = httpx.BasicAuth(*request.auth) if request.auth else None
        answer = await self._client.send(sent, auth=auth, stream=True, follow_redirects=False)
        try:
            read = bytearray()
            async for chunk in answer.aiter_bytes():
                read += chunk
                if len(read) > max_bytes:
                    break
        finally:
            await answer.aclose()
        location = answer.headers.get("location") if answer.is_redirect else None
        return _read(answer, bytes(read), max_bytes), location


def _read(answer: httpx.Response, content: bytes, max_bytes: int) -> Answer:
    return Answer(
        status=answer.status_code,
        content_type=answer.headers.get("content-type", "").split(";")[0].strip().lower(),
        content=content[:max_bytes],
        encoding=answer.charset_encoding or "utf-8",
        is_cut=len(content) > max_bytes,
    )


def origin_of(url: str) -> Origin:
    """Scheme, host and port of `url`, as a client will understand them.

    Raises:
        ServerUnavailable: it is no address of the web.
    """
    try:
        parts = httpx.URL(url)
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise ServerUnavailable("not an address") from error
    if parts.scheme not in _PORTS or not parts.host or not urlsplit(url).netloc:
        raise ServerUnavailable("not an address of the web")
    return parts.scheme, parts.host.lower(), parts.port or _PORTS[parts.scheme]
