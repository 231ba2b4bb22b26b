"""What every call style can do: write a request for a turn and read what came back."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from function_calls.model_calls.text_tool_calls.calls import find_printed_calls
from function_calls.tools.calls import Turn
from function_calls.tools.catalog.offered_tools import OfferedTools
from services.language_model.failures import RequestRejected
from services.language_model.ports import Completion, CompletionRequest, RequestedCall


class Correction(Struct, frozen=True, kw_only=True):
    """An answer of this turn whose calls could not be used, and what the model is told about each call."""

    text: str
    calls: tuple[RequestedCall, ...]
    feedback: tuple[str, ...]


class Reading(Struct, frozen=True, kw_only=True):
    """What a completion says: calls, words, both or nothing."""

    calls: tuple[RequestedCall, ...] = ()
    text: str = ""


class CallStyle(Protocol):
    """One way of making a model choose a tool; any number of messages share it."""

    def only_chooses(self, turn: Turn) -> bool:
        """Return whether the answer to `request` never is words, so that they have to be asked for separately."""
        ...

    def request(self, turn: Turn, tools: OfferedTools, corrections: Sequence[Correction]) -> CompletionRequest:
        """Return A request that lets the model call tools; `corrections` are its failed attempts in this turn."""
        ...

    def words_request(self, turn: Turn) -> CompletionRequest:
        """Return A request for an answer in words, without tools, from what the turn's tools have found."""
        ...

    def read(self, turn: Turn, completion: Completion, tools: OfferedTools) -> Reading:
        """Return what the model answered to `request`."""
        ...


class StyleSource(Protocol):
    """Knows the call style of an endpoint."""

    async def current(self) -> CallStyle:
        """Return the style to use.

        Raises:
            ModelUnavailable: it had to be found out, and the model gave no usable answer.
        """
        ...

    def after(self, style: CallStyle, rejection: RequestRejected) -> CallStyle | None:
        """The style to use from now on, where the endpoint refused a request of `style`; None when none would help."""
        ...


class FixedStyle(Struct, frozen=True):
    """The same style for every turn, whatever the endpoint says."""

    style: CallStyle

    async def current(self) -> CallStyle:
        """Return that style."""
        return self.style

    def after(self, style: CallStyle, rejection: RequestRejected) -> CallStyle | None:  # noqa: ARG002 - it has no other
        """None."""
        return None


def read_words(completion: Completion, tools: OfferedTools) -> Reading:
    """Return an answer that was asked for in words: whatever it prints as a call is left out and not made."""
    return Reading(text=find_printed_calls(completion.text, tools.by_name).text)
