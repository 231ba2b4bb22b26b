"""Track the valid calls and the corrections of one interpretation, and recognise repeated calls."""

from collections.abc import Sequence
from enum import Enum

from function_calls.model_calls.styles.style import Correction
from function_calls.tools.calls import Step, ToolCall, ToolResult, Turn
from function_calls.tools.catalog.model_call_validation import CheckedCalls, Problem, ToolsFound, ids_of, is_same

MOST_REPEATS = 3  # of the same read-only call in one turn
MOST_SEARCHES = 3  # of tools in one interpretation


class Repeat(Enum):
    """The kind of a call, compared with the rounds before it."""

    NEW = "new"
    FAILED_BEFORE = "failed before"
    DONE_BEFORE = "done before"


def classify_call(call: ToolCall, steps: Sequence[Step]) -> Repeat:
    """Classify `call` by the earlier calls of this turn.

    A call that failed would fail again, a change must not be made twice, and a read-only call may be repeated a few
    times.
    """
    earlier = results_of(call, steps)
    if not earlier:
        return Repeat.NEW
    if not earlier[-1].ok:
        return Repeat.FAILED_BEFORE
    if earlier[-1].receipts or len(earlier) >= MOST_REPEATS:
        return Repeat.DONE_BEFORE
    return Repeat.NEW


def results_of(call: ToolCall, steps: Sequence[Step]) -> list[ToolResult]:
    """Return the earlier results of the same call, oldest first."""
    return [
        result
        for step in steps
        for earlier, result in zip(step.calls, step.results, strict=True)
        if is_same(earlier, call)
    ]


_ACCEPTED = "Accepted; it will be run together with the corrected ones. Do not repeat it."
_CUT_OFF = " The answer was cut off at the length limit: make it shorter."


class CorrectionRound:
    """The state of one interpretation. `corrections` are the answers returned to the model with feedback."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.corrections: list[Correction] = []
        self.repairs = 0
        self.searches = 0
        self.held: list[ToolCall] = []

    @property
    def taken_ids(self) -> set[str]:
        """The call ids of this turn."""
        return ids_of(self.turn.steps) | {call.id for correction in self.corrections for call in correction.calls}

    def hold(self, checked: CheckedCalls) -> None:
        """Hold the valid calls until the other calls are corrected."""
        self.held += [call for call in checked.calls if not any(is_same(call, other) for other in self.held)]

    def is_stuck(self, checked: CheckedCalls) -> bool:
        """Return whether the model repeats the calls that were refused last."""
        if not self.corrections:
            return False
        before = {(call.name, call.arguments) for call in self.corrections[-1].calls}
        return all(
            (call.name, call.arguments) in before
            for call, outcome in zip(checked.requested, checked.outcomes, strict=True)
            if isinstance(outcome, Problem)
        )

    def correct(self, checked: CheckedCalls, text: str, *, is_cut: bool) -> None:
        """Add the feedback for the model about its invalid calls and searches for tools."""
        self.repairs += bool(checked.problems)
        self.searches += checked.has_searches
        feedback = tuple(_correction_text(outcome, is_cut=is_cut) for outcome in checked.outcomes)
        self.corrections.append(Correction(text=text, calls=checked.requested, feedback=feedback))

    @property
    def fresh(self) -> tuple[ToolCall, ...]:
        """The held calls that were not made before in this turn."""
        return tuple(call for call in self.held if classify_call(call, self.turn.steps) is Repeat.NEW)

    @property
    def failed_before(self) -> ToolCall | None:
        """The first held call that failed before in this turn; None without any."""
        failed = (call for call in self.held if classify_call(call, self.turn.steps) is Repeat.FAILED_BEFORE)
        return next(failed, None)


def _correction_text(outcome: ToolCall | Problem | ToolsFound, *, is_cut: bool) -> str:
    if isinstance(outcome, ToolCall):
        return _ACCEPTED
    if isinstance(outcome, ToolsFound):
        return outcome.feedback
    return outcome.feedback + _CUT_OFF if is_cut else outcome.feedback
