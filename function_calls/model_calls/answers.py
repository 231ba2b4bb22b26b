"""Make answers for people from a model's text, and questions about calls that failed."""

from collections.abc import Sequence

from function_calls.language.messages import say
from function_calls.language.recurrence_text import without_rule_text
from function_calls.model_calls.correction_round import results_of
from function_calls.tools.calls import Interpretation, ToolCall, Turn
from function_calls.tools.catalog.model_call_validation import Problem
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import Completion


def must_answer(turn: Turn) -> bool:
    """Return whether an answer is expected, because the bot was addressed or has called a tool."""
    return turn.message.is_addressed or turn.message.is_private or bool(turn.steps)


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
    asked = say(turn.language, "model.stuck", tool=call.name)
    return f"{reason}\n{asked}" if reason else asked
