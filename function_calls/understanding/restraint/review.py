"""What a second look at a model's calls comes to, and who may take that look."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from function_calls.tools.calls import ToolCall, Turn


class Review(Struct, frozen=True, kw_only=True):
    """The calls to make, and what the person is to be asked because something is missing."""

    calls: tuple[ToolCall, ...]
    question: str = ""


class CallReviewer(Protocol):
    """Looks at what a model chose before it is done; `SecondReader` is one."""

    def review(self, turn: Turn, calls: Sequence[ToolCall]) -> Review:
        """What is left of the first `calls` that a model chose for `turn`."""
        ...

    def instead(self, turn: Turn, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """What `turn` plainly asks for, where nothing in it speaks for `calls`."""
        ...

    def missed(self, turn: Turn) -> tuple[ToolCall, ...]:
        """What `turn` asks for although a model that may only choose chose nothing."""
        ...
