"""Authenticate requests and check their scopes."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Final

from fastapi import Depends, Query
from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import HTTPConnection

from bot.http.core.errors import HttpRefused
from bot.http.core.tokens import SCOPES, Role, Scope, Token, Tokens
from bot.platforms.web.shapes import MAX_NAME_LENGTH, person_called
from services.kernel.chat import Person

_BEARER: Final = "bearer "
NAME = Annotated[
    str | None,
    Query(max_length=MAX_NAME_LENGTH, description="Who you are in the room; the name of the token where it has one."),
]


class ApiViewer(Struct, frozen=True, kw_only=True):
    """The person of a request, with the role and scopes of their token.

    `rooms` are those that the token is restricted to, or None. `is_fixed` if the token names the person, so that the
    request cannot name another. `token_id` is empty without a token; a person may have several tokens. `is_renamed` if
    the request names another person than the token; the access of that person counts.
    """

    person: Person
    role: Role
    scopes: frozenset[Scope]
    rooms: frozenset[str] | None = None
    is_fixed: bool = False
    token_id: str = ""
    is_renamed: bool = False

    @property
    def is_operator(self) -> bool:
        """Return whether an admin acts in their own name, so that all tools are listed."""
        return "admin" in self.scopes and not self.is_renamed

    def with_name(self, name: str | None) -> "ApiViewer":
        """Return the viewer as the person that the request names.

        Raises:
            HttpRefused: the name is invalid (422), or the token has another (403).
        """
        if not name:
            return self
        person = read_person(name, is_admin=self.person.is_admin)
        if self.is_fixed and person.id != self.person.id:
            raise HttpRefused(403, "not_your_name", name=self.person.name)
        if self.is_fixed or person.id == self.person.id:
            return self
        return replace(self, person=person, is_renamed=True)


def read_person(name: str, *, is_admin: bool = False) -> Person:
    """Return the person of a name in a request.

    Raises:
        HttpRefused: the name is invalid (422).
    """
    try:
        return person_called(name, is_admin=is_admin)
    except ValueError as error:
        raise HttpRefused(422, "name_invalid", limit=MAX_NAME_LENGTH) from error


LOCAL: Final = ApiViewer(person=Person(id="you", name="you"), role="admin", scopes=SCOPES["admin"])
"""The viewer of requests from this machine without a token, if the bot has none."""


def viewer_of_token(token: Token) -> ApiViewer:
    """Return the viewer of a token; an admin may act in any name."""
    is_admin = token.role == "admin"
    person = person_called(token.name, is_admin=is_admin)
    return ApiViewer(
        person=person,
        role=token.role,
        scopes=token.scopes,
        rooms=token.rooms,
        is_fixed=not is_admin,
        token_id=token.id,
    )


async def identify(connection: HTTPConnection, tokens: Tokens, *, is_open: bool) -> ApiViewer | None:
    """Return the viewer of `connection`, or None.

    With `is_open`, for a bot without a token, which only this machine reaches, a request without a valid token is from
    `LOCAL`: many clients insist on sending a placeholder.
    """
    secret = _secret_of(connection)
    token = await tokens.find(secret) if secret else None
    if token is not None:
        return viewer_of_token(token)
    return LOCAL if is_open else None


def _secret_of(connection: HTTPConnection) -> str:
    """Return the token of the header `Authorization: Bearer …` or, for WebSockets of a browser, of the query."""
    header = connection.headers.get("authorization", "")
    secret = header[len(_BEARER) :].strip() if header.lower().startswith(_BEARER) else ""
    if not secret and connection.scope["type"] == "websocket":
        return connection.query_params.get("token", "")
    return secret


async def viewer_of(connection: HTTPConnection) -> ApiViewer:
    """Return the viewer that the guard identified; async because FastAPI runs other dependencies in a thread.

    Raises:
        HttpRefused: the request has no valid token (401).
    """
    viewer = connection.scope.get("viewer")
    if not isinstance(viewer, ApiViewer):
        raise HttpRefused(401, "token_unknown" if _secret_of(connection) else "unauthorized")
    return viewer


def needs(scope: Scope) -> Callable[[HTTPConnection], Awaitable[ApiViewer]]:
    """Return a dependency that requires `scope`: `Annotated[ApiViewer, Depends(needs("tools"))]`."""

    async def check_scope(connection: HTTPConnection) -> ApiViewer:
        viewer = await viewer_of(connection)
        if scope not in viewer.scopes:
            raise HttpRefused(403, "scope_missing", scope=scope)
        return viewer

    return check_scope


ChatViewer = Annotated[ApiViewer, Depends(needs("chat"))]
ReminderViewer = Annotated[ApiViewer, Depends(needs("reminders"))]
ToolViewer = Annotated[ApiViewer, Depends(needs("tools"))]
MetricsViewer = Annotated[ApiViewer, Depends(needs("metrics"))]
AdminViewer = Annotated[ApiViewer, Depends(needs("admin"))]
