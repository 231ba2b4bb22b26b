"""Serve the built files of the page."""

from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response
from loguru import logger
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.http.core.context import HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.security.auth import viewer_of

FOLDER: Final = Path(__file__).parent / "pages"
_SCREEN_PATHS: Final = ("/", "/reminders", "/tools", "/activity", "/health", "/metrics-live", "/settings", "/setup")
_PROGRAM_PATHS: Final = ("/api/", "/v1/", "/assets/")
_NOT_BUILT: Final = "The page is not built: run `make page`. The API is at /api/openapi.json.\n"


routes = APIRouter(include_in_schema=False)


async def screen() -> Response:
    """Return the page; it shows the screen that the address names."""
    return _page(200)


async def file(name: str, request: Request) -> Response:
    """Return a file beside the page, such as its icon."""
    found = FOLDER / name
    if found not in FOLDER.glob("*") or not found.is_file():  # a long name is an error of the system
        if is_for_reader(request):
            return _page(404)
        raise HttpRefused(404, "not_found")
    return FileResponse(found, headers={"Cache-Control": "no-cache"})


async def icon() -> Response:
    """Return the icon, which browsers request at this address by default."""
    return FileResponse(FOLDER / "icon.svg", headers={"Cache-Control": "no-cache"})


async def unknown_address(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer 404: a browser gets the page, a program an error."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1000, "reason": ""})
        return
    if not is_for_reader(Request(scope)):
        raise HTTPException(404)
    await _page(404)(scope, receive, send)


def is_for_reader(request: Request) -> bool:
    """Return whether a browser opened this address as a page."""
    path = request.url.path
    is_read = request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", "")
    return is_read and not path.startswith(_PROGRAM_PATHS)


def _page(status: int) -> Response:
    index = FOLDER / "index.html"
    if not index.exists():
        return PlainTextResponse(_NOT_BUILT)
    return FileResponse(index, status_code=status, headers={"Cache-Control": "no-cache"})


for path in _SCREEN_PATHS:
    routes.add_api_route(path, screen, methods=["GET", "HEAD"])
routes.add_api_route("/favicon.ico", icon, methods=["GET", "HEAD"])
routes.add_api_route("/{name}", file, methods=["GET", "HEAD"])


class _ImmutableFiles(StaticFiles):
    """Files whose names change with their content, so that browsers never need to ask for them again."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def assets() -> ASGIApp:
    """Return the application that serves the scripts and styles of the page, compressed."""
    return GZipMiddleware(_ImmutableFiles(directory=FOLDER / "assets", check_dir=False), minimum_size=1000)


def add_plugin_pages(app: FastAPI, context: HttpContext) -> None:
    """Serve the pages of plugins to authenticated clients; a page that raises is logged and left out."""
    for plugin, make_page in context.app.plugins.pages():
        try:
            routes = make_page(context)
            app.include_router(routes, prefix=f"/plugins/{plugin}", dependencies=[Depends(viewer_of)])
        except Exception as error:  # noqa: BLE001 - plugins may raise anything; the API is served without the page
            logger.opt(exception=error).error("could not create a page of plugin {}", plugin)
