"""Define a call style: it writes the request for a turn and parses the completion."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from function_calls.model_calls.text_tool_calls.calls import find_text_calls
from function_calls.tools.calls import Turn
from function_calls.tools.catalog.offered_tools import OfferedTools
from services.language_model.failures import RequestRejected
from services.language_model.ports import Completion, CompletionRequest, RequestedCall


class Correction(Struct, frozen=True, kw_only=True):
    """An answer of this turn with invalid calls, and the message for the model about each call."""

    text: str
    calls: tuple[RequestedCall, ...]
    feedback: tuple[str, ...]


class Reading(Struct, frozen=True, kw_only=True):
    """A parsed completion: calls, text, both or nothing."""

    calls: tuple[RequestedCall, ...] = ()
    text: str = ""


class CallStyle(Protocol):
    """One way of making a model choose a tool; any number of messages share it."""

    def is_choice_only(self, turn: Turn) -> bool:
        """Return whether the answer to `request` has no text, which then needs a request of its own."""
        ...

    def request(self, turn: Turn, tools: OfferedTools, corrections: Sequence[Correction]) -> CompletionRequest:
        """Return a request that lets the model call tools; `corrections` are its failed attempts in this turn."""
        ...

    def text_request(self, turn: Turn) -> CompletionRequest:
        """Return a request for an answer in words, without tools, from the results of the turn's tools."""
        ...

    def read(self, turn: Turn, completion: Completion, tools: OfferedTools) -> Reading:
        """Parse the model's answer to `request`."""
        ...


class StyleSource(Protocol):
    """A source of the call style of an endpoint."""

    async def current(self) -> CallStyle:
        """Return the style to use.

        Raises:
            ModelUnavailable: a probe was needed, and the model gave no usable answer.
        """
        ...

    def after(self, style: CallStyle, rejection: RequestRejected) -> CallStyle | None:
        """Return the style to use after the endpoint rejected a request of `style`; None when none would help."""
        ...


class FixedStyle(Struct, frozen=True):
    """The same style for every turn, whatever the endpoint says."""

    style: CallStyle

    async def current(self) -> CallStyle:
        """Return that style."""
        return self.style

    def after(self, style: CallStyle, rejection: RequestRejected) -> CallStyle | None:  # noqa: ARG002 - it has no other
        """Return None: there is no other style."""
        return None


def read_text(completion: Completion, tools: OfferedTools) -> Reading:
    """Return the text of an answer without the calls printed in it, which are not made."""
    return Reading(text=find_text_calls(completion.text, tools.by_name).text)
