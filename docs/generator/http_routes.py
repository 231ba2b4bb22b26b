"""The page of every route of the HTTP API: who may use it, and what it does."""

import inspect
from collections.abc import Iterator

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, APIWebSocketRoute
from msgspec import Struct

from bot.http.app import ROUTERS
from docs.generator.markdown import cell, table

_HEAD = """# Routes of the HTTP API

The same, with the shapes of requests and answers, is at `/api/openapi.json` of a running bot. How to use them, and
which role has which scope, is told in [the HTTP API](http.md); `/mcp` is there too, where the extra `mcp` is installed.
"""


class Route(Struct, frozen=True, kw_only=True):
    """One way into the API. `scope` is what a token needs for it, empty where it needs none."""

    methods: str
    path: str
    scope: str
    about: str


def http_page() -> str:
    """Markdown of all routes."""
    rows = [(f"`{each.methods} {each.path}`", each.scope or "–", cell(each.about)) for each in http_routes()]
    return "\n".join([_HEAD, *table(("route", "scope", "does"), rows), ""])


def http_routes() -> Iterator[Route]:
    """Every route, in the order in which they are tried."""
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute | APIWebSocketRoute):
                methods = " ".join(sorted(route.methods or ())) if isinstance(route, APIRoute) else "SOCKET"
                about = (inspect.getdoc(route.endpoint) or "").split("\n\n")[0]
                yield Route(methods=methods, path=route.path, scope=_scope(route.dependant), about=about)


def _scope(dependant: Dependant) -> str:
    """The scope that one of a route's dependencies asks for, as `bot.http.security.auth.needs` keeps it."""
    for dependency in (each for one in dependant.dependencies for each in (one, *one.dependencies)):
        if inspect.isfunction(dependency.call) and dependency.call.__qualname__.startswith("needs."):
            return str(inspect.getclosurevars(dependency.call).nonlocals.get("scope", ""))
    return ""
