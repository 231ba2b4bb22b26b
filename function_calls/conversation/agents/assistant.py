"""Answer the messages of chats with an agent, in place of the plain assistant."""

from collections.abc import Callable
from typing import Protocol

from loguru import logger
from msgspec.structs import replace

from function_calls.conversation.agent_loop import make_reply
from function_calls.conversation.agents.agent_tool import without_transfers
from function_calls.conversation.agents.outcome import SubAgent
from function_calls.tools.calls import Reply, Turn
from function_calls.tools.context import CallContext
from function_calls.tools.session_state import CallState, MemoryScopeStore, Session
from services.kernel.errors import ModelUnavailable
from services.kernel.state import ScopeStore


class TurnAnswerer(Protocol):
    """Answers turns, like `Assistant`."""

    async def answer(self, turn: Turn) -> Reply | None:
        """Answer `turn`, or return None for silence."""


class AgentAssistant:
    """Answers every turn with `agent`, or with `otherwise` if the model is unavailable before the first call.

    `states` stores the session state; without it the state is lost when the process ends.
    """

    def __init__(
        self,
        agent: SubAgent,
        *,
        context_for: Callable[[Turn, int], CallContext],
        otherwise: TurnAnswerer | None = None,
        states: ScopeStore | None = None,
    ) -> None:
        self._agent = agent
        self._context_for = context_for
        self._otherwise = otherwise
        self._states = states or MemoryScopeStore()

    async def answer(self, turn: Turn) -> Reply | None:
        """Answer `turn`; return None if nothing was asked of the bot.

        Raises:
            ModelUnavailable: the agent's model did not answer and there is no `otherwise`.
        """
        context = await self._context(turn)
        try:
            outcome = await self._agent.run(turn, context)
        except ModelUnavailable as error:
            if self._otherwise is None:
                raise
            logger.warning("agent {}: model unavailable ({}); falling back", self._agent.name, error.reason)
            return await self._otherwise.answer(turn)
        return make_reply(
            replace(turn, steps=without_transfers(outcome.steps)),
            outcome.text,
            outcome.notice,
            must_reply=outcome.must_reply,
            is_model_down=outcome.is_model_down,
        )

    async def _context(self, turn: Turn) -> CallContext:
        message = turn.message
        session = await Session.open(self._states, turn.conversation)
        context = self._context_for(turn, 0)
        return replace(context, state=CallState(session), invocation_id=f"{message.address.key}/{message.id}")
