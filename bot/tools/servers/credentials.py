"""Add credentials to requests: keys, passwords and OAuth client credential tokens."""

import json
import time
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode, urljoin

from msgspec import Struct, field

from bot.tools.servers.answers import ServerUnavailable
from bot.tools.servers.connections import ToolServerConnection
from bot.tools.servers.echoes import EchoedSecretMask, basic_pair, header_secrets
from bot.tools.servers.exchange import Exchange, Outgoing
from function_calls.toolsets.openapi.operation import Operation, Scheme

_LARGEST_TOKEN: Final = 64_000
_BEFORE_THE_END: Final = 30.0  # seconds that a token is given up before it ends


class Shown(Struct, kw_only=True):
    """What is added to a request."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    query: list[tuple[str, str]] = field(default_factory=list)
    cookies: list[tuple[str, str]] = field(default_factory=list)
    auth: tuple[str, str] | None = None


class Credentials:
    """The credentials of one connection, laid out as each operation asks for them."""

    def __init__(self, connection: ToolServerConnection, exchange: Exchange) -> None:
        self._connection = connection
        self._exchange = exchange
        self._tokens: dict[str, tuple[float, str]] = {}

    async def shown(self, operation: Operation, base_url: str) -> Shown:
        """Return what a call of `operation` shows: the first alternative that we have everything for."""
        shown = Shown(headers=[(name, value.get_secret_value()) for name, value in self._connection.headers.items()])
        for scheme in self._chosen(operation.security):
            await self._add(shown, scheme, base_url)
        return shown

    @property
    def echoes(self) -> EchoedSecretMask:
        """Return a mask for every secret that the server was or may be sent."""
        own = self._connection
        keys = (each.get_secret_value() for each in (own.key, own.password, own.client_secret))
        pair = basic_pair(own.username, own.password.get_secret_value()) if own.username else ""
        tokens = (token for _, token in self._tokens.values())
        return EchoedSecretMask((*keys, pair, *header_secrets(own.headers), *tokens))

    def for_document(self) -> list[tuple[str, str]]:
        """Return the headers that the document itself is asked for with."""
        key = self._connection.key.get_secret_value()
        own = [(name, value.get_secret_value()) for name, value in self._connection.headers.items()]
        return [*own, ("Authorization", f"Bearer {key}")] if key else own

    def _chosen(self, security: Sequence[Sequence[Scheme]]) -> Sequence[Scheme]:
        if not security:
            # A key that the document does not speak of is still meant for its server.
            return (Scheme(key="", kind="bearer"),) if self._connection.key.get_secret_value() else ()
        return next((each for each in security if all(self._has(scheme) for scheme in each)), ())

    def _has(self, scheme: Scheme) -> bool:
        own = self._connection
        if scheme.kind == "basic":
            return bool(own.username)
        if scheme.kind == "oauth2":
            return bool(own.client_id or own.key.get_secret_value())
        return bool(own.key.get_secret_value())

    async def _add(self, shown: Shown, scheme: Scheme, base_url: str) -> None:
        own, key = self._connection, self._connection.key.get_secret_value()
        if scheme.kind == "basic":
            shown.auth = (own.username, own.password.get_secret_value())
        elif scheme.kind == "api_key":
            places = {"header": shown.headers, "query": shown.query, "cookie": shown.cookies}
            places[scheme.place].append((scheme.name, key))
        else:
            token = await self._token(scheme, base_url) if scheme.kind == "oauth2" and own.client_id else key
            shown.headers.append(("Authorization", f"Bearer {token}"))

    async def _token(self, scheme: Scheme, base_url: str) -> str:
        """Return a token of the OAuth 2 client credentials grant (RFC 6749 section 4.4), kept until it ends."""
        url = self._connection.token_url or urljoin(f"{base_url}/", scheme.token_url)
        end, token = self._tokens.get(url, (0.0, ""))
        if time.monotonic() < end:
            return token
        found = await self._fetch_token(url, self._connection.scopes or scheme.scopes)
        token, lasts = str(found.get("access_token", "")), found.get("expires_in")
        if not token:
            raise ServerUnavailable("no access token was given")
        seconds = float(lasts) if isinstance(lasts, int | float) else 60.0
        self._tokens[url] = (time.monotonic() + seconds - _BEFORE_THE_END, token)
        return token

    async def _fetch_token(self, url: str, scopes: Sequence[str]) -> dict[str, object]:
        own = self._connection
        form = {"grant_type": "client_credentials"} | ({"scope": " ".join(scopes)} if scopes else {})
        request = Outgoing(
            method="POST",
            url=url,
            headers=(("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")),
            content=urlencode(form).encode(),
            auth=(own.client_id, own.client_secret.get_secret_value()),
        )
        answer = await self._post_to_token_server(request) if own.token_url else await self._exchange_home(request)
        try:
            found = json.loads(answer)
        except (ValueError, RecursionError) as error:
            raise ServerUnavailable("the token server did not answer with JSON") from error
        return found if isinstance(found, dict) else {}

    async def _exchange_home(self, request: Outgoing) -> bytes:
        return (await self._exchange.send(request, max_bytes=_LARGEST_TOKEN)).content

    async def _post_to_token_server(self, request: Outgoing) -> bytes:
        """Return the operator named the token server; it is an origin of its own."""
        if self._exchange.is_home(request.url):
            return await self._exchange_home(request)
        async with Exchange(request.url, timeout_seconds=self._connection.timeout_seconds or 30) as exchange:
            return (await exchange.send(request, max_bytes=_LARGEST_TOKEN)).content
