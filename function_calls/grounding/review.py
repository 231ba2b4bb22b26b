"""Define the review of a model's calls."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from function_calls.tools.calls import ToolCall, Turn


class Review(Struct, frozen=True, kw_only=True):
    """The calls to make, and the question to the person where something is missing."""

    calls: tuple[ToolCall, ...]
    question: str = ""


class CallReviewer(Protocol):
    """Reviews the calls that a model chose; `RuleBasedReview` is one."""

    def review(self, turn: Turn, calls: Sequence[ToolCall]) -> Review:
        """Return the corrected first `calls` that a model chose for `turn`."""
        ...

    def instead(self, turn: Turn, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """Return the calls that `turn` plainly asks for, where nothing in it supports `calls`."""
        ...

    def missed(self, turn: Turn) -> tuple[ToolCall, ...]:
        """Return the calls that `turn` asks for although a model chose none."""
        ...
