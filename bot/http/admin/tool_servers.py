"""`/api/tools/servers`: add, test, change and remove the tool servers of the page."""

import json
from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request
from pydantic import Field, JsonValue, ValidationError

from bot.config.field_errors import field_problem
from bot.config.fields import HEADER_VALUE
from bot.http.admin.settings import SavedBody, open_editor, save_answer
from bot.http.core.bodies import Answer, Body
from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import HttpRefused, invalid_fields, request_language
from bot.http.security.auth import AdminViewer, ApiViewer, needs
from bot.platforms.web.frames import format_instant
from bot.tools.servers.connections import ToolServerConnection, connection_entries
from bot.tools.servers.mcp.servers import ConfirmMode, label_of
from bot.tools.servers.sources import ServerProbe, try_connection
from function_calls.language.messages import text_in

_KEY = "tool_servers.page_connections"
LABEL = Annotated[str, Path(max_length=64, examples=["weather"])]

routes = APIRouter(prefix="/api/tools/servers", tags=["tools"], dependencies=[Depends(needs("admin"))])

Entry = dict[str, JsonValue]


class ServerBody(Body):
    """A tool server: an OpenAPI one by its base address or document, or an MCP one over streamable HTTP."""

    type: Literal["openapi", "mcp"] = "openapi"
    url: str = Field(max_length=2000, examples=["http://127.0.0.1:8000"])
    name: str = Field("", max_length=24, description="Its name here; derived from the address by default.")
    key: str = Field(
        "", max_length=4000, pattern=HEADER_VALUE, description="Sent to the server as a bearer token; never returned."
    )
    confirm: ConfirmMode = Field("changes", description="Calls that the person confirms first.")


class ServerChangeBody(Body):
    """New values; fields that are left out stay."""

    enabled: bool | None = None
    key: str | None = Field(None, max_length=4000, pattern=HEADER_VALUE)
    confirm: ConfirmMode | None = None


class ServerEntry(Answer):
    """A tool server of the page; its key is not shown."""

    name: str
    type: Literal["openapi", "mcp"]
    url: str
    has_key: bool
    confirm: ConfirmMode
    enabled: bool


class ServerList(Answer):
    """The tool servers of the page, in the order they were added."""

    servers: list[ServerEntry]


class ServerProbeBody(Answer):
    """The names of the tools of a server, or the `problem` that prevented listing them."""

    tools: list[str]
    problem: str


@routes.get("")
async def servers(context: Context) -> ServerList:
    """List the tool servers that were added in the page."""
    return ServerList(servers=[_entry_body(each) for each in _entries(context)])


@routes.post("/test", status_code=200)
async def test_server(body: ServerBody, request: Request, context: Context) -> ServerProbeBody:
    """Connect to a tool server once and list its tools; nothing is stored."""
    entry = _check_entry(body.model_dump(), request)
    probe = await try_connection(entry, context.settings.tool_servers)
    return _probe_body(probe, request)


@routes.post("", status_code=201)
async def add(body: ServerBody, request: Request, context: Context, viewer: AdminViewer) -> SavedBody:
    """Add a tool server; its tools are offered as soon as it answers."""
    entry = _check_entry(body.model_dump(), request)
    entry["name"] = ToolServerConnection.model_validate(entry).label
    taken = {each.label for each in context.app.tools.sources} | {_label(each) for each in _entries(context)}
    if entry["name"] in taken:
        language = request_language(request)
        raise invalid_fields(language, {"name": field_problem(language, "taken")}, status=409)
    return _save(context, request, viewer, [*_entries(context), entry | {"enabled": True}])


@routes.patch("/{label}")
async def change(
    label: LABEL, body: ServerChangeBody, request: Request, context: Context, viewer: AdminViewer
) -> SavedBody:
    """Enable or disable a tool server, or change its key or the calls that are confirmed."""
    changed = {key: value for key, value in body.model_dump().items() if value is not None}
    entries = _entries(context)
    _find(entries, label)
    return _save(context, request, viewer, [each | changed if _label(each) == label else each for each in entries])


@routes.delete("/{label}")
async def remove(label: LABEL, request: Request, context: Context, viewer: AdminViewer) -> SavedBody:
    """Remove a tool server."""
    entries = _entries(context)
    _find(entries, label)
    return _save(context, request, viewer, [each for each in entries if _label(each) != label])


@routes.post("/{label}/test")
async def test_stored(label: LABEL, request: Request, context: Context) -> ServerProbeBody:
    """Connect once to a tool server of the page, and list its tools."""
    probe = await try_connection(_find(_entries(context), label), context.settings.tool_servers)
    return _probe_body(probe, request)


def _probe_body(probe: ServerProbe, request: Request) -> ServerProbeBody:
    return ServerProbeBody(tools=list(probe.tools), problem=text_in(request_language(request), probe.problem))


def _entries(context: HttpContext) -> list[Entry]:
    settings = context.settings if context.editor is None else context.editor.load().settings
    listed = connection_entries(settings.tool_servers.page_connections, _KEY)
    return [dict(each) for each in listed if isinstance(each, Mapping)]


def _find(entries: list[Entry], name: str) -> Entry:
    for entry in entries:
        if _label(entry) == name:
            return entry
    raise HttpRefused(404, "source_unknown", label=name)


def _label(entry: Entry) -> str:
    return label_of(str(entry.get("name", "")), "server")


def _check_entry(entry: Entry, request: Request) -> Entry:
    try:
        ToolServerConnection.model_validate(entry)
    except ValidationError as error:
        language = request_language(request)
        first = error.errors(include_url=False, include_input=False)[0]
        field = str(first["loc"][0]) if first["loc"] else "url"
        raise invalid_fields(language, {field: field_problem(language, first)}) from None
    return entry


def _save(context: HttpContext, request: Request, viewer: ApiViewer, entries: list[Entry]) -> SavedBody:
    value = json.dumps(entries, ensure_ascii=False) if entries else None
    with open_editor(context, request) as editor:
        change = editor.save({_KEY: value}, person=viewer.person.name, at=format_instant(context.clock.now()))
        return save_answer(editor, change)


def _entry_body(entry: Entry) -> ServerEntry:
    stored = ToolServerConnection.model_validate(entry)
    return ServerEntry(
        name=_label(entry),
        type=stored.type,
        url=stored.url,
        has_key=bool(stored.key.get_secret_value()),
        confirm=stored.confirm,
        enabled=stored.enabled,
    )
