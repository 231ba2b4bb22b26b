"""`/api/tools`: list and call the tools of a room."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request
from pydantic import Field, JsonValue

from bot.http.core.bodies import MAX_SESSION_LENGTH, SESSION_PATTERN, Answer, Body, as_json
from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import HttpRefused
from bot.http.core.timeseries import percentile
from bot.http.rooms.calls import Caller, ToolCaller, call_tool, check_arguments, create_turn, tool_viewer
from bot.http.rooms.memberships import admit, enter_room
from bot.http.security.auth import ToolViewer
from function_calls.language.messages import text_in
from function_calls.registry import Registry
from function_calls.tools.calls import ToolSpec
from function_calls.toolsets.source import Health, ToolSource
from services.storage.records.activity import Timed

TOOL_NAME = Annotated[str, Path(max_length=200, examples=["reminder_list"])]
_STATISTICS_PERIOD = timedelta(days=7)

routes = APIRouter(prefix="/api/tools", tags=["tools"])


class ToolHealth(Answer):
    """The health of the source of a tool; `detail` describes a problem."""

    is_ok: bool
    detail: str


class ToolMeta(Answer):
    """The fields of a tool that Open WebUI's clients show."""

    description: str


class ToolBody(Answer):
    """A tool; `calls`, `failures` and `p95_ms` are of the last seven days.

    `id` and `meta.description` repeat the name and the description for Open WebUI's clients.
    """

    id: str
    name: str
    meta: ToolMeta
    description: str
    parameters: dict[str, JsonValue] = Field(description="JSON Schema of the arguments.")
    source: str
    health: ToolHealth
    returns: Literal["reply", "observation"]
    permission: str
    confirm: bool
    changes_state: bool
    calls: int
    failures: int
    p95_ms: float | None


class ToolList(Answer):
    """The tools that you may call in a room."""

    tools: list[ToolBody]


class InvokeBody(Body):
    """A call. `dry_run` only checks the arguments."""

    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    session_id: str = Field("lobby", pattern=SESSION_PATTERN, max_length=MAX_SESSION_LENGTH)
    name: str | None = Field(None, max_length=40, description="The name of the caller.")
    dry_run: bool = False


class ReceiptBody(Answer):
    """A change that the call made."""

    action: str
    subject: str


class Invoked(Answer):
    """The result of a call: `result` for a model, `text` for people."""

    ok: bool
    status: Literal["ok", "error", "timeout", "denied", "checked"]
    result: JsonValue = None
    text: str = ""
    error: str | None = None
    duration_ms: float | None = None
    receipts: list[ReceiptBody] = Field(default_factory=list)


@routes.get("")
async def tools(context: Context, caller: ToolCaller) -> ToolList:
    """List the tools that you may call in a room, with their schemas; an admin sees all, unless a name is given."""
    return ToolList(tools=await _list_tools(context, caller))


@routes.get("/")
async def tool_list(context: Context, caller: ToolCaller) -> list[ToolBody]:
    """List the tools of `GET /api/tools` as an array, for Open WebUI's clients."""
    return await _list_tools(context, caller)


@routes.get("/{tool_name}")
async def tool(tool_name: TOOL_NAME, context: Context, caller: ToolCaller) -> ToolBody:
    """Return one tool with its schema."""
    for each in await _list_tools(context, caller):
        if each.id == tool_name:
            return each
    raise HttpRefused(404, "tool_unknown", tool=tool_name)


@routes.post("/{tool_name}/invoke")
async def invoke(
    tool_name: TOOL_NAME, body: InvokeBody, request: Request, context: Context, viewer: ToolViewer
) -> Invoked:
    """Call a tool, as in a chat; it is recorded, and counts as a message in the room."""
    caller = Caller.of(request, viewer.with_name(body.name), body.session_id)
    turn, is_operator = await create_turn(context, caller), caller.viewer.is_operator
    await check_arguments(context, turn, tool_name, body.arguments, is_operator=is_operator)
    if body.dry_run:
        return Invoked(ok=True, status="checked")
    admit(context, turn.message.address, turn.message.sender.id)
    result = await call_tool(context, turn, tool_name, body.arguments, is_operator=is_operator)
    return Invoked(
        ok=result.ok,
        status="ok" if result.ok else result.failure,
        result=as_json(result.for_model()) if result.ok else None,
        text=result.text,
        error=None if result.ok else result.error or result.text,
        duration_ms=round(result.duration_ms, 1),
        receipts=[ReceiptBody.model_validate(each) for each in result.receipts],
    )


async def _list_tools(context: HttpContext, caller: Caller) -> list[ToolBody]:
    await enter_room(context, caller.viewer, caller.session_id)
    viewer = tool_viewer(context, caller.viewer, caller.session_id)
    specs = await context.app.calls.list_specs(viewer)
    times = await context.activity.call_times(context.clock.now() - _STATISTICS_PERIOD)
    sources = {each.spec.name: each.source for each in await context.app.tools.list_tools(viewer)}
    return [_tool_body(spec, context.app.calls.registry, times, sources, caller.language) for spec in specs]


def _tool_body(
    spec: ToolSpec, registry: Registry, times: tuple[Timed, ...], sources: Mapping[str, ToolSource], language: str
) -> ToolBody:
    own = [each for each in times if each.name == spec.name]
    registered = registry.get(spec.name)
    options = None if registered is None else registered.options
    permission = "everyone" if options is None else options.permission
    parameters = as_json(dict(spec.parameters))
    return ToolBody(
        id=spec.name,
        name=spec.name,
        meta=ToolMeta(description=spec.description),
        description=spec.description,
        parameters=parameters if isinstance(parameters, dict) else {},
        source=_source_name(sources.get(spec.name), is_own=registered is not None),
        health=_health(sources.get(spec.name), language),
        returns=spec.returns,
        permission=permission if isinstance(permission, str) else ", ".join(permission),
        confirm=spec.confirm if options is None else bool(options.confirm),
        changes_state=spec.changes_state if options is None else options.changes_state,
        calls=len(own),
        failures=sum(not each.is_ok for each in own),
        p95_ms=percentile([each.milliseconds for each in own], 0.95),
    )


def _source_name(source: ToolSource | None, *, is_own: bool) -> str:
    if is_own:
        return "built-in"
    return "elsewhere" if source is None else source.label


def _health(source: ToolSource | None, language: str) -> ToolHealth:
    health = Health() if source is None else source.health()
    return ToolHealth(is_ok=health.is_ok, detail=text_in(language, health.detail))
