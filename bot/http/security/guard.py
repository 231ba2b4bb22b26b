"""Check every request first: host, origin, size, rate and token."""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.config.settings import HttpSettings
from bot.http.core.errors import HttpRefused, refusal_response
from bot.http.core.tokens import Tokens
from bot.http.security.auth import Viewer, identified
from bot.http.security.networks import LOCAL_HOSTS, network_of
from bot.inbound.middleware import TokenBuckets
from services.kernel.clock import Clock

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
)


class Guard:
    """ASGI middleware. Without a token in the settings only this machine's own pages and programs are served.

    The Host header is held against a list because a page of any site may have its name resolve to 127.0.0.1, and the
    Origin header must name that same host: a browser lets other pages send requests, only not read the answers.
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
        self._most_bytes = settings.max_body_kilobytes * 1000
        self._most_of_a_file = max(self._most_bytes, settings.max_upload_kilobytes * 1000)
        self._pace = TokenBuckets(settings.requests_per_minute, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        viewer = await identified(connection, self._tokens, is_open=self._is_open)
        refusal = self._refusal(connection, viewer)
        if refusal is not None:
            await self._refuse(connection, refusal, receive=receive, send=send)
            return
        scope["viewer"] = viewer
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._app(scope, _Limited(receive, self._most(connection)), self._with_headers(send))

    def _refusal(self, connection: HTTPConnection, viewer: Viewer | None) -> HttpRefused | None:
        host = connection.headers.get("host", "").casefold()
        if not self._is_own_host(host):
            return HttpRefused(403, "host_unknown")
        origin = connection.headers.get("origin")
        if origin is not None and not self._is_own_origin(origin.casefold(), host):
            return HttpRefused(403, "origin_unknown")
        if not _fits(connection.headers.get("content-length", "0"), self._most(connection)):
            return HttpRefused(413, "too_large")
        wait = self._pace.take(_client(connection) if viewer is None else viewer.token_id or viewer.person.id)
        return HttpRefused(429, "too_fast", retry_after=wait) if wait else None

    def _most(self, connection: HTTPConnection) -> int:
        return self._most_of_a_file if _FILE.fullmatch(connection.url.path) else self._most_bytes

    def _is_own_host(self, host: str) -> bool:
        name = _host_name(host)
        return self._any_host or (name is not None and (name in LOCAL_HOSTS or name in self._hosts))

    def _is_own_origin(self, origin: str, host: str) -> bool:
        return origin.partition("://")[2] == host or origin.rstrip("/") in self._origins

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add(MutableHeaders(scope=message), self._headers)
            await send(message)

        return sending

    async def _refuse(self, connection: HTTPConnection, refusal: HttpRefused, *, receive: Receive, send: Send) -> None:
        if connection.scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": refusal.code})
            return
        await refusal_response(connection, refusal)(connection.scope, receive, self._with_headers(send))


class _Limited:
    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413)
        return message


def _host_name(host: str) -> str | None:
    """Return the name in a Host header, without its port; None for what is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _fits(length: str, most: int) -> bool:
    return length.isascii() and length.isdecimal() and len(length) < 16 and int(length) <= most


def _client(connection: HTTPConnection) -> str:
    return f"@{network_of(connection.client.host)}" if connection.client is not None else "@"


def _add(headers: MutableHeaders, added: Iterable[tuple[str, str]]) -> None:
    for name, value in added:
        headers.setdefault(name, value)
    headers.setdefault("Cache-Control", "no-store")
