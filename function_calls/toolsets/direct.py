"""Tools that the client of a chat runs itself: it brings their specs with its message and gives their results."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from function_calls.calls import ToolResult, ToolSpec
from function_calls.context import CallContext
from function_calls.errors import SchemaInvalid
from function_calls.toolset import Viewer, unknown_tool
from function_calls.toolsets.openapi.changing import asks_only, is_change
from function_calls.toolsets.openapi.document import DocumentInvalid, mapping, sequence
from function_calls.toolsets.openapi.importer import METHODS
from function_calls.toolsets.openapi.naming import tool_name
from function_calls.toolsets.openapi.texts import tamed
from function_calls.toolsets.schemas import safe_schema

EXECUTE_TOOL: Final = "execute:tool"
_MOST_SERVERS: Final = 20
_MOST_TOOLS: Final = 200
_MOST_OFFERS: Final = 1000
_LONGEST_FED: Final = 16_000

EventCall = Callable[[Mapping[str, object]], Awaitable[object]]
"""Sends an event to the client and returns its answer; `TimeoutError` or `ConnectionError` when there is none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Offer:
    """The tools of one client. `servers` are by tool name: what was said of the server that runs it."""

    specs: tuple[ToolSpec, ...]
    originals: Mapping[str, str]
    servers: Mapping[str, Mapping[str, object]]
    session_id: str
    event_call: EventCall


class DirectToolset:
    """Tools by whoever offered them, in the chat that they were offered in; nobody else sees or calls them."""

    def __init__(self) -> None:
        self._offers: dict[tuple[str, str], _Offer] = {}

    @contextmanager
    def offered(
        self, viewer: Viewer, tool_servers: Sequence[object], *, session_id: str, event_call: EventCall
    ) -> Iterator[None]:
        """Offer the tools of `tool_servers` to `viewer` while the context lasts.

        Each server is an object with `url` and `specs` (`name`, `description`, `parameters`), as Open WebUI sends them.
        """
        key, offer = _key(viewer), _offer(tool_servers, session_id, event_call)
        if len(self._offers) >= _MOST_OFFERS:
            self._offers.pop(next(iter(self._offers)))
        self._offers[key] = offer
        try:
            yield
        finally:
            if self._offers.get(key) is offer:
                del self._offers[key]

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """What `viewer` brought along."""
        offer = self._offers.get(_key(viewer))
        return offer.specs if offer is not None else ()

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Ask the client to run a tool, and wait for its answer."""
        offer = self._offers.get(_key(Viewer.of(context.message)))
        if offer is None or name not in offer.originals:
            return unknown_tool(name, () if offer is None else offer.originals, context.language)
        event = {
            "type": EXECUTE_TOOL,
            "data": {
                "id": str(uuid4()),
                "name": offer.originals[name],
                "params": dict(arguments),
                "server": offer.servers[name],
                "session_id": offer.session_id,
            },
        }
        try:
            answer = await offer.event_call(event)
        except TimeoutError:
            return ToolResult.failed(f"the client did not run '{name}' in time", kind="timeout")
        except ConnectionError:
            return ToolResult.failed(f"the client that runs '{name}' is gone")
        return _result(answer)


def _key(viewer: Viewer) -> tuple[str, str]:
    return viewer.chat.key, viewer.key


def _offer(tool_servers: Sequence[object], session_id: str, event_call: EventCall) -> _Offer:
    specs: list[ToolSpec] = []
    originals: dict[str, str] = {}
    servers: dict[str, Mapping[str, object]] = {}
    for server in tool_servers[:_MOST_SERVERS]:
        told = mapping(server)
        changing = _changing(mapping(told.get("openapi")))
        for listed in sequence(told.get("specs"))[:_MOST_TOOLS]:
            spec = _spec(mapping(listed), changing, originals)
            if spec is not None:
                specs.append(spec)
                originals[spec.name] = str(mapping(listed).get("name"))
                servers[spec.name] = {key: value for key, value in told.items() if key != "specs"}
    return _Offer(
        specs=tuple(specs), originals=originals, servers=servers, session_id=session_id, event_call=event_call
    )


def _spec(listed: Mapping[str, object], changing: Mapping[str, bool], taken: Mapping[str, str]) -> ToolSpec | None:
    """A spec as a client wrote it, made safe; None where it is none."""
    name = listed.get("name")
    if not isinstance(name, str) or not name:
        return None
    try:
        parameters = safe_schema(mapping(listed.get("parameters")))
    except (DocumentInvalid, SchemaInvalid):
        return None
    return ToolSpec(
        name=tool_name(name, "tool", "direct", taken),
        description=tamed(listed.get("description")) or name,
        parameters=parameters,
        changes_state=changing.get(name, not asks_only(name)),
    )


def _changing(openapi: Mapping[str, object]) -> dict[str, bool]:
    """Which operations change something, by id, where the client sent the document too."""
    found: dict[str, bool] = {}
    for path, item in mapping(openapi.get("paths")).items():
        for method in METHODS:
            operation_id = mapping(mapping(item).get(method)).get("operationId")
            if isinstance(operation_id, str):
                found[operation_id] = is_change(method, operation_id, str(path))
    return found


def _result(answer: object) -> ToolResult:
    """What the client answered: its value, of which files (`data:` URLs) are left out, or its error."""
    if isinstance(answer, Mapping) and set(answer) == {"error"}:
        return ToolResult.failed(str(answer["error"])[:600])
    if isinstance(answer, list):
        answer = [each for each in answer if not (isinstance(each, str) and each.startswith("data:"))]
    text = str(answer)
    if len(text) > _LONGEST_FED:
        return ToolResult(ok=True, text=text[:1500], value={"text": text[:_LONGEST_FED], "note": "cut off"})
    return ToolResult(ok=True, text=text[:1500], value=answer if answer is not None else {"result": None})
