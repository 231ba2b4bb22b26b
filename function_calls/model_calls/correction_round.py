"""Track the valid calls and the corrections of one interpretation, and word its answer or question."""

from collections.abc import Sequence
from enum import Enum

from function_calls.language.messages import say
from function_calls.language.recurrence_text import without_rule_text
from function_calls.model_calls.styles.style import CallCorrection
from function_calls.tools.calls import Interpretation, Step, ToolCall, ToolResult, Turn
from function_calls.tools.catalog.model_call_validation import CheckedCalls, Problem, ToolsFound, ids_of, is_same
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import Completion

MAX_REPEATS = 3  # of the same read-only call in one turn
MAX_SEARCHES = 3  # of tools in one interpretation
_ACCEPTED = "Accepted; it will be run together with the corrected ones. Do not repeat it."
_CUT_OFF = " The answer was cut off at the length limit: make it shorter."


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
    if earlier[-1].receipts or len(earlier) >= MAX_REPEATS:
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


class CorrectionRound:
    """The state of one interpretation. `corrections` are the answers returned to the model with feedback."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.corrections: list[CallCorrection] = []
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
        self.corrections.append(CallCorrection(text=text, calls=checked.requested, feedback=feedback))

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


def must_answer(turn: Turn) -> bool:
    """Return whether an answer is expected, because the bot was addressed or has called a tool."""
    return turn.message.is_for_bot or bool(turn.steps)


def make_answer(turn: Turn, completion: Completion, text: str) -> Interpretation:
    """Return the answer with the model's `text`, which has no call syntax.

    Raises:
        ModelUnavailable: the answer was cut off before any text.
    """
    if completion.finish_reason == "content_filter":
        return Interpretation(answer=say(turn.language, "model.filtered"))
    is_cut = completion.finish_reason == "length"
    if is_cut and not text:
        raise ModelUnavailable("malformed", "the answer was cut off at the length limit before it began")
    notice = say(turn.language, "model.cut_off") if is_cut else ""
    asks_for_syntax = any(word in turn.message.text.upper() for word in ("RRULE", "FREQ"))
    shown = text if asks_for_syntax else without_rule_text(turn.language, text)
    if not shown and turn.steps:
        shown = "\n".join(result.text for result in turn.steps[-1].results if result.text)
    return Interpretation(answer=shown, notice=notice)


def ask_about_problems(turn: Turn, problems: Sequence[Problem]) -> str:
    """Ask the person about calls that failed validation."""
    problem = problems[0]
    if not problem.tool:
        return say(turn.language, "model.no_such_tool")
    if not problem.fields:
        return say(turn.language, "model.question", tool=problem.tool)
    separator = "、" if turn.language == "zh" else ", "
    return say(turn.language, "model.question_fields", tool=problem.tool, fields=separator.join(problem.fields))


def ask_about_failure(turn: Turn, call: ToolCall) -> str:
    """Ask the person about a call that keeps failing, with the reason if the tool has a text for people."""
    reason = results_of(call, turn.steps)[-1].text
    question = say(turn.language, "model.stuck", tool=call.name)
    return f"{reason}\n{question}" if reason else question
