"""Send requests to one configured origin only, and limit the size of responses.

The servers of an operator may have private addresses, so addresses are not restricted to public ones. Instead, neither
a document nor a response can lead to another origin (OWASP's SSRF prevention cheat sheet, case 1).
"""

import asyncio
from types import TracebackType
from typing import Final, Self
from urllib.parse import urljoin, urlsplit

import httpx
from msgspec import Struct

from bot.tools.servers.responses import ServerResponse, ServerUnavailable
from function_calls.language.messages import Message
from services.kernel.network import trusted_certificates

_MAX_REDIRECTS: Final = 3
_USER_AGENT: Final = "Bubbles (tool client)"
_PORTS: Final = {"http": 80, "https": 443}
Origin = tuple[str, str, int]
Files = list[tuple[str, tuple[str | None, bytes, str | None]]]


class OriginRequest(Struct, frozen=True, kw_only=True):
    """A request to the origin."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    content: bytes | None = None
    files: Files | None = None
    auth: tuple[str, str] | None = None


class OriginClient:
    """Sends requests to the origin of `url`, as an async context manager.

    `timeout_seconds` limits the whole response, so that a server cannot prolong it byte by byte.
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

    def is_same_origin(self, url: str) -> bool:
        """Return whether `url` has the configured origin."""
        return origin_of(url) == self.origin

    async def send(self, request: OriginRequest, *, max_bytes: int) -> ServerResponse:
        """Send `request` and read at most `max_bytes` of the response; redirects of GET are followed within the origin.

        Raises:
            ServerUnavailable: the URL or a redirect has another origin, or the server cannot be reached.
        """
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._follow_redirects(request, max_bytes)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise ServerUnavailable(Message("server.timeout")) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServerUnavailable(_problem_of(error)) from error

    async def _follow_redirects(self, request: OriginRequest, max_bytes: int) -> ServerResponse:
        url = request.url
        for _ in range(_MAX_REDIRECTS + 1):
            if not self.is_same_origin(url):
                raise ServerUnavailable(Message("server.other_origin"))
            response, location = await self._send_once(request, url, max_bytes)
            if location is None or request.method != "GET":
                return response
            url = urljoin(url, location)
        raise ServerUnavailable(Message("server.redirects"))

    async def _send_once(self, request: OriginRequest, url: str, max_bytes: int) -> tuple[ServerResponse, str | None]:
        headers = [(name.encode(), value.encode()) for name, value in request.headers]  # httpx takes ASCII texts only
        sent = self._client.build_request(
            request.method, url, headers=headers, content=request.content, files=request.files
        )
        auth = httpx.BasicAuth(*request.auth) if request.auth else None
        response = await self._client.send(sent, auth=auth, stream=True, follow_redirects=False)
        try:
            read = bytearray()
            async for chunk in response.aiter_bytes():
                read += chunk
                if len(read) > max_bytes:
                    break
        finally:
            await response.aclose()
        location = response.headers.get("location") if response.is_redirect else None
        return _to_response(response, bytes(read), max_bytes), location


def _problem_of(error: httpx.HTTPError | httpx.InvalidURL) -> Message:
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return Message("server.no_address")
    return Message("server.not_reached" if isinstance(error, httpx.ConnectError) else "server.ended")


def _to_response(response: httpx.Response, content: bytes, max_bytes: int) -> ServerResponse:
    return ServerResponse(
        status=response.status_code,
        content_type=response.headers.get("content-type", "").split(";")[0].strip().lower(),
        content=content[:max_bytes],
        encoding=response.charset_encoding or "utf-8",
        is_truncated=len(content) > max_bytes,
    )


def origin_of(url: str) -> Origin:
    """Return scheme, host and port of `url`, as httpx parses them.

    Raises:
        ServerUnavailable: it is not an HTTP address.
    """
    try:
        parts = httpx.URL(url)
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise ServerUnavailable(Message("server.no_address")) from error
    if parts.scheme not in _PORTS or not parts.host or not urlsplit(url).netloc:
        raise ServerUnavailable(Message("server.no_web_address"))
    return parts.scheme, parts.host.lower(), parts.port or _PORTS[parts.scheme]
