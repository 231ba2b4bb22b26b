"""Define call styles, which build the request for a turn and parse the completion."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from function_calls.model_calls.text_tool_calls.calls import find_text_calls
from function_calls.tools.calls import Turn
from function_calls.tools.catalog.offered_tools import OfferedTools
from services.language_model.failures import RequestRejected
from services.language_model.ports import Completion, CompletionRequest, RequestedCall


class CallCorrection(Struct, frozen=True, kw_only=True):
    """An answer with invalid calls, and the feedback for the model about each call."""

    text: str
    calls: tuple[RequestedCall, ...]
    feedback: tuple[str, ...]


class ModelReply(Struct, frozen=True, kw_only=True):
    """The calls and the text of a completion; both may be empty."""

    calls: tuple[RequestedCall, ...] = ()
    text: str = ""


class CallStyle(Protocol):
    """A format of requests for calls. It has no state of a turn."""

    def is_choice_only(self, turn: Turn) -> bool:
        """Return whether the answer to `request` has calls only, so that text needs a `text_request`."""

    def request(self, turn: Turn, tools: OfferedTools, corrections: Sequence[CallCorrection]) -> CompletionRequest:
        """Return a request for calls; `corrections` are the invalid calls of this turn."""

    def text_request(self, turn: Turn) -> CompletionRequest:
        """Return a request for an answer in text, without tools, with the results of the turn."""

    def read(self, turn: Turn, completion: Completion, tools: OfferedTools) -> ModelReply:
        """Parse the model's answer to `request`."""


class StyleSource(Protocol):
    """A source of the call style of an endpoint."""

    async def current(self) -> CallStyle:
        """Return the style to use.

        Raises:
            ModelUnavailable: a probe was needed, and the model gave no usable answer.
        """

    def after(self, style: CallStyle, rejection: RequestRejected) -> CallStyle | None:
        """Return the style to use after the endpoint rejected a request of `style`; None without an alternative."""


class FixedStyle(Struct, frozen=True):
    """A source of one style, also after rejections."""

    style: CallStyle

    async def current(self) -> CallStyle:
        """Return the style."""
        return self.style

    def after(self, style: CallStyle, rejection: RequestRejected) -> CallStyle | None:  # noqa: ARG002 - it has no other
        """Return None: there is no other style."""
        return None


def read_text(completion: Completion, tools: OfferedTools) -> ModelReply:
    """Return the text of a completion; calls printed in it are removed and not made."""
    return ModelReply(text=find_text_calls(completion.text, tools.by_name).text)
