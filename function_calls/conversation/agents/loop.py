"""Run agents in turn, repeatedly, until one of them escalates."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from function_calls.conversation.agents.outcome import (
    AgentOutcome,
    SubAgent,
    agents_by_name,
    check_agent_name,
    out_of_rounds,
)
from function_calls.language.messages import say
from function_calls.tools.calls import Turn
from function_calls.tools.context import CallContext
from function_calls.tools.policy import Dispatcher
from services.kernel.chat import ChatMessage, Person
from services.kernel.errors import ModelUnavailable


class LoopAgent:
    """Runs `agents` in order, at most `max_iterations` times, until a tool sets `ctx.actions.escalate`.

    Each agent receives the texts of the agents before it as messages; all share the session state. A question to the
    person also ends the loop. The last text is the answer.
    """

    def __init__(
        self, *, name: str, agents: Sequence[SubAgent], description: str = "", max_iterations: int = 10
    ) -> None:
        self.name = check_agent_name(name)
        self.description = description
        self._agents = tuple(agents_by_name(agents).values())
        self._max_iterations = max_iterations

    @property
    def dispatchers(self) -> Mapping[str, Dispatcher]:
        """Return the dispatchers for the calls of its agents, by the agent's name."""
        return {name: dispatcher for agent in self._agents for name, dispatcher in agent.dispatchers.items()}

    async def run(self, turn: Turn, context: CallContext, *, rounds: int | None = None) -> AgentOutcome:
        """Run the agents on `turn` until one escalates, in at most `rounds` rounds of all agents together.

        Raises:
            ModelUnavailable: a model did not answer before the first call.
        """
        so_far = AgentOutcome(agent=self.name, text="", steps=turn.steps, rounds_used=0)
        for place, agent in self._schedule():
            left = None if rounds is None else rounds - so_far.rounds_used
            if left == 0:
                return out_of_rounds(self.name, turn.language, so_far.steps, so_far.rounds_used)
            inner = replace(context, call_id=f"{context.call_id}/{self.name}{place}")
            try:
                outcome = await agent.run(replace(turn, steps=()), inner, rounds=left)
            except ModelUnavailable:
                if len(so_far.steps) == len(turn.steps):
                    raise
                return replace(so_far, notice=say(turn.language, "notice.model_down"), is_model_down=True)
            turn_is_over = outcome.is_escalated or outcome.is_exhausted or outcome.ending == "question"
            turn = _append_message(turn, outcome, place)
            so_far = _merge(so_far, outcome)
            if turn_is_over:
                break
        return so_far

    def _schedule(self) -> Iterator[tuple[int, SubAgent]]:
        agents = (agent for _ in range(self._max_iterations) for agent in self._agents)
        return enumerate(agents)


def _merge(before: AgentOutcome, last: AgentOutcome) -> AgentOutcome:
    """Return the outcome of the loop so far; `is_escalated` is reset, so that an enclosing loop continues."""
    return replace(
        last,
        text=last.text or before.text,
        steps=(*before.steps, *last.steps),
        rounds_used=before.rounds_used + last.rounds_used,
        is_escalated=False,
    )


def _append_message(turn: Turn, outcome: AgentOutcome, place: int) -> Turn:
    """Return the turn for the next agent, with the text of `outcome` as a recent message."""
    if not outcome.text:
        return turn
    message = ChatMessage(
        id=f"{turn.message.id}/{outcome.agent}/{place}",
        address=turn.message.address,
        sender=Person(id=outcome.agent, name=outcome.agent, is_bot=True),
        text=outcome.text,
        sent_at=turn.now,
    )
    return replace(turn, recent=(*turn.recent, message))
