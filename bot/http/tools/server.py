"""`/tools`: serve the bot's functions as an OpenAPI tool server, for example to Open WebUI."""

from typing import Annotated, Final

from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import JsonValue

from bot import __version__
from bot.http.core.bodies import as_json
from bot.http.core.context import Context
from bot.http.core.errors import HttpRefused
from bot.http.rooms.calls import ToolCaller, call_tool, check_arguments, create_turn, require_success, tool_viewer
from bot.http.rooms.memberships import admit, enter_room
from function_calls.tools.calls import ToolSpec
from services.kernel.state import Json

_SCHEME: Final = "bearer"

routes = APIRouter(prefix="/tools", tags=["tool server"])


@routes.get("/openapi.json", responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}})
async def document(request: Request, context: Context, caller: ToolCaller) -> JSONResponse:
    """Return the OpenAPI document of the tool server, with `POST /tools/{name}` for each function that you may call."""
    await enter_room(context, caller.viewer, caller.session_id)
    specs = await context.app.calls.list_specs(tool_viewer(context, caller.viewer, caller.session_id))
    url = str(request.base_url).rstrip("/") + routes.prefix
    return JSONResponse(tool_document(specs, context.settings.bot.name, url))


@routes.post("/{tool_name}")
async def call(
    tool_name: Annotated[str, Path(max_length=200, examples=["reminder_list"])],
    context: Context,
    caller: ToolCaller,
    given: Annotated[dict[str, JsonValue] | None, Body(description="The arguments.")] = None,
    confirm: Annotated[bool, Query(description="The person has confirmed the call, if necessary.")] = False,
) -> JsonValue:
    """Call a function with its arguments; the response is the result for a model.

    It is recorded, and counts as a message in the room.
    """
    turn, is_operator = await create_turn(context, caller), caller.viewer.is_operator
    arguments = await check_arguments(context, turn, tool_name, given or {}, is_for_model=True, is_operator=is_operator)
    admit(context, turn.message.address, turn.message.sender.id)
    result = await call_tool(context, turn, tool_name, arguments, is_confirmed=confirm, is_operator=is_operator)
    if result.ending == "question" and not result.ok:
        raise HttpRefused(409, "call_question", why=result.text)
    return as_json(require_success(result).for_model())


def tool_document(specs: tuple[ToolSpec, ...], bot_name: str, url: str) -> dict[str, Json]:
    """Return an OpenAPI 3.1 document that offers `specs` below `url`."""
    paths: dict[str, Json] = {f"/{spec.name}": {"post": _operation(spec)} for spec in specs}
    return {
        "openapi": "3.1.0",
        "info": {"title": bot_name, "version": __version__, "description": f"The functions of {bot_name} as tools."},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"securitySchemes": {_SCHEME: {"type": "http", "scheme": "bearer"}}},
        "security": [{_SCHEME: []}, {}],
    }


def _operation(spec: ToolSpec) -> Json:
    schema = as_json(_with_schema_id(spec))
    is_needed = bool(spec.parameters.get("required"))
    return {
        "operationId": spec.name,
        "summary": spec.name.replace("_", " "),
        "description": spec.description,
        "requestBody": {"required": is_needed, "content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": "The result", "content": {"application/json": {"schema": {}}}}},
    }


def _with_schema_id(spec: ToolSpec) -> dict[str, object]:
    """Return the parameters with an id, to which their `#/$defs/…` refer."""
    schema = dict(spec.parameters)
    return schema | {"$id": f"urn:tool:{spec.name}"} if "$defs" in schema else schema
