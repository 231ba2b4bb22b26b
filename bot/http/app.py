"""The HTTP application: every router, behind the guard."""

from collections.abc import Sequence
from typing import Any, Final

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp

from bot import __version__
from bot.http import (
    admin_api,
    admin_record,
    calendar_api,
    chat_api,
    chat_socket,
    files_api,
    health,
    members_api,
    openai_api,
    page_files,
    prometheus,
    reminders_api,
    search_api,
    stored_tools_api,
    tool_server,
    tool_sources_api,
    tools_api,
)
from bot.http.answer_examples import show_answers
from bot.http.context import HttpContext
from bot.http.errors import add_error_handlers, describe_errors
from bot.http.guard import Guard
from bot.http.mcp_door import add_mcp
from bot.http.plugin_pages import add_plugin_pages
from bot.http.request_examples import show_examples

ROUTERS: Final[Sequence[APIRouter]] = (
    chat_api.routes,
    chat_socket.routes,
    members_api.routes,
    files_api.routes,
    calendar_api.routes,
    reminders_api.routes,  # after the calendar, since it takes any id
    tool_sources_api.routes,
    stored_tools_api.routes,
    tools_api.routes,  # after those two, since it takes any name
    tool_server.routes,
    openai_api.routes,
    openai_api.open_webui_routes,
    search_api.routes,
    admin_record.routes,
    admin_api.routes,
    prometheus.routes,
    health.routes,
)
"""Every part of the API; one that is added here is guarded and documented like the others."""

_ABOUT: Final = (
    "Talk to the bot, read what was said and done, manage reminders and call tools. Errors are "
    "`{code, detail, hint}`; from beyond this machine every request needs `Authorization: Bearer …`."
)


def http_app(context: HttpContext, routers: Sequence[APIRouter] = ROUTERS) -> FastAPI:
    """The API and the page, without their guard."""
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
    for routes in routers:
        _take(app, routes)
    add_plugin_pages(app, context)
    _complete_the_document(app)
    add_mcp(app, context)
    app.mount("/assets", page_files.assets())
    _take(app, page_files.routes)
    app.router.default = page_files.unknown_address
    return app


def _take(app: FastAPI, routes: APIRouter) -> None:
    # `include_router` would build every route a second time, when the first request comes.
    app.router.routes.extend(routes.routes)


def _complete_the_document(app: FastAPI) -> None:
    described = app.openapi

    def completed() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = described()
            describe_errors(document)
            show_examples(document)
            show_answers(document)
        return described()

    app.openapi = completed  # type: ignore[method-assign]  # the way that FastAPI documents for changing it


def guarded(context: HttpContext, routers: Sequence[APIRouter] = ROUTERS) -> ASGIApp:
    """The API and the page as they are served."""
    app = http_app(context, routers)
    return Guard(app, settings=context.settings.http, tokens=context.tokens, clock=context.clock)
