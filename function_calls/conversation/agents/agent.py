"""Define an agent: instructions, a model, tools and sub-agents, and the rounds of its run."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from loguru import logger
from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import BaseModel

from function_calls.conversation.agent_loop import (
    Dispatched,
    LoopLimits,
    Outcome,
    dispatch_all,
    found_so_far,
    interpret_within,
    listener_of_call,
    run_rounds,
)
from function_calls.conversation.agents.agent_tool import TransferTool, without_transfers
from function_calls.conversation.agents.outcome import AgentOutcome, SubAgent, by_name, checked_name, exhausted
from function_calls.conversation.agents.output import OUTPUT, answer_tool, interpreter_of
from function_calls.grounding.claims import is_unproven, what_happened, without_forged_receipt
from function_calls.grounding.intents import asked_for, was_shown
from function_calls.model_calls.hooks import HookedInterpreter, ModelHooks
from function_calls.model_calls.styles.choosing import StyleName
from function_calls.registry import Registrable, Registry, check_inverses
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Interpretation, Interpreter, ToolResult, Turn
from function_calls.tools.context import Actions, CallContext, Services
from function_calls.tools.dispatch.events import EventBus
from function_calls.tools.dispatch.hooks import ToolHooks
from function_calls.tools.policy import Dispatcher, EnclosedDispatcher
from function_calls.tools.session_state import StateConflict
from function_calls.tools.toolset import Toolset, Viewer
from function_calls.toolsets.combined import join
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import LanguageModel


class AgentHooks(Struct, frozen=True, kw_only=True):
    """The hooks of an agent: around the model, around the tools, and the bus for events of its calls.

    `tools` and `events` also apply to the calls of the agents that this one asks or hands over to. `model` is only of
    this agent.
    """

    model: ModelHooks = field(default_factory=ModelHooks)
    tools: ToolHooks = field(default_factory=ToolHooks)
    events: EventBus = field(default_factory=EventBus)


class Agent:
    """Works on turns with a model and tools of its own, and may hand them over to its sub-agents.

    Everything about it is decided here, once; any number of turns share one agent.

    Args:
        name: what it is called by, also as a tool: letters, digits, `_` and `-`.
        model: a language model, which is given `instructions`, or an interpreter, which needs none.
        description: what it is good for; other agents choose by it.
        instructions: what its model is told beside the bot's own system text.
        tools: functions and class tools, in any mixture.
        toolsets: tools from elsewhere, by label.
        sub_agents: whom it may hand a turn to; the tool for that is added by itself.
        output: the Pydantic model that its answer has to be an instance of, see `AgentOutcome.output`; what its model
            says otherwise goes back to it once, with every error. Tools that reply do not end such an agent's run.
        state: session state to begin with, where the session has none yet.
        injectable: classes of services that tools may ask for by annotation.
        hooks: where other code steps in.
        limits: rounds and seconds of one run.
        call_style: how a language model is asked for calls.

    Raises:
        ValueError: two sub-agents have one name, or a name cannot be a tool's; or an agent with an output, who has
            to answer by itself, has sub-agents.
        SignatureInvalid: a function among the tools cannot be offered to a model as it is declared.
    """

    def __init__(
        self,
        *,
        name: str,
        model: LanguageModel | Interpreter,
        description: str = "",
        instructions: str = "",
        tools: Iterable[Registrable] = (),
        toolsets: Mapping[str, Toolset] | None = None,
        sub_agents: Sequence[SubAgent] = (),
        output: type[BaseModel] | None = None,
        state: Mapping[str, object] | None = None,
        injectable: Collection[type[object]] = (),
        hooks: AgentHooks | None = None,
        limits: LoopLimits | None = None,
        call_style: StyleName = "native",
    ) -> None:
        self.name = checked_name(name)
        self.description = description
        hooks = hooks or AgentHooks()
        self._sub_agents = by_name(sub_agents)
        self._state = dict(state or {})
        self._limits = limits or LoopLimits()
        registry = Registry(injectable=(CallContext, Services, *injectable))
        registry.register(tools)
        check_inverses(registry, registry)
        if self._sub_agents:
            registry.register(TransferTool(self._sub_agents))
        self._has_form = output is not None
        if output is not None:
            _refuse_sub_agents(self.name, self._sub_agents)
            registry.register(answer_tool(output))
        interpreter = interpreter_of(model, instructions, call_style, registry.get(OUTPUT) if output else None)
        self._interpreter = HookedInterpreter(interpreter, hooks.model)
        self._router = FunctionCallRouter(registry, hooks=hooks.tools, events=hooks.events)
        if toolsets:
            join(self._router, toolsets)

    @property
    def dispatchers(self) -> Mapping[str, Dispatcher]:
        """Return the dispatchers of its calls and of the agents below it, by the agent's name."""
        below = [*self._sub_agents.values(), *self._router.registry]
        enclosed = {
            name: EnclosedDispatcher(inner=each, enclosing=(self._router,))
            for other in below
            for name, each in other.dispatchers.items()
        }
        return {**enclosed, self.name: self._router}

    async def run(self, turn: Turn, context: CallContext, *, rounds: int | None = None) -> AgentOutcome:
        """Work on `turn` on behalf of the call (or message) of `context`, in at most `rounds` rounds.

        Raises:
            ModelUnavailable: its model did not answer and nothing has been done yet.
        """
        granted = self._limits.rounds if rounds is None else min(rounds, self._limits.rounds)
        await self._begin_state(context)
        specs = await self._router.list_specs(Viewer.of(turn.message), context.policy)
        dispatch = partial(self._dispatch, context)
        outcome = await run_rounds(replace(turn, tools=specs), self._interpret, dispatch, granted)
        used = granted - outcome.rounds_left
        chosen = outcome.actions.transfer_to_agent
        if chosen is None:
            return replace(_end(self.name, outcome, used), is_malformed=self._is_malformed(outcome))
        if not outcome.rounds_left:
            return exhausted(self.name, turn.language, outcome.turn.steps, used)
        logger.info("agent {} transfers to {}", self.name, chosen)
        return await self._transfer(self._sub_agents[chosen], outcome, used, context)

    async def _transfer(self, agent: SubAgent, outcome: Outcome, used: int, context: CallContext) -> AgentOutcome:
        shown = without_transfers(outcome.turn.steps)
        inside = context.within(self._router)
        ended = await agent.run(replace(outcome.turn, steps=shown), inside, rounds=outcome.rounds_left)
        steps = (*outcome.turn.steps, *ended.steps[len(shown) :])
        notice = ended.notice or outcome.notice
        return replace(ended, steps=steps, notice=notice, rounds_used=used + ended.rounds_used)

    async def _begin_state(self, context: CallContext) -> None:
        if self._state:
            state, is_kept = context.state.sibling(), False
            while not is_kept:
                for key, value in self._state.items():
                    state.setdefault(key, value)
                try:
                    await state.commit()
                    is_kept = True
                except StateConflict:  # another agent wrote its initial values at the same time
                    state.discard()

    async def _interpret(self, turn: Turn) -> Interpretation:
        try:
            made = await interpret_within(self._limits.seconds, self._interpreter, turn)
        except ModelUnavailable as error:
            logger.warning("agent {}: model unavailable ({})", self.name, error.reason)
            if not turn.steps:
                raise
            return found_so_far(turn, error)
        if not made.calls and is_unproven(turn, made.answer):
            return what_happened(turn)
        return without_forged_receipt(turn, made)

    async def _dispatch(self, context: CallContext, turn: Turn, made: Interpretation) -> Dispatched:
        calls = made.calls
        prefix = f"{context.call_id}/{self.name}/{len(turn.steps)}"
        requests = asked_for(turn, context.message, context.asked_for)
        contexts = [
            replace(
                context,
                call_id=f"{prefix}.{place}",
                state=context.state.sibling(),
                actions=Actions(),
                agent_name=self.name,
                asked_for=requests,
                has_shown=lambda text: was_shown(turn, text) or context.has_shown(text),
                on_text=listener_of_call(turn, place),
            )
            for place in range(len(calls))
        ]
        results = await dispatch_all(self._router, calls, contexts)
        checked = tuple(
            self._check_transfer(result, each.actions) for result, each in zip(results, contexts, strict=True)
        )
        return Dispatched(results=checked, actions=_merge_actions(checked, [each.actions for each in contexts]))

    def _is_malformed(self, outcome: Outcome) -> bool:
        is_about_something_else = outcome.is_question or outcome.is_answered or outcome.is_exhausted
        has_ended = outcome.actions.end_the_run
        return self._has_form and not (is_about_something_else or has_ended)

    def _check_transfer(self, result: ToolResult, actions: Actions) -> ToolResult:
        """Return the result, or a failure where a tool requested an unknown agent."""
        if self._has_form:
            result = replace(result, is_reply=False)
        wanted = actions.transfer_to_agent
        if not result.ok or wanted is None or wanted in self._sub_agents:
            return result
        return replace(
            result,
            ok=False,
            is_reply=False,
            error=f"no agent named '{wanted}'; there are: {', '.join(self._sub_agents)}",
        )


def _refuse_sub_agents(name: str, sub_agents: Collection[str]) -> None:
    if sub_agents:
        raise ValueError(f"agent {name!r} has an output and so answers by itself; give it the others as AgentTool")


def _merge_actions(results: Sequence[ToolResult], actions: Sequence[Actions]) -> Actions:
    """Merge the actions of the tools that succeeded; of several transfers the first counts."""
    checked = [action for result, action in zip(results, actions, strict=True) if result.ok]
    transfers = (action.transfer_to_agent for action in checked if action.transfer_to_agent)
    outputs = (action.output for action in checked if action.output is not None)
    return Actions(
        transfer_to_agent=next(transfers, None),
        escalate=any(action.escalate for action in checked),
        output=next(outputs, None),
    )


def _end(name: str, outcome: Outcome, used: int) -> AgentOutcome:
    return AgentOutcome(
        agent=name,
        text=outcome.text,
        steps=outcome.turn.steps,
        rounds_used=used,
        notice=outcome.notice,
        is_escalated=outcome.actions.escalate,
        is_exhausted=outcome.is_exhausted,
        is_question=outcome.is_question,
        is_answered=outcome.is_answered,
        must_reply=outcome.must_reply,
        output=outcome.actions.output,
    )
