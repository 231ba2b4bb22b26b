"""`/api/tools/sources`: list and refresh the sources of tools."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request
from pydantic import Field

from bot.http.core.bodies import IN_ROOM, Answer
from bot.http.core.context import Context
from bot.http.core.errors import HttpRefused, request_language
from bot.http.rooms.calls import tool_viewer
from bot.http.rooms.memberships import RoomToolViewer
from bot.http.security.auth import needs
from bot.tools.servers.responses import ServerUnavailable
from function_calls.language.messages import text_in

routes = APIRouter(prefix="/api/tools/sources", tags=["tools"])


class SourceEntry(Answer):
    """A source of tools, and its health."""

    label: str
    kind: Literal["local", "openapi", "mcp", "python", "direct", "plugin", "skill"]
    title: str
    is_ok: bool
    detail: str
    tools: list[str] = Field(description="The names of its tools, as you may call them.")
    is_public: bool


class ClashEntry(Answer):
    """A name that several sources offer."""

    name: str
    kept_by: str
    renamed: list[str]


class SourceList(Answer):
    """The sources that you may use, and how clashes of names were resolved."""

    sources: list[SourceEntry]
    clashes: list[ClashEntry]


class ChangesBody(Answer):
    """The names of tools that a refresh added, removed or changed."""

    added: list[str]
    removed: list[str]
    changed: list[str]


@routes.get("")
async def sources(
    request: Request, context: Context, viewer: RoomToolViewer, session_id: IN_ROOM = "lobby"
) -> SourceList:
    """List the sources of the tools that you may use, their health, and clashes of names."""
    caller = tool_viewer(context, viewer, session_id)
    tools, owners = context.app.tools, context.settings.bot.owners
    listed = await tools.list_tools(caller)
    entries = []
    for source in tools.sources:
        if not source.access.admits(caller, owners):
            continue
        health = source.health()
        names = [each.spec.name for each in listed if each.source is source]
        entries.append(
            SourceEntry(
                label=source.label,
                kind=source.kind,
                title=source.title or source.label,
                is_ok=health.is_ok,
                detail=text_in(request_language(request), health.detail),
                tools=names,
                is_public=source.access.is_public,
            )
        )
    clashes = [ClashEntry.model_validate(each) for each in tools.combined.clashes]
    return SourceList(sources=entries, clashes=clashes if "admin" in viewer.scopes else [])


@routes.post("/{label}/refresh", dependencies=[Depends(needs("admin"))])
async def refresh(label: Annotated[str, Path(max_length=64)], context: Context) -> ChangesBody:
    """Fetch the document of an OpenAPI server again, and return the changes."""
    try:
        changes = await context.app.tools.refresh(label)
    except LookupError as error:
        raise HttpRefused(404, "source_unknown", label=label) from error
    except ServerUnavailable as error:
        raise HttpRefused(503, "source_unavailable", why=error) from error
    return ChangesBody.model_validate(changes)
