"""Define the protocol and the outcome of agent runs."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from msgspec import Struct
from pydantic import BaseModel

from function_calls.conversation.agent_loop import Outcome
from function_calls.language.messages import say
from function_calls.tools.calls import TOOL_NAME, Choice, Receipt, Step, ToolResult, Turn
from function_calls.tools.context import Actions, CallContext
from function_calls.tools.policy import Dispatcher
from services.call_log.model import Ending
from services.kernel.chat import SentFile
from services.kernel.errors import ToolFailed

M = TypeVar("M", bound=BaseModel)


class AgentOutcome(Struct, frozen=True, kw_only=True):
    """The outcome of a run.

    Attributes:
        agent: the agent that gave the final answer.
        steps: the rounds of all agents.
        is_escalated: a tool ended the run.
        is_exhausted: the rounds were used up.
        ending: `text` is the `question` of a tool, or all tools have `answered` the chat themselves.
        output: the structured answer, if the agent has one.
        is_malformed: the agent should have given a structured answer and did not.
        is_model_down: a model was out of reach.
    """

    agent: str
    text: str
    steps: tuple[Step, ...]
    rounds_used: int
    notice: str = ""
    is_escalated: bool = False
    is_exhausted: bool = False
    ending: Ending = ""
    output: BaseModel | None = None
    is_malformed: bool = False
    is_model_down: bool = False

    def given(self, output_class: type[M]) -> M:
        """Return the structured answer, an instance of `output_class`, the agent's `output`.

        Raises:
            ToolFailed: the run ended without one.
        """
        if not isinstance(self.output, output_class):
            raise ToolFailed(f"agent '{self.agent}' gave no {output_class.__name__}")
        return self.output

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        """The receipts of all changes."""
        return tuple(receipt for step in self.steps for result in step.results for receipt in result.receipts)

    @property
    def files(self) -> tuple[SentFile, ...]:
        """All files for the chat."""
        return tuple(file for step in self.steps for result in step.results for file in result.files)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The buttons of the question that ended the run."""
        questions = (result for step in self.steps[-1:] for result in step.results if result.ending == "question")
        return tuple(choice for result in questions for choice in result.choices)

    @property
    def is_untrusted(self) -> bool:
        """Return whether untrusted text entered the run."""
        return any(result.is_untrusted for step in self.steps for result in step.results)


class SubAgent(Protocol):
    """The target of a transfer: an agent, or a loop of agents."""

    @property
    def name(self) -> str:
        """The name, of letters, digits, `_` and `-`."""

    @property
    def description(self) -> str:
        """The description for the models of other agents."""

    @property
    def dispatchers(self) -> Mapping[str, Dispatcher]:
        """The dispatchers for its calls and those of its sub-agents, by the agent's name."""

    async def run(self, turn: Turn, context: CallContext, *, rounds: int | None = None) -> AgentOutcome:
        """Process `turn` in the context of a call (or message), in at most `rounds` rounds.

        Raises:
            ModelUnavailable: a model was needed and did not answer before the first call.
        """


def agents_by_name(agents: Sequence[SubAgent]) -> dict[str, SubAgent]:
    """Return the agents by name, in order.

    Raises:
        ValueError: two have the same name.
    """
    named = {agent.name: agent for agent in agents}
    if len(named) != len(agents):
        raise ValueError(f"two agents have the same name: {', '.join(agent.name for agent in agents)}")
    return named


def check_agent_name(name: str) -> str:
    """Return `name` if it is valid for an agent.

    Raises:
        ValueError: it cannot be a tool's name.
    """
    if not TOOL_NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be the name of an agent; use letters, digits, _ and -, at most 64")
    return name


def out_of_rounds(agent: str, language: str, steps: tuple[Step, ...], used: int) -> AgentOutcome:
    """Return the outcome of a run that used up its rounds."""
    text = say(language, "failed.too_many_rounds")
    return AgentOutcome(agent=agent, text=text, steps=steps, rounds_used=used, is_exhausted=True)


def merge_actions(results: Sequence[ToolResult], actions: Sequence[Actions]) -> Actions:
    """Merge the actions of the tools that succeeded; of several transfers the first counts."""
    checked = [action for result, action in zip(results, actions, strict=True) if result.ok]
    transfers = (action.transfer_to_agent for action in checked if action.transfer_to_agent)
    outputs = (action.output for action in checked if action.output is not None)
    return Actions(
        transfer_to_agent=next(transfers, None),
        escalate=any(action.escalate for action in checked),
        output=next(outputs, None),
    )


def outcome_of(name: str, outcome: Outcome, used: int) -> AgentOutcome:
    """Return the outcome of the rounds of agent `name`, which used `used` of them."""
    return AgentOutcome(
        agent=name,
        text=outcome.text,
        steps=outcome.turn.steps,
        rounds_used=used,
        notice=outcome.interpretation.notice,
        is_escalated=outcome.actions.escalate,
        is_exhausted=outcome.is_exhausted,
        ending=outcome.ending,
        output=outcome.actions.output,
        is_model_down=outcome.interpretation.is_model_down,
    )
