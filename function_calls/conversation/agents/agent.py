"""Define an agent: instructions, a model, tools and sub-agents, and the rounds of its run."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Generic, Self, cast, overload

from loguru import logger
from msgspec.structs import replace
from pydantic import BaseModel
from typing_extensions import Unpack

from function_calls.conversation.agent_loop import (
    Dispatched,
    LoopLimits,
    Outcome,
    dispatch_all,
    interpret_within,
    listener_of_call,
    results_as_answer,
    run_rounds,
)
from function_calls.conversation.agents.agent_tool import TransferTool, without_transfers
from function_calls.conversation.agents.options import AgentHooks, AgentOptions
from function_calls.conversation.agents.outcome import (
    AgentOutcome,
    SubAgent,
    agents_by_name,
    check_agent_name,
    merge_actions,
    out_of_rounds,
    outcome_of,
)
from function_calls.conversation.agents.output import OUTPUT, agent_instructions, answer_tool, interpreter_of
from function_calls.conversation.agents.runs import (
    AgentResult,
    AgentStream,
    DepsT,
    OutputT,
    count_run,
    program_turn,
    publish_run,
    requests_of,
    result_of,
)
from function_calls.model_calls.hooks import HookedInterpreter
from function_calls.model_calls.styles.style_detection import StyleName
from function_calls.model_calls.transcript import was_shown
from function_calls.registry import RegisteredTool, Registrable, Registry, check_inverses
from function_calls.router import DEFAULT_TIMEOUT, FunctionCallRouter
from function_calls.tools.calls import Interpretation, Interpreter, ToolResult, Turn
from function_calls.tools.context import Actions, CallContext
from function_calls.tools.declaration.tool_options import ToolOptions
from function_calls.tools.policy import Dispatcher, EnclosedDispatcher
from function_calls.tools.session_state import Session, StateConflict
from function_calls.tools.toolset import Toolset, Viewer
from function_calls.toolsets.combined import combine_external
from services.call_log.model import Ending
from services.kernel.errors import ModelUnavailable
from services.language_model.openai_model import OpenAIModel, model_of_environment
from services.language_model.ports import LanguageModel, TextListener

__all__ = ["Agent", "AgentHooks"]


class Agent(Generic[DepsT, OutputT]):
    """Works on messages with its own model and tools, and can transfer them to its sub-agents.

    An agent is immutable and any number of runs share it. The connections of a model given by name stay open between
    runs inside `async with`, and are closed after each run otherwise.

    Args:
        name: its name, also as a tool: letters, digits, `_` and `-`.
        model: a language model, or its name on the server in OPENAI_BASE_URL (OpenAI by default) with the key in
            OPENAI_API_KEY; or an interpreter, which needs no instructions.
        output: the Pydantic model of its answer; text without one. An invalid answer is returned to the model once,
            with every error. Tools that reply do not end the run of such an agent.
        deps: the class of the object that `run` passes to the tools, which request it by annotation; or the default
            object itself.

    The other arguments are those of `AgentOptions`.

    Raises:
        ValueError: two sub-agents have the same name, a name cannot be a tool's, or an agent with an `output` has
            sub-agents.
        SignatureInvalid: the signature of a tool is invalid.
    """

    @overload
    def __init__(
        self,
        name: str,
        *,
        model: str | LanguageModel | Interpreter,
        output: type[OutputT] | None = None,
        deps: type[DepsT] | None = None,
        **options: Unpack[AgentOptions],
    ) -> None: ...

    @overload
    def __init__(
        self,
        name: str,
        *,
        model: str | LanguageModel | Interpreter,
        output: type[OutputT] | None = None,
        deps: DepsT,
        **options: Unpack[AgentOptions],
    ) -> None: ...

    def __init__(
        self,
        name: str,
        *,
        model: str | LanguageModel | Interpreter,
        instructions: str = "",
        tools: Iterable[Registrable | RegisteredTool] = (),
        output: type[OutputT] | None = None,
        deps: type[DepsT] | DepsT | None = None,
        description: str = "",
        system_prompt: str | None = None,
        toolsets: Mapping[str, Toolset] | None = None,
        sub_agents: Sequence[SubAgent] = (),
        state: Mapping[str, object] | None = None,
        injectable: Collection[type[object]] = (),
        hooks: AgentHooks | None = None,
        limits: LoopLimits | None = None,
        call_style: StyleName = "native",
        tool_timeout: float | None = DEFAULT_TIMEOUT,
    ) -> None:
        self.name = check_agent_name(name)
        self.description = description
        hooks = hooks or AgentHooks()
        self._sub_agents = agents_by_name(sub_agents)
        self._state = dict(state or {})
        self._limits = limits or LoopLimits()
        self._deps_class: type[object] | None = deps if isinstance(deps, type) or deps is None else type(deps)
        self._deps = None if isinstance(deps, type) else deps
        self._output_class = cast("type[OutputT]", output or str)
        self._opened: OpenAIModel | None = None
        self._users = 0  # the number of runs and contexts that use the connections
        if isinstance(model, str):
            model = self._opened = model_of_environment(model)
        registry = self._registry(tools, injectable)
        answer = registry.get(OUTPUT) if self._has_output else None
        full_instructions = agent_instructions(instructions, system_prompt, answer)
        interpreter = interpreter_of(model, full_instructions, call_style, answer)
        self._interpreter = HookedInterpreter(interpreter, hooks.model)
        self._router = FunctionCallRouter(
            registry, default_timeout=tool_timeout, hooks=hooks.tools, events=hooks.events
        )
        if toolsets:
            combine_external(self._router, toolsets)

    def _registry(
        self, tools: Iterable[Registrable | RegisteredTool], injectable: Collection[type[object]]
    ) -> Registry:
        """Return the registry of its tools, with those for transfers and for the structured output."""
        registry = Registry(injectable=injectable)
        if self._deps_class is not None:
            registry.allow(self._deps_class)
        registry.register(tools)
        check_inverses(registry, registry)
        if self._sub_agents:
            registry.register(TransferTool(self._sub_agents), ToolOptions(is_deferrable=False))
        if self._has_output:
            if self._sub_agents:
                raise ValueError(f"agent {self.name!r} has an output and so no sub-agents; give them as AgentTool")
            registry.register(answer_tool(cast("type[BaseModel]", self._output_class)))
        return registry

    @property
    def _has_output(self) -> bool:
        return self._output_class is not str

    async def __aenter__(self) -> Self:
        self._users += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self._users -= 1
        if self._opened is not None and not self._users:
            await self._opened.close()

    @property
    def dispatchers(self) -> Mapping[str, Dispatcher]:
        """Return the dispatchers of its calls and of the agents below it, by the agent's name."""
        below = [*self._sub_agents.values(), *self._router.registry]
        enclosed = {
            name: EnclosedDispatcher(inner=dispatcher, enclosing=(self._router,))
            for other in below
            for name, dispatcher in other.dispatchers.items()
        }
        return {**enclosed, self.name: self._router}

    @overload
    async def run(
        self, text: str, /, *, deps: DepsT | None = None, session: Session | None = None
    ) -> AgentResult[OutputT]: ...

    @overload
    async def run(self, turn: Turn, context: CallContext, *, rounds: int | None = None) -> AgentOutcome: ...

    async def run(
        self,
        turn: Turn | str,
        context: CallContext | None = None,
        *,
        rounds: int | None = None,
        deps: DepsT | None = None,
        session: Session | None = None,
    ) -> AgentOutcome | AgentResult[OutputT]:
        """Answer a text, or process `turn` in the context of a call (or message) in at most `rounds` rounds.

        `deps` are passed to the tools. `session` keeps their state between runs; without it the state ends with the
        run.

        Raises:
            AgentFailed: the run of a text ended without its output.
            ModelUnavailable: the model did not answer; for a turn only before the first call.
            TypeError: the agent needs `deps`, and there are none or they are of another class.
        """
        if isinstance(turn, str):
            return await self._run_text(turn, deps, session)
        if context is None:
            raise TypeError("a turn is run in the context of a call; a text needs none")
        return await self._run_turn(turn, context, rounds)

    def stream(self, text: str, *, deps: DepsT | None = None, session: Session | None = None) -> AgentStream[OutputT]:
        """Return the answer to `text` as a stream of its pieces, followed by the result; see `run`."""
        return AgentStream(lambda on_text: self._run_text(text, deps, session, on_text))

    async def _run_text(
        self, text: str, deps: DepsT | None, session: Session | None, on_text: TextListener | None = None
    ) -> AgentResult[OutputT]:
        given = self._deps if deps is None else deps
        if self._deps_class is not None and not isinstance(given, self._deps_class):
            got = "" if given is None else f", not {given!r:.200}"
            raise TypeError(f"agent {self.name!r} needs deps: run(…, deps=…) with a {self._deps_class.__name__}{got}")
        turn, context = program_turn(self.name, text, given, session, on_text)
        with count_run(turn.message) as usage:
            outcome = await self._run_turn(turn, context)
        return result_of(outcome, self._output_class, usage)

    async def _run_turn(self, turn: Turn, context: CallContext, rounds: int | None = None) -> AgentOutcome:
        async with self, publish_run(self._router, self.name, turn, context) as answer:
            outcome = await self._run_rounds(turn, context, rounds)
            answer.text = outcome.text
            return outcome

    async def _run_rounds(self, turn: Turn, context: CallContext, rounds: int | None) -> AgentOutcome:
        granted = self._limits.rounds if rounds is None else min(rounds, self._limits.rounds)
        await self._begin_state(context)
        specs = await self._router.list_specs(Viewer.of(turn.message), context.policy)
        dispatch = partial(self._dispatch, context)
        outcome = await run_rounds(replace(turn, tools=specs), self._interpret, dispatch, granted)
        used = granted - outcome.rounds_left
        chosen = outcome.actions.transfer_to_agent
        if chosen is None:
            return replace(outcome_of(self.name, outcome, used), is_malformed=self._is_malformed(outcome))
        if not outcome.rounds_left:
            return out_of_rounds(self.name, turn.language, outcome.turn.steps, used)
        logger.info("agent {} transfers to {}", self.name, chosen)
        return await self._transfer(self._sub_agents[chosen], outcome, used, context)

    async def _transfer(self, agent: SubAgent, outcome: Outcome, used: int, context: CallContext) -> AgentOutcome:
        shown = without_transfers(outcome.turn.steps)
        inside = context.within(self._router)
        ended = await agent.run(replace(outcome.turn, steps=shown), inside, rounds=outcome.rounds_left)
        steps = (*outcome.turn.steps, *ended.steps[len(shown) :])
        return replace(
            ended,
            steps=steps,
            notice=ended.notice or outcome.interpretation.notice,
            rounds_used=used + ended.rounds_used,
            is_model_down=ended.is_model_down or outcome.interpretation.is_model_down,
        )

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
            interpretation = await interpret_within(self._limits.seconds, self._interpreter, turn)
        except ModelUnavailable as error:
            logger.warning("agent {}: model unavailable ({})", self.name, error.reason)
            if turn.is_from_program or not turn.steps:
                raise
            return results_as_answer(turn, error)
        if turn.is_from_program:
            return interpretation
        from function_calls.grounding.claims import describe_changes, is_unproven, without_forged_receipt

        if not interpretation.calls and is_unproven(turn, interpretation.answer):
            return describe_changes(turn)
        return without_forged_receipt(turn, interpretation)

    async def _dispatch(self, context: CallContext, turn: Turn, interpretation: Interpretation) -> Dispatched:
        calls = interpretation.calls
        prefix = f"{context.call_id}/{self.name}/{len(turn.steps)}"
        requests = requests_of(turn, context)
        contexts = [
            replace(
                context,
                call_id=f"{prefix}.{place}",
                state=context.state.sibling(),
                actions=Actions(),
                agent_name=self.name,
                requested_tools=requests,
                has_shown=lambda text: was_shown(turn, text) or context.has_shown(text),
                on_text=listener_of_call(turn, place),
            )
            for place in range(len(calls))
        ]
        results = await dispatch_all(self._router, calls, contexts)
        checked = tuple(
            self._check_transfer(result, call_context.actions)
            for result, call_context in zip(results, contexts, strict=True)
        )
        return Dispatched(
            results=checked, actions=merge_actions(checked, [call_context.actions for call_context in contexts])
        )

    def _is_malformed(self, outcome: Outcome) -> bool:
        is_about_something_else = bool(outcome.ending) or outcome.is_exhausted
        has_ended = outcome.actions.end_the_run
        return self._has_output and not (is_about_something_else or has_ended)

    def _check_transfer(self, result: ToolResult, actions: Actions) -> ToolResult:
        """Return the result, or a failure where a tool requested an unknown agent."""
        observed: Ending = "" if result.ending == "reply" else result.ending
        if self._has_output:
            result = replace(result, ending=observed)
        wanted = actions.transfer_to_agent
        if not result.ok or wanted is None or wanted in self._sub_agents:
            return result
        return replace(
            result,
            ok=False,
            ending=observed,
            error=f"no agent named '{wanted}'; there are: {', '.join(self._sub_agents)}",
        )
