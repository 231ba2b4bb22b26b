"""Detect a model that repeats a call in one turn."""

from collections.abc import Sequence
from enum import Enum

from function_calls.tools.calls import Step, ToolCall, ToolResult
from function_calls.tools.catalog.model_call_validation import is_same

MOST_LOOKS = 3  # how often the same read-only call may be made in one turn


class Repeat(Enum):
    """The kind of a call, compared with the rounds before it."""

    NEW = "new"
    FAILED_BEFORE = "failed before"
    DONE_BEFORE = "done before"


def judge(call: ToolCall, steps: Sequence[Step]) -> Repeat:
    """Classify `call` by the earlier calls of this turn.

    A call that failed will fail again; one that changed something must not run twice; a read-only one may be
    repeated a few times.
    """
    earlier = results_of(call, steps)
    if not earlier:
        return Repeat.NEW
    if not earlier[-1].ok:
        return Repeat.FAILED_BEFORE
    if earlier[-1].receipts or len(earlier) >= MOST_LOOKS:
        return Repeat.DONE_BEFORE
    return Repeat.NEW


def results_of(call: ToolCall, steps: Sequence[Step]) -> list[ToolResult]:
    """Return the earlier results of the same call, oldest first."""
    return [
        result for step in steps for made, result in zip(step.calls, step.results, strict=True) if is_same(made, call)
    ]
