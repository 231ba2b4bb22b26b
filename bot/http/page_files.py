"""The page itself: built files that come with the program."""

from pathlib import Path
from typing import Final

from fastapi import APIRouter
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.http.errors import HttpRefused

FOLDER: Final = Path(__file__).parent / "pages"
_SCREENS: Final = ("/", "/reminders", "/tools", "/activity", "/health", "/metrics-live")
_NOT_BUILT: Final = "The page is not built: run `make page`. The API is at /api/openapi.json.\n"


routes = APIRouter(include_in_schema=False)


async def screen() -> Response:
    """The page; it shows the screen that the address names."""
    index = FOLDER / "index.html"
    if not index.exists():
        return PlainTextResponse(_NOT_BUILT)
    return FileResponse(index, headers={"Cache-Control": "no-cache"})


async def file(name: str) -> Response:
    """A file beside the page, such as its icon."""
    found = FOLDER / name
    if found.parent != FOLDER or not found.is_file():
        raise HttpRefused(404, "not_found")
    return FileResponse(found, headers={"Cache-Control": "no-cache"})


async def icon() -> Response:
    """The icon, for browsers that look for one before they have read the page, or beside what is no page."""
    return await file("icon.svg")


for path in _SCREENS:
    routes.add_api_route(path, screen, methods=["GET", "HEAD"])
routes.add_api_route("/favicon.ico", icon, methods=["GET", "HEAD"])
routes.add_api_route("/{name}", file, methods=["GET", "HEAD"])


def assets() -> ASGIApp:
    """The files whose names change with their content: kept by browsers for ever, sent compressed."""
    return GZipMiddleware(_Immutable(StaticFiles(directory=FOLDER / "assets", check_dir=False)), minimum_size=1000)


class _Immutable:
    """Marks answers as never changing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                message["headers"] = [*message["headers"], (b"cache-control", b"public, max-age=31536000, immutable")]
            await send(message)

        await self._app(scope, receive, sending)
