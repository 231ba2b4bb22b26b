"""An MCP server behind OAuth 2.1, with an authorization server that authorizes everybody."""

import base64
import secrets
import time
from urllib.parse import unquote

from mcp.server import MCPServer
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Mount, Route

SECRET = "client-secret-of-the-bot"


class OAuthServer:
    """Both servers, as one `app` at `address`. A token is valid for `lifetime` seconds.

    `grants`, `scopes` and `clients` (id and secret) are those of the requests. With `methods`, clients must
    authenticate by one of them and cannot register themselves.
    """

    def __init__(self, address: str, *, lifetime: int = 3600) -> None:
        self.address = address
        self.lifetime = lifetime
        self.methods: list[str] = []
        self.grants: list[str] = []
        self.scopes: list[str | None] = []
        self.clients: list[tuple[str, str]] = []
        self._tokens: dict[str, float] = {}
        self._server = MCPServer(
            "vault",
            token_verifier=self,
            auth=AuthSettings(issuer_url=address, resource_server_url=f"{address}/mcp", validate_token_resource=False),
        )
        self._server.tool()(get_gold)
        self._server.tool()(get_header)

    @property
    def app(self) -> Starlette:
        """Return the application."""
        inner = self._server.streamable_http_app()
        routes = [
            Route("/.well-known/oauth-authorization-server", self._metadata),
            Route("/register", self._register, methods=["POST"]),
            Route("/authorize", self._authorize),
            Route("/token", self._token, methods=["POST"]),
            Mount("/", inner),
        ]
        return Starlette(routes=routes, lifespan=lambda app: inner.router.lifespan_context(app))

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the rights of a token of this server."""
        end = self._tokens.get(token, 0.0)
        return AccessToken(token=token, client_id="bot", scopes=[]) if end > time.time() else None

    async def _metadata(self, request: Request) -> JSONResponse:
        del request
        base = self.address
        return JSONResponse(
            {
                "issuer": base,
                "authorization_endpoint": f"{base}/authorize",
                "token_endpoint": f"{base}/token",
                "registration_endpoint": f"{base}/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": self.methods or ["none", "client_secret_basic"],
            }
        )

    async def _register(self, request: Request) -> JSONResponse:
        if self.methods:
            return JSONResponse({"error": "access_denied"}, status_code=403)
        return JSONResponse({**await request.json(), "client_id": "bot"}, status_code=201)

    async def _authorize(self, request: Request) -> RedirectResponse:
        query = request.query_params
        self.scopes.append(query.get("scope"))
        return RedirectResponse(f"{query['redirect_uri']}?code=code-1&state={query['state']}")

    async def _token(self, request: Request) -> JSONResponse:
        form = {key: str(value) for key, value in (await request.form()).items()}
        client = self._client(request.headers.get("authorization", ""), form)
        if self.methods and client[1] != SECRET:
            return JSONResponse({"error": "invalid_client"}, status_code=401)
        self.clients.append(client)
        self.grants.append(form["grant_type"])
        if form["grant_type"] == "client_credentials":
            self.scopes.append(form.get("scope"))
        token = secrets.token_urlsafe(16)
        self._tokens[token] = time.time() + self.lifetime
        refresh = {} if form["grant_type"] == "client_credentials" else {"refresh_token": "refresh-1"}
        return JSONResponse({"access_token": token, "token_type": "Bearer", "expires_in": self.lifetime, **refresh})

    def _client(self, authorization: str, form: dict[str, str]) -> tuple[str, str]:
        if not authorization:
            return form.get("client_id", ""), form.get("client_secret", "")
        name, _, secret = base64.b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        return unquote(name), unquote(secret)


def get_header(ctx: Context) -> str:
    """Return the authorization header of the request."""
    request = ctx.request_context.request
    assert isinstance(request, Request)
    return request.headers["authorization"]


def get_gold() -> str:
    """Return a secret, to authorized clients only."""
    return "gold"
