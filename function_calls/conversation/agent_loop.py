"""Run the rounds of a turn: interpret, dispatch and inspect the results until there is an answer."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise

from loguru import logger
from msgspec import Struct, field
from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Interpretation, Interpreter, Reply, Step, ToolCall, ToolResult, Turn
from function_calls.tools.confirmation.buttons import buttons_to_undo
from function_calls.tools.context import Actions, CallContext
from function_calls.tools.dispatch.execution import can_retry, may_have_changed
from services.call_log.model import Ending
from services.kernel.chat import Choice
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import TextListener


class LoopLimits(Struct, frozen=True, kw_only=True):
    """The limits of one message: rounds of interpretation, and seconds per interpretation."""

    rounds: int = 8
    seconds: float = 120.0


class Dispatched(Struct, frozen=True, kw_only=True):
    """The results of one round's calls, in call order, and the actions that the tools request of the calling agent."""

    results: tuple[ToolResult, ...]
    actions: Actions = field(default_factory=Actions)


class Outcome(Struct, frozen=True, kw_only=True):
    """The outcome of a turn's rounds.

    Attributes:
        turn: with the steps of all rounds.
        interpretation: that of the last round, with what is true of any round: its notice, its buttons, an answered
            question of an interpreter and a model out of reach.
        is_exhausted: the rounds were used up.
    """

    turn: Turn
    text: str
    interpretation: Interpretation = field(default_factory=Interpretation)
    actions: Actions = field(default_factory=Actions)
    rounds_left: int = 0
    is_exhausted: bool = False

    @property
    def ending(self) -> Ending:
        """`question`: `text` is the question of a tool; `answered`: all tools have sent the answer themselves."""
        if self.is_exhausted or not self.interpretation.calls:
            return ""
        endings = {result.ending for result in self.turn.steps[-1].results}
        if "question" in endings:
            return "question"
        return "answered" if endings == {"answered"} else ""


Interpret = Callable[[Turn], Awaitable[Interpretation]]
Dispatch = Callable[[Turn, Interpretation], Awaitable[Dispatched]]


async def run_rounds(turn: Turn, interpret: Interpret, dispatch: Dispatch, rounds: int) -> Outcome:
    """Run rounds until there are no calls, the results are the answer, a tool ends the run, or `rounds` are used up."""
    merged = Interpretation()
    for left in range(rounds - 1, -1, -1):
        interpretation = await interpret(turn)
        merged = _merge(merged, interpretation)
        if not interpretation.calls:
            return Outcome(turn=turn, text=interpretation.answer, interpretation=merged, rounds_left=left)
        done = await dispatch(turn, interpretation)
        step = Step(text=interpretation.answer, calls=interpretation.calls, results=done.results)
        turn = replace(turn, steps=(*turn.steps, step))
        if is_final(step) or done.actions.end_the_run:
            text = join_texts(step) or (step.text if done.actions.escalate else "")
            return Outcome(turn=turn, text=text, interpretation=merged, actions=done.actions, rounds_left=left)
    logger.warning("a message used up its {} rounds", rounds)
    text = say(turn.language, "failed.too_many_rounds")
    return Outcome(turn=turn, text=text, interpretation=merged, is_exhausted=True)


def _merge(before: Interpretation, last: Interpretation) -> Interpretation:
    return replace(
        last,
        notice=last.notice or before.notice,
        choices=last.choices or before.choices,
        is_answer=last.is_answer or before.is_answer,
        is_model_down=last.is_model_down or before.is_model_down,
    )


async def dispatch_all(
    router: FunctionCallRouter, calls: Sequence[ToolCall], contexts: Sequence[CallContext]
) -> tuple[ToolResult, ...]:
    """Run the calls of one round at the same time, but one that only reads after the changes before it.

    The results are in call order.
    """
    if len(calls) == 1:
        return (await router.dispatch(calls[0], contexts[0]),)
    reads = [router.is_read_only(call.name) for call in calls]
    bounds = [0, *(at for at in range(1, len(calls)) if reads[at] and not reads[at - 1]), len(calls)]
    results: list[ToolResult] = []
    for first, last in pairwise(bounds):
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(router.dispatch(calls[at], contexts[at])) for at in range(first, last)]
        results += [task.result() for task in tasks]
    return tuple(results)


