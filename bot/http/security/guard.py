"""Check host, origin, size, rate and token of all requests."""

import re
from typing import Final
from urllib.parse import urlsplit

from fastapi import HTTPException
from loguru import logger
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.config.settings import HttpSettings
from bot.http.core.errors import HttpRefused, refusal_response
from bot.http.core.tokens import Tokens
from bot.http.security.auth import ApiViewer, identify
from bot.http.security.networks import LOCAL_HOSTS, network_of
from bot.inbound.middleware import TokenBuckets
from services.kernel.clock import Clock
from services.kernel.errors import StorageBusy, StorageUnavailable

_POLICY_VIOLATION: Final = 1008
_FILE: Final = re.compile(r"/api/chat/sessions/[^/]+/files")
_CSP: Final = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src {connect}; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
    ("Cache-Control", "no-store"),
)


class Guard:
    """ASGI middleware. Without a token in the settings only pages and programs of this machine are served.

    The Host header must be in a list, since a site may let its name resolve to 127.0.0.1. The Origin header must name
    the same host, since a browser lets other pages send requests, although they cannot read the responses.
    """

    def __init__(self, app: ASGIApp, *, settings: HttpSettings, tokens: Tokens, clock: Clock) -> None:
        self._app = app
        self._tokens = tokens
        self._is_open = not settings.token.get_secret_value()
        self._hosts = frozenset(host.casefold() for host in settings.allowed_hosts)
        self._any_host = not self._is_open and not settings.allowed_hosts
        self._origins = frozenset(origin.rstrip("/").casefold() for origin in settings.allowed_origins)
        connect = " ".join(("'self'", *settings.page_tool_servers))
        self._headers = (("Content-Security-Policy", _CSP.format(connect=connect)), *_HEADERS)
        self._body_limit = settings.max_body_kilobytes * 1000
        self._file_limit = max(self._body_limit, settings.max_upload_kilobytes * 1000)
        self._rate_limit = TokenBuckets(settings.requests_per_minute, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        try:
            viewer = await identify(connection, self._tokens, is_open=self._is_open)
            refusal = self._refusal(connection, viewer)
        except (StorageBusy, StorageUnavailable) as error:  # issued tokens are in the database
            logger.warning("could not check a token: {}", error)
            viewer, refusal = None, HttpRefused(503, "unavailable")
        if refusal is not None:
            await self._refuse(connection, refusal, receive=receive, send=send)
            return
        scope["viewer"] = viewer
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._app(scope, _LimitedReceive(receive, self._size_limit(connection)), self._with_headers(send))

    def _refusal(self, connection: HTTPConnection, viewer: ApiViewer | None) -> HttpRefused | None:
        host = connection.headers.get("host", "").casefold()
        if not self._is_own_host(host):
            return HttpRefused(403, "host_unknown")
        origin = connection.headers.get("origin")
        if origin is not None and not self._is_own_origin(origin.casefold(), host):
            return HttpRefused(403, "origin_unknown")
        if not _fits(connection.headers.get("content-length", "0"), self._size_limit(connection)):
            return HttpRefused(413, "too_large")
        wait = self._rate_limit.take(
            _client_network(connection) if viewer is None else viewer.token_id or viewer.person.id
        )
        return HttpRefused(429, "too_fast", retry_after=wait) if wait else None

    def _size_limit(self, connection: HTTPConnection) -> int:
        return self._file_limit if _FILE.fullmatch(connection.url.path) else self._body_limit

    def _is_own_host(self, host: str) -> bool:
        name = _host_name(host)
        return self._any_host or (name is not None and (name in LOCAL_HOSTS or name in self._hosts))

    def _is_own_origin(self, origin: str, host: str) -> bool:
        return origin.partition("://")[2] == host or origin.rstrip("/") in self._origins

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers:
                    headers.setdefault(name, value)
            await send(message)

        return send_with_headers

    async def _refuse(self, connection: HTTPConnection, refusal: HttpRefused, *, receive: Receive, send: Send) -> None:
        if connection.scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": refusal.code})
            return
        await refusal_response(connection, refusal)(connection.scope, receive, self._with_headers(send))


class _LimitedReceive:
    """Raises 413 if the body is longer than `limit` bytes, for requests without a content length."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413)
        return message


def _host_name(host: str) -> str | None:
    """Return the name in a Host header, without the port; None if the header is invalid."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _fits(length: str, limit: int) -> bool:
    return length.isascii() and length.isdecimal() and len(length) < 16 and int(length) <= limit


def _client_network(connection: HTTPConnection) -> str:
    return f"@{network_of(connection.client.host)}" if connection.client is not None else "@"
