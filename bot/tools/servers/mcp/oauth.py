"""Authorize at remote MCP servers with OAuth 2.1: client credentials, or a sign-in of the operator."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

import httpx2
from loguru import logger
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthFlowError
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.auth.oauth2 import OAuthContext
from mcp.client.auth.utils import issuers_match
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthMetadata, OAuthToken
from pydantic import AnyUrl, BaseModel, ValidationError

from bot.tools.servers.mcp.servers import McpServer, OAuthSettings
from services.kernel.private_files import make_private_folder, replace_file

_SIGN_IN_WITHIN: Final = 300.0  # seconds
_PAGE: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nYou can close this page.\n"

ShowAddress = Callable[[str], None]
"""Shows the address at which the operator signs in."""


class _Stored(BaseModel):
    """The file of one server. `expires_at` is a Unix time."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    metadata: OAuthMetadata | None = None
    expires_at: float | None = None


class TokenFile:
    """Stores the tokens of one server in a file that only the bot's user may read; without a path in memory.

    The storage of the SDK has neither the expiry of a token nor the server that refreshes it, so each restart would
    need a new sign-in. `client` is a client of the settings, which is not stored.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._stored = self._read()
        self.client: OAuthClientInformationFull | None = None
        self._context: OAuthContext | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the tokens, for masking."""
        tokens = self._stored.tokens
        return () if tokens is None else tuple(each for each in (tokens.access_token, tokens.refresh_token) if each)

    @property
    def issuer(self) -> str | None:
        """Return the authorization server that issued the tokens."""
        return None if self._stored.metadata is None else str(self._stored.metadata.issuer)

    def attach(self, provider: OAuthClientProvider) -> None:
        """Restore the state of `provider`, which has this storage."""
        self._context = provider.context
        provider.context.token_expiry_time = self._stored.expires_at
        provider.context.oauth_metadata = self._stored.metadata

    async def get_tokens(self) -> OAuthToken | None:
        """Return the stored tokens."""
        return self._stored.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store new tokens."""
        self._stored.tokens = tokens
        if self._context is not None:
            self._stored.expires_at = self._context.token_expiry_time
            self._stored.metadata = self._context.oauth_metadata
        self._write()

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return the client, with the authentication method that its authorization server accepts."""
        if self.client is None:
            return self._stored.client
        metadata = None if self._context is None else self._context.oauth_metadata
        return self.client.model_copy(update={"token_endpoint_auth_method": _auth_method(self.client, metadata)})

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Store the registration at the authorization server."""
        self._stored.client = client_info
        self._write()

    def _read(self) -> _Stored:
        if self._path is None or not self._path.exists():
            return _Stored()
        try:
            return _Stored.model_validate_json(self._path.read_bytes())
        except ValidationError:
            logger.warning("{} has no tokens of an MCP server; sign in again", self._path)
            return _Stored()

    def _write(self) -> None:
        if self._path is None:
            return
        make_private_folder(self._path.parent)
        with replace_file(self._path) as file:
            file.write(self._stored.model_dump_json(exclude_none=True))


class _CredentialsProvider(ClientCredentialsOAuthProvider):
    """Authorization by credentials, with the scope of the settings; the SDK replaces it by that of the server."""

    def __init__(self, server: McpServer, oauth: OAuthSettings, tokens: TokenFile) -> None:
        secret = oauth.client_secret.get_secret_value()
        super().__init__(server.url, tokens, oauth.client_id, secret, issuer=oauth.issuer)
        self._scope = oauth.scope
        tokens.attach(self)

    async def _perform_authorization(self) -> httpx2.Request:
        self.context.client_metadata.scope = self._scope or self.context.client_metadata.scope
        return await super()._perform_authorization()


class _SignInProvider(OAuthClientProvider):
    """Authorization by a sign-in, with the scope and at the authorization server of the settings.

    The SDK takes both from the server alone.
    """

    def __init__(
        self,
        server: McpServer,
        oauth: OAuthSettings,
        tokens: TokenFile,
        redirect: Callable[[str], Awaitable[None]],
        callback: Callable[[], Awaitable[AuthorizationCodeResult]],
    ) -> None:
        metadata = OAuthClientMetadata(
            client_name="Bubbles",
            redirect_uris=[AnyUrl(f"http://127.0.0.1:{oauth.redirect_port}/callback")],
            token_endpoint_auth_method="none",  # noqa: S106 - the name of a method, no secret
        )
        super().__init__(server.url, metadata, tokens, redirect, callback)
        self._oauth = oauth
        self.context.auth_server_url = oauth.issuer or None
        tokens.attach(self)

    def _select_authorization_server(self, advertised: list[str]) -> str:
        if not self._oauth.issuer:
            return super()._select_authorization_server(advertised)
        for each in advertised:
            if issuers_match(each, self._oauth.issuer):
                return each
        raise OAuthFlowError(f"the authorization server is {advertised[0]}, not {self._oauth.issuer} as set")

    async def _perform_authorization(self) -> httpx2.Request:
        self.context.client_metadata.scope = self._oauth.scope or self.context.client_metadata.scope
        self.context.client_info = await self.context.storage.get_client_info()
        return await super()._perform_authorization()


def oauth_provider(server: McpServer, oauth: OAuthSettings, tokens: TokenFile) -> OAuthClientProvider:
    """Return the authorization of requests to `server`; without a necessary sign-in, requests fail."""
    if oauth.needs_sign_in:

        async def refuse(address: str) -> None:
            del address
            raise OAuthFlowError(f"needs a sign-in: bubbles mcp-sign-in {server.name}")

        tokens.client = _client_of(oauth, oauth.issuer or tokens.issuer)
        return _SignInProvider(server, oauth, tokens, refuse, _no_code)
    return _CredentialsProvider(server, oauth, tokens)


async def sign_in(server: McpServer, oauth: OAuthSettings, show: ShowAddress) -> int:
    """Let the operator sign in at `server` in a browser of this machine, and return the number of its tools.

    Raises:
        OAuthFlowError: the sign-in failed.
        TimeoutError: nobody signed in within five minutes.
        OSError: the port of the redirect is taken.
    """
    tokens = TokenFile(server.token_file)
    tokens.client = _client_of(oauth, oauth.issuer or None)

    async def redirect(address: str) -> None:
        show(address)

    async with _redirects(oauth.redirect_port) as code:
        provider = _SignInProvider(server, oauth, tokens, redirect, lambda: code)
        async with (
            asyncio.timeout(_SIGN_IN_WITHIN),
            httpx2.AsyncClient(auth=provider, headers=server.sent_headers, trust_env=False) as http,
            Client(streamable_http_client(server.url, http_client=http)) as client,
        ):
            return len((await client.list_tools()).tools)


def _client_of(oauth: OAuthSettings, issuer: str | None) -> OAuthClientInformationFull | None:
    """Return the client of the settings, whose secret is sent to `issuer` only; None if the bot registers itself."""
    if not oauth.client_id:
        return None
    secret = oauth.client_secret.get_secret_value() or None
    return OAuthClientInformationFull(client_id=oauth.client_id, client_secret=secret, issuer=issuer)


def _auth_method(client: OAuthClientInformationFull, metadata: OAuthMetadata | None) -> str:
    """Return the authentication method of `client`; basic is the default. Source: RFC 8414 section 2."""
    if client.client_secret is None:
        return "none"
    accepted = (metadata.token_endpoint_auth_methods_supported if metadata else None) or ["client_secret_basic"]
    return "client_secret_basic" if "client_secret_basic" in accepted else "client_secret_post"


async def _no_code() -> AuthorizationCodeResult:
    raise OAuthFlowError("a sign-in is not possible here")


@asynccontextmanager
async def _redirects(port: int) -> AsyncIterator[asyncio.Future[AuthorizationCodeResult]]:
    """Listen on this machine for the redirect of the browser, whose code sets the future."""
    code: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            parts = (await reader.readline()).decode("latin-1").split()
            query = parse_qs(urlsplit(parts[1]).query) if len(parts) > 1 else {}
            given = {name: query[name][0] for name in ("code", "state", "iss") if name in query}
            if "error" in query and not code.done():
                code.set_exception(OAuthFlowError(f"the sign-in was refused: {query['error'][0]}"))
            elif "code" in given and not code.done():
                code.set_result(AuthorizationCodeResult.model_validate(given))
            writer.write(_PAGE)
            await writer.drain()
        finally:
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", port):
        yield code
