"""Build the HTTP application from all routers, behind the guard."""

from collections.abc import Sequence
from typing import Any, Final

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp

from bot import __version__
from bot.http import page_files
from bot.http.admin import health, prometheus, settings, tool_servers
from bot.http.admin import record as admin_record
from bot.http.admin import routes as admin
from bot.http.chat import files, room_settings, search, socket
from bot.http.chat import routes as chat
from bot.http.core.context import HttpContext
from bot.http.core.errors import add_error_handlers, describe_errors
from bot.http.core.examples import add_request_examples, add_response_examples
from bot.http.mcp.endpoint import add_mcp
from bot.http.openai import routes as openai
from bot.http.page_files import add_plugin_pages
from bot.http.reminders import calendar
from bot.http.reminders import routes as reminders
from bot.http.security.guard import Guard
from bot.http.tools import routes as tools
from bot.http.tools import server as tool_server
from bot.http.tools import sources as tool_sources
from bot.http.tools import stored as stored_tools

ROUTERS: Final[Sequence[APIRouter]] = (
    chat.routes,
    socket.routes,
    files.routes,
    room_settings.routes,
    calendar.routes,
    reminders.routes,  # after the calendar, since it takes any id
    tool_sources.routes,
    tool_servers.routes,
    stored_tools.routes,
    tools.routes,  # after those three, since it takes any name
    tool_server.routes,
    openai.routes,
    openai.open_webui_routes,
    search.routes,
    admin_record.routes,
    admin.routes,
    settings.routes,
    settings.setup_routes,
    prometheus.routes,
    health.routes,
)
"""The routers of the API, in the order of matching; all of them are behind the guard and documented."""

_ABOUT: Final = (
    "Send messages to the bot, read the history and the record, manage reminders and call tools. Errors are "
    "`{code, detail, hint}`; requests from other machines need `Authorization: Bearer …`."
)


def build_guarded_app(context: HttpContext) -> ASGIApp:
    """Build the application of the API and the page, behind its guard."""
    app = FastAPI(
        title="Bubbles",
        version=__version__,
        description=_ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    add_error_handlers(app)
    app.state.context = context
    for routes in ROUTERS:
        _add_routes(app, routes)
    add_plugin_pages(app, context)
    _complete_document(app)
    add_mcp(app, context)
    app.mount("/assets", page_files.assets())
    _add_routes(app, page_files.routes)
    app.router.default = page_files.unknown_address
    return Guard(app, settings=context.settings.http, tokens=context.tokens, clock=context.clock)


def _add_routes(app: FastAPI, routes: APIRouter) -> None:
    # `include_router` would build every route a second time, at the first request.
    app.router.routes.extend(routes.routes)


def _complete_document(app: FastAPI) -> None:
    generate = app.openapi

    def complete() -> dict[str, Any]:
        is_new = app.openapi_schema is None
        document = generate()
        if is_new:
            describe_errors(document)
            add_request_examples(document)
            add_response_examples(document)
        return document

    app.openapi = complete  # type: ignore[method-assign]  # as FastAPI documents it
