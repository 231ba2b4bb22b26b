"""Parse the tools that the client of a chat offers to run."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from function_calls.tools.calls import ToolSpec
from function_calls.tools.errors import SchemaInvalid
from function_calls.toolsets.openapi.bundle import safe_schema
from function_calls.toolsets.openapi.document import DocumentInvalid, mapping, sequence
from function_calls.toolsets.openapi.importer import METHODS
from function_calls.toolsets.openapi.operation import is_change, is_query_name
from function_calls.toolsets.openapi.texts import sanitize_description, tool_name

_MAX_SERVERS: Final = 20
_MAX_TOOLS: Final = 500  # of all servers, as they are read in the event loop

EventCall = Callable[[Mapping[str, object]], Awaitable[object]]
"""Sends an event to the client and returns its answer; raises `TimeoutError` or `ConnectionError` without one."""


class Offer(Struct, frozen=True, kw_only=True):
    """The tools of one client. `servers` maps a tool's name to the description of the server that runs it."""

    specs: tuple[ToolSpec, ...]
    originals: Mapping[str, str]
    servers: Mapping[str, Mapping[str, object]]
    session_id: str
    event_call: EventCall


def parse_offer(tool_servers: Sequence[object], session_id: str, event_call: EventCall) -> Offer:
    """Return the sanitized tools of `tool_servers`."""
    specs: list[ToolSpec] = []
    originals: dict[str, str] = {}
    servers: dict[str, Mapping[str, object]] = {}
    left = _MAX_TOOLS
    for server in tool_servers[:_MAX_SERVERS]:
        description = mapping(server)
        state_changing = _find_changing(mapping(description.get("openapi")))
        offered = sequence(description.get("specs"))[:left]
        left -= len(offered)
        for listed in offered:
            spec = _spec(mapping(listed), state_changing, originals)
            if spec is not None:
                specs.append(spec)
                originals[spec.name] = str(mapping(listed).get("name"))
                servers[spec.name] = {key: value for key, value in description.items() if key != "specs"}
    return Offer(specs=tuple(specs), originals=originals, servers=servers, session_id=session_id, event_call=event_call)


def _spec(
    listed: Mapping[str, object], state_changing: Mapping[str, bool], taken: Mapping[str, str]
) -> ToolSpec | None:
    """Return a sanitized spec of a client; None where it is invalid."""
    name = listed.get("name")
    if not isinstance(name, str) or not name:
        return None
    try:
        parameters = safe_schema(mapping(listed.get("parameters")))
    except (DocumentInvalid, SchemaInvalid):
        return None
    return ToolSpec(
        name=tool_name(name, "tool", "direct", taken),
        description=sanitize_description(listed.get("description")) or name,
        parameters=parameters,
        changes_state=state_changing.get(name, not is_query_name(name)),
    )


def _find_changing(openapi: Mapping[str, object]) -> dict[str, bool]:
    """Return True by operation id for operations that change something, if the client sent the document."""
    found: dict[str, bool] = {}
    for path, item in mapping(openapi.get("paths")).items():
        for method in METHODS:
            operation_id = mapping(mapping(item).get(method)).get("operationId")
            if isinstance(operation_id, str):
                found[operation_id] = is_change(method, operation_id, str(path))
    return found
