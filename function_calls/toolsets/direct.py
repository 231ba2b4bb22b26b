"""Call tools that the client of a chat runs: it sends their specs with its message and returns their results."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Viewer, unknown_tool
from services.kernel.bounded import BoundedDict

if TYPE_CHECKING:
    from function_calls.toolsets.direct_offer import EventCall, Offer

EXECUTE_TOOL: Final = "execute:tool"
_MAX_OFFERS: Final = 1000
_MAX_MODEL_TEXT_LENGTH: Final = 16_000


class DirectToolset:
    """Tools that a client offers in one chat, only for that client."""

    def __init__(self) -> None:
        self._offers: BoundedDict[tuple[str, str], Offer] = BoundedDict(_MAX_OFFERS)

    @contextmanager
    def offer(
        self, viewer: Viewer, tool_servers: Sequence[object], *, session_id: str, event_call: "EventCall"
    ) -> Iterator[None]:
        """Offer the tools of `tool_servers` to `viewer` within the context.

        Each server is an object with `url` and `specs` (`name`, `description`, `parameters`), as Open WebUI sends them.
        """
        # Imported here, because it loads the OpenAPI importer, and most clients send no specs.
        from function_calls.toolsets.direct_offer import parse_offer

        key, offer = _key(viewer), parse_offer(tool_servers, session_id, event_call)
        self._offers[key] = offer
        try:
            yield
        finally:
            if self._offers.get(key) is offer:
                del self._offers[key]

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """List the tools that the client of `viewer` offered."""
        offer = self._offers.get(_key(viewer))
        return offer.specs if offer is not None else ()

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Ask the client to run a tool, and wait for its answer."""
        offer = self._offers.get(_key(context.viewer))
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


def _result(answer: object) -> ToolResult:
    """Return the client's result: its value without files (`data:` URLs), or its error."""
    if isinstance(answer, Mapping) and set(answer) == {"error"}:
        return ToolResult.failed(str(answer["error"])[:600])
    if isinstance(answer, list):
        answer = [element for element in answer if not (isinstance(element, str) and element.startswith("data:"))]
    text = str(answer)
    if len(text) > _MAX_MODEL_TEXT_LENGTH:
        return ToolResult(ok=True, text=text[:1500], value={"text": text[:_MAX_MODEL_TEXT_LENGTH], "note": "cut off"})
    return ToolResult(ok=True, text=text[:1500], value=answer if answer is not None else {"result": None})
