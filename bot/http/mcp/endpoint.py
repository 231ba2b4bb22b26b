"""`/mcp`: serve the bot's functions to MCP clients over streamable HTTP."""

from functools import cached_property
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bot.http.core.context import HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.rooms.memberships import admit, enter_room
from bot.http.security.auth import ApiViewer, needs
from bot.platforms.web.shapes import SESSION
from function_calls.language.messages import say
from function_calls.tools.permission import Viewer
from services.kernel.errors import ToolFailed

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from bot.http.mcp.server import McpTools


def add_mcp(app: FastAPI, context: HttpContext) -> None:
    """Add the route for MCP clients to `app`."""
    app.router.routes.append(Route("/mcp", endpoint=McpEndpoint(context), include_in_schema=False))


class McpEndpoint:
    """Answers requests without sessions, so that any worker can answer the next one."""

    def __init__(self, context: HttpContext) -> None:
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, which needs the scope `mcp`.

        Raises:
            HttpRefused: the request is not permitted, or the extra `mcp` is not installed.
        """
        request = Request(scope)
        viewer = await needs("mcp")(request)
        if not SESSION.fullmatch(_room_of(request)):
            raise HttpRefused(404, "not_found")
        await enter_room(self._context, viewer, _room_of(request))
        try:
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
            from mcp.server.transport_security import TransportSecuritySettings

            server = self._tools.server()
        except ImportError as error:
            raise HttpRefused(501, "not_set_up", why="the extra `mcp`") from error
        # The guard has checked host and origin.
        security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        manager = StreamableHTTPSessionManager(server, stateless=True, security_settings=security)
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    @cached_property
    def _tools(self) -> "McpTools":
        from bot.http.mcp.server import McpTools  # on use: the extra `mcp` may be missing

        return McpTools(self._context.app, self._context.clock, self._caller, admit=self._admit)

    def _caller(self, ctx: "ServerRequestContext[object]") -> Viewer:
        """Return the person of the token, and the room of the request."""
        request = ctx.request
        viewer = request.scope.get("viewer") if isinstance(request, Request) else None
        if not isinstance(request, Request) or not isinstance(viewer, ApiViewer):
            raise PermissionError("the request has no viewer")
        return Viewer(person=viewer.person, chat=self._context.room.address(_room_of(request)))

    def _admit(self, caller: Viewer) -> None:
        """Count a call as a message of the person in the room; a refusal becomes an error for the model."""
        try:
            admit(self._context, caller.chat, caller.person.id)
        except HttpRefused as refused:
            raise ToolFailed(say("en", f"http.{refused.code}", **refused.fields)) from refused


def _room_of(request: Request) -> str:
    return request.headers.get("bubbles-session", "lobby")