def listener_of_call(turn: Turn, place: int) -> TextListener | None:
    """Return the listener for the streamed answer of the call at `place`: only the first call streams."""
    return turn.on_text if place == 0 else None


async def interpret_within(seconds: float, interpreter: Interpreter, turn: Turn) -> Interpretation:
    """Interpret `turn` in at most `seconds`.

    Raises:
        ModelUnavailable: a model was needed and none answered in time.
    """
    try:
        async with asyncio.timeout(seconds):
            return await interpreter.interpret(turn)
    except TimeoutError as error:
        raise ModelUnavailable("timeout") from error


def is_unanswered(turn: Turn, interpretation: Interpretation) -> bool:
    """Return whether a person who expects an answer would get none."""
    is_waited_for = turn.message.is_addressed or bool(turn.steps)
    is_answered = interpretation.handled_elsewhere or any(
        result.ending == "answered" for step in turn.steps for result in step.results
    )
    return (
        is_waited_for
        and not is_answered
        and not (interpretation.calls or interpretation.answer.strip() or interpretation.notice)
    )


def results_as_answer(turn: Turn, error: ModelUnavailable) -> Interpretation:
    """Return the last round's results as the answer, without a model; a new round would repeat the calls."""
    return without_model(Interpretation(answer=join_texts(turn.steps[-1])), turn.language, error)


def without_model(interpretation: Interpretation, language: str, error: ModelUnavailable) -> Interpretation:
    """Return `interpretation` with the reason why no model was used, in one line."""
    is_down = error.reason != "budget"
    notice = say(language, "notice.model_down" if is_down else "notice.over_budget")
    return replace(interpretation, notice=notice, is_model_down=is_down)


def is_final(step: Step) -> bool:
    """Return whether the results are the answer: every tool replied to the person, or asked a question."""
    return all(result.ending for result in step.results)


def join_texts(step: Step) -> str:
    """Join the texts for people of a round's results; equal refusals of several calls are said once."""
    refusals: set[str] = set()
    lines = []
    for result in step.results:
        if result.text and (result.ok or result.text not in refusals):
            lines.append(result.text)
        if not result.ok:
            refusals.add(result.text)
    return "\n".join(lines)


def list_unrepeated_questions(outcome: Outcome) -> list[str]:
    """Return the questions of tools in earlier rounds that the model did not repeat."""
    questions = (result.text for step in outcome.turn.steps for result in step.results if result.ending == "question")
    return [text for text in questions if text not in outcome.text]


def undo_buttons(turn: Turn) -> tuple[Choice, ...]:
    """Return the button that undoes this turn's change; none if `undo` is not available to the person."""
    if all(tool.name != "undo" for tool in turn.tools):
        return ()
    results = [result for step in turn.steps for result in step.results]
    return buttons_to_undo(turn.language, results, turn.message.sender)


def make_reply(outcome: Outcome) -> Reply | None:
    """Return the reply with the text of `outcome`; None without text and files, or if none is expected."""
    turn, text, last = outcome.turn, outcome.text.strip(), outcome.interpretation
    files = tuple(file for step in turn.steps for result in step.results for file in result.files)
    if not (text or files) or not (turn.message.is_addressed or turn.steps or last.must_reply):
        return None
    results = turn.steps[-1].results if turn.steps else ()
    offered = (*(choice for result in results for choice in result.choices), *last.choices)
    undo = undo_buttons(turn)
    is_private = not turn.message.is_private and any(
        result.is_private for step in turn.steps for result in step.results
    )
    return Reply(
        text=f"{text}\n{last.notice}" if last.notice else text,
        reply_to=turn.message.id,
        choices=(*offered, *undo),
        hint=say(turn.language, "undo.hint") if undo else "",
        files=files,
        private_to=turn.message.sender if is_private else None,
        can_retry=(last.is_model_down and not last.choices and not may_have_changed(turn))
        or any(can_retry(result) for step in turn.steps for result in step.results),
    )
