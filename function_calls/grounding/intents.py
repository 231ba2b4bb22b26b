"""Detect the intents of the person's own words, as opposed to untrusted text in the turn."""

from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from function_calls.grounding.message import KNOWN_TOOLS, ReadMessage
from function_calls.tools.calls import Turn
from services.kernel.chat import ChatMessage

_RESULTS = frozenset({"tool", "function"})  # roles of messages written by a client's tools
_LIKELY = 0.5
"""The least probability that a message asks for a tool though the rules make no call of it."""
_SURE = 0.8
"""The same, where a model has answered without a call: "sketch" is a request that the models do not know."""


def find_requested_tools(
    turn: Turn, message: ChatMessage, before: frozenset[str] | None = None
) -> frozenset[str] | None:
    """Return the tools that `message` asks for; None as long as nothing untrusted is in `turn`.

    Calls count that were chosen before the untrusted text was there, and requests that are read out of the person's
    own words without a model. `before` is what was known when the turn was handed to an agent.
    """
    place = _first_untrusted(turn)
    if place is None and before is None:
        return None
    chosen = before
    if chosen is None:
        steps = turn.steps[: (place or 0) + 1] if place is not None and place >= 0 else ()
        chosen = frozenset(call.name for step in steps for call in step.calls)
    return chosen | intents_of(turn, message)


def intents_of(turn: Turn, message: ChatMessage) -> frozenset[str]:
    """Return the names of the tools that `message` asks for."""
    read = ReadMessage(replace(turn, message=message))
    found = {call.name for call in read.calls}
    return frozenset(found | {tool for tool in KNOWN_TOOLS if read.share_of(tool) >= _LIKELY})


def asks_for_any(turn: Turn, tools: AbstractSet[str]) -> bool:
    """Return whether the message of `turn` asks for one of `tools` that is offered, and for nothing else first.

    The rules look for calls only where that is open. The examples of other tools are not compiled.
    """
    offered = tuple(tool for tool in turn.tools if tool.name in tools)
    if not offered:
        return False
    read = ReadMessage(replace(turn, tools=offered))
    if not read.asks_first_for(tools):
        return False
    return max(map(read.share_of, KNOWN_TOOLS & tools)) >= _SURE or (read.is_known and bool(read.calls_of(tools)))


def _first_untrusted(turn: Turn) -> int | None:
    """Return the index of the first round with untrusted results; -1 when it was there before, or is quoted."""
    if _quotes_somebody(turn) or any(each["role"] in _RESULTS for each in turn.client_messages or ()):
        return -1
    places = (place for place, step in enumerate(turn.steps) if any(each.is_untrusted for each in step.results))
    return next(places, None)


def _quotes_somebody(turn: Turn) -> bool:
    quoted = next((each for each in turn.recent if each.id == turn.message.reply_to), None)
    return quoted is not None and not quoted.sender.is_bot and quoted.sender.id != turn.message.sender.id
