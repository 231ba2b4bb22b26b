"""Add credentials to requests: keys, passwords and OAuth client credential tokens."""

import json
import time
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode, urljoin

from msgspec import Struct, field

from bot.tools.servers.connections import ToolServerConnection
from bot.tools.servers.echoed_secrets import EchoedSecretMask, basic_pair, header_secrets
from bot.tools.servers.origin_client import OriginClient, OriginRequest
from bot.tools.servers.responses import ServerUnavailable
from function_calls.language.messages import Message
from function_calls.toolsets.openapi.operation import Operation, Scheme

_MAX_TOKEN_LENGTH: Final = 64_000
_RENEW_BEFORE: Final = 30.0  # seconds before a token expires


class RequestCredentials(Struct, kw_only=True):
    """The credentials that are added to a request."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    query: list[tuple[str, str]] = field(default_factory=list)
    cookies: list[tuple[str, str]] = field(default_factory=list)
    auth: tuple[str, str] | None = None


class Credentials:
    """Adds the credentials of one connection to requests, in the security schemes of each operation."""

    def __init__(self, connection: ToolServerConnection, client: OriginClient) -> None:
        self._connection = connection
        self._client = client
        self._tokens: dict[tuple[str, tuple[str, ...]], tuple[float, str]] = {}

    async def for_operation(self, operation: Operation, base_url: str) -> RequestCredentials:
        """Return the credentials for the first security alternative of `operation` that the connection can satisfy."""
        credentials = RequestCredentials(
            headers=[(name, value.get_secret_value()) for name, value in self._connection.headers.items()]
        )
        for scheme in self._chosen(operation.security):
            await self._add(credentials, scheme, base_url)
        return credentials

    def forget_tokens(self) -> None:
        """Fetch new tokens for the next requests, after the server has refused one."""
        self._tokens.clear()

    @property
    def secret_mask(self) -> EchoedSecretMask:
        """Return a mask for all secrets of the connection and its tokens."""
        own = self._connection
        keys = (each.get_secret_value() for each in (own.key, own.password, own.client_secret))
        pair = basic_pair(own.username, own.password.get_secret_value()) if own.username else ""
        tokens = (token for _, token in self._tokens.values())
        return EchoedSecretMask((*keys, pair, *header_secrets(own.headers), *tokens))

    def for_document(self) -> list[tuple[str, str]]:
        """Return the headers of the request for the OpenAPI document."""
        key = self._connection.key.get_secret_value()
        own = [(name, value.get_secret_value()) for name, value in self._connection.headers.items()]
        return [*own, ("Authorization", f"Bearer {key}")] if key else own

    def _chosen(self, security: Sequence[Sequence[Scheme]]) -> Sequence[Scheme]:
        if not security:
            # Many documents declare no security although the server needs the key.
            return (Scheme(key="", kind="bearer"),) if self._connection.key.get_secret_value() else ()
        return next((each for each in security if all(self._has(scheme) for scheme in each)), ())

    def _has(self, scheme: Scheme) -> bool:
        own = self._connection
        if scheme.kind == "basic":
            return bool(own.username)
        if scheme.kind == "oauth2":
            return bool(own.client_id or own.key.get_secret_value())
        return bool(own.key.get_secret_value())

    async def _add(self, credentials: RequestCredentials, scheme: Scheme, base_url: str) -> None:
        own, key = self._connection, self._connection.key.get_secret_value()
        if scheme.kind == "basic":
            credentials.auth = (own.username, own.password.get_secret_value())
        elif scheme.kind == "api_key":
            places = {"header": credentials.headers, "query": credentials.query, "cookie": credentials.cookies}
            places[scheme.place].append((scheme.name, key))
        else:
            token = await self._token(scheme, base_url) if scheme.kind == "oauth2" and own.client_id else key
            credentials.headers.append(("Authorization", f"Bearer {token}"))

    async def _token(self, scheme: Scheme, base_url: str) -> str:
        """Return a token of the OAuth 2 client credentials grant (RFC 6749 section 4.4), cached until it expires."""
        url = self._connection.token_url or urljoin(f"{base_url}/", scheme.token_url)
        key = url, self._connection.scopes or scheme.scopes
        end, token = self._tokens.get(key, (0.0, ""))
        if time.monotonic() < end:
            return token
        found = await self._fetch_token(*key)
        token, lifetime = str(found.get("access_token", "")), found.get("expires_in")
        if not token:
            raise ServerUnavailable(Message("server.no_token"))
        seconds = float(lifetime) if isinstance(lifetime, int | float) else 60.0
        self._tokens[key] = (time.monotonic() + seconds - _RENEW_BEFORE, token)
        return token

    async def _fetch_token(self, url: str, scopes: Sequence[str]) -> dict[str, object]:
        own = self._connection
        form = {"grant_type": "client_credentials"} | ({"scope": " ".join(scopes)} if scopes else {})
        request = OriginRequest(
            method="POST",
            url=url,
            headers=(("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")),
            content=urlencode(form).encode(),
            auth=(own.client_id, own.client_secret.get_secret_value()),
        )
        content = await self._send_to_token_server(request)
        try:
            found = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise ServerUnavailable(Message("server.no_token_json")) from error
        return found if isinstance(found, dict) else {}

    async def _send_to_token_server(self, request: OriginRequest) -> bytes:
        """Send a request for a token; a token server of another origin has to be named by the operator."""
        if not self._connection.token_url or self._client.is_same_origin(request.url):
            return (await self._client.send(request, max_bytes=_MAX_TOKEN_LENGTH)).content
        async with OriginClient(request.url, timeout_seconds=self._connection.timeout_seconds or 30) as client:
            return (await client.send(request, max_bytes=_MAX_TOKEN_LENGTH)).content
