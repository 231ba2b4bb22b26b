"""Answers a turn: rounds of interpreting and dispatching, and the offline interpreter when no model can be had."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from loguru import logger

from function_calls.calls import Conversation, Interpretation, Reply, ToolCall, Turn
from function_calls.context import CallContext
from function_calls.interpreter import Interpreter
from function_calls.recorder import NoRecorder, Recorder
from function_calls.rounds import (
    Dispatched,
    LoopLimits,
    dispatch_all,
    found_so_far,
    interpret_within,
    run_rounds,
    spoken,
    without_model,
)
from function_calls.router import FunctionCallRouter
from function_calls.session_state import CallState, LazySession, MemorySessionStateStore, SessionStateStore
from services.call_log.tally import current_tally
from services.errors import ModelUnavailable

__all__ = ["Assistant", "ContextFor", "LoopLimits"]

ContextFor = Callable[[Turn, int], CallContext]


class Assistant:
    """Answers a turn with an interpreter and the tools, falling back to the offline interpreter.

    `states` keeps the session state that tools read and write; without one it lasts as long as the process.
    `recorder` writes down what came of each turn.
    """

    def __init__(
        self,
        router: FunctionCallRouter,
        interpreter: Interpreter,
        *,
        offline: Interpreter,
        context_for: ContextFor,
        limits: LoopLimits | None = None,
        states: SessionStateStore | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self._router = router
        self._interpreter = interpreter
        self._offline = offline
        self._context_for = context_for
        self._limits = limits or LoopLimits()
        self._states = states or MemorySessionStateStore()
        self._recorder = recorder or NoRecorder()

    async def answer(self, turn: Turn) -> Reply | None:
        """Answer `turn`, or return None for silence: nothing was asked of the bot."""
        session = LazySession(self._states, Conversation(chat=turn.message.address, person=turn.message.sender))
        with self._recorder.turn(turn) as notes:
            outcome = await run_rounds(turn, self._interpret, partial(self._dispatch, session), self._limits.rounds)
            notes.reply = spoken(outcome.turn, outcome.text, outcome.notice, is_owed=outcome.is_owed)
        return notes.reply

    async def _interpret(self, turn: Turn) -> Interpretation:
        is_offline, tally = self._interpreter is self._offline, current_tally()
        if tally is not None:
            tally.begin_round("offline" if is_offline else "model")
        if is_offline:
            return await self._offline.interpret(turn)
        try:
            return await interpret_within(self._limits.seconds, self._interpreter, turn)
        except ModelUnavailable as error:
            logger.warning("model unavailable ({}); the offline interpreter answers", error.reason)
            if tally is not None:
                tally.fall_back("offline", error.reason)
            return await self._without_model(turn, error)

    async def _without_model(self, turn: Turn, error: ModelUnavailable) -> Interpretation:
        if turn.steps:
            return found_so_far(turn, error)
        notice = without_model(turn.language, error)
        return replace(await self._offline.interpret(turn), notice=notice)

    async def _dispatch(self, session: LazySession, turn: Turn, calls: tuple[ToolCall, ...]) -> Dispatched:
        """Run the calls. Nobody is there to hear a tool's `actions`: this is no agent."""
        opened, invocation = await session.get(), f"{turn.message.address.key}/{turn.message.id}"
        contexts = [
            replace(self._context_for(turn, place), state=CallState(opened), invocation_id=invocation)
            for place in range(len(calls))
        ]
        return Dispatched(results=await dispatch_all(self._router, calls, contexts))
