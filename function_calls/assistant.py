"""The loop: interpret, dispatch, word."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from loguru import logger

from function_calls.calls import Interpretation, Reply, Step, ToolCall, ToolResult, Turn
from function_calls.context import CallContext
from function_calls.interpreter import Interpreter
from function_calls.router import FunctionCallRouter
from function_calls.wording import say
from services.errors import ModelUnavailable

ContextFor = Callable[[Turn, int], CallContext]


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopLimits:
    """What one message may cost: rounds of interpretation, and seconds before the offline interpreter takes over."""

    rounds: int = 8
    seconds: float = 120.0


class Assistant:
    """Answers a turn with an interpreter and the tools, falling back to the offline interpreter."""

    def __init__(
        self,
        router: FunctionCallRouter,
        interpreter: Interpreter,
        *,
        offline: Interpreter,
        context_for: ContextFor,
        limits: LoopLimits | None = None,
    ) -> None:
        self._router = router
        self._interpreter = interpreter
        self._offline = offline
        self._context_for = context_for
        self._limits = limits or LoopLimits()

    async def answer(self, turn: Turn) -> Reply | None:
        """Answer `turn`, or return None for silence: nothing was asked of the bot."""
        notice = ""
        for _ in range(self._limits.rounds):
            interpretation = await self._interpret(turn)
            notice = interpretation.notice or notice
            if not interpretation.calls:
                return _spoken(turn, interpretation.answer, notice)
            results = await self._dispatch(turn, interpretation.calls)
            step = Step(text=interpretation.answer, calls=interpretation.calls, results=results)
            turn = replace(turn, steps=(*turn.steps, step))
            if self._is_final(step):
                return _spoken(turn, _worded(step), notice)
        logger.warning("a message used up its {} rounds", self._limits.rounds)
        return _spoken(turn, say(turn.language, "failed.too_many_rounds"), notice)

    async def _interpret(self, turn: Turn) -> Interpretation:
        if self._interpreter is self._offline:
            return await self._offline.interpret(turn)
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await self._interpreter.interpret(turn)
        except (ModelUnavailable, TimeoutError) as error:
            reason = error.reason if isinstance(error, ModelUnavailable) else "timeout"
            logger.warning("model unavailable ({}); the offline interpreter answers", reason)
            return await self._without_model(turn)

    async def _without_model(self, turn: Turn) -> Interpretation:
        notice = say(turn.language, "notice.model_down")
        if turn.steps:  # calls have been made for this message; reading it again would make them twice
            return Interpretation(answer=_worded(turn.steps[-1]), notice=notice)
        return replace(await self._offline.interpret(turn), notice=notice)

    async def _dispatch(self, turn: Turn, calls: tuple[ToolCall, ...]) -> tuple[ToolResult, ...]:
        contexts = [self._context_for(turn, place) for place in range(len(calls))]
        if len(calls) == 1:
            return (await self._router.dispatch(calls[0], contexts[0]),)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._router.dispatch(call, context))
                for call, context in zip(calls, contexts, strict=True)
            ]
        return tuple(task.result() for task in tasks)

    def _is_final(self, step: Step) -> bool:
        """Whether the results are the answer: every tool answers by itself, or asked the person something."""
        return all(
            result.is_question or result.is_answered or self._replies(call, result)
            for call, result in zip(step.calls, step.results, strict=True)
        )

    def _replies(self, call: ToolCall, result: ToolResult) -> bool:
        tool = self._router.registry.get(call.name)
        return tool is not None and tool.options.returns == "reply" and bool(result.text)


def _worded(step: Step) -> str:
    return "\n".join(result.text for result in step.results if result.text)


def _spoken(turn: Turn, text: str, notice: str) -> Reply | None:
    """The reply to `turn`; silence when it was neither addressed to the bot nor led to a call."""
    if not text.strip() or not (turn.message.is_addressed or turn.steps):
        return None
    return Reply(text=f"{text.strip()}\n{notice}" if notice else text.strip(), reply_to=turn.message.id)
