"""Generate the page of the routes of the HTTP API with their scopes."""

import inspect
from collections.abc import Iterator
from functools import cache

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, APIWebSocketRoute
from msgspec import Struct

from bot.http.app import ROUTERS
from docs.generator.markdown import cell, table

_HEAD = """# Routes of the HTTP API

`/api/openapi.json` of a running bot has the same routes with the schemas of requests and answers. Usage, roles and
scopes are on the page [HTTP API](http.md). `/mcp` needs the extra `mcp`.
"""


class Route(Struct, frozen=True, kw_only=True):
    """A route of the API. `scope` is the one that a token needs, or empty."""

    methods: str
    path: str
    scope: str
    about: str


@cache
def http_page() -> str:
    """Return the Markdown of all routes."""
    rows = [(f"`{each.methods} {each.path}`", each.scope or "–", cell(each.about)) for each in http_routes()]
    return "\n".join([_HEAD, *table(("route", "scope", "effect"), rows), ""])


def http_routes() -> Iterator[Route]:
    """Yield every route in the order of matching."""
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute | APIWebSocketRoute):
                methods = " ".join(sorted(route.methods or ())) if isinstance(route, APIRoute) else "SOCKET"
                about = (inspect.getdoc(route.endpoint) or "").split("\n\n")[0]
                yield Route(methods=methods, path=route.path, scope=_scope(route.dependant), about=about)


def _scope(dependant: Dependant) -> str:
    """Return the scope that a dependency of a route requires (`bot.http.security.auth.needs`)."""
    for dependency in (each for one in dependant.dependencies for each in (one, *one.dependencies)):
        if inspect.isfunction(dependency.call) and dependency.call.__qualname__.startswith("needs."):
            return str(inspect.getclosurevars(dependency.call).nonlocals.get("scope", ""))
    return ""
