"""Answer turns: interpret and dispatch in rounds, with the rules as fallback."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Protocol

from loguru import logger
from msgspec.structs import replace

from function_calls.conversation.agent_loop import (
    Dispatched,
    LoopLimits,
    Outcome,
    dispatch_all,
    interpret_within,
    is_unanswered,
    list_unrepeated_questions,
    listener_of_call,
    make_reply,
    results_as_answer,
    run_rounds,
    without_model,
)
from function_calls.conversation.form_answers import answer_form
from function_calls.conversation.records.recorder import RecordedReply, RecordTurn
from function_calls.conversation.slash_commands import is_for_other_bot, parse_tool_command
from function_calls.conversation.undecided_answers import (
    drop_unread_question,
    is_out_of_scope,
    reply_to_closed,
    reply_to_unmatched,
)
from function_calls.grounding.claims import (
    describe_changes,
    is_promise,
    is_unproven,
    only_changes,
    without_forged_receipt,
)
from function_calls.grounding.grounding import ground_all, ground_deadlines
from function_calls.grounding.intents import find_requested_tools
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import is_clock
from function_calls.model_calls.transcript import was_shown
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Interpretation, Interpreter, Reply, Step, ToolCall, Turn
from function_calls.tools.confirmation.pending_calls import PendingCall
from function_calls.tools.confirmation.yes_no import Answer, parse_short_answer
from function_calls.tools.context import CallContext
from function_calls.tools.policy import CallPolicy
from function_calls.tools.session_state import CallState, LazySession, MemoryScopeStore
from services.call_log.model import CONFIRMED
from services.call_log.usage import current_usage
from services.kernel.errors import ModelUnavailable
from services.kernel.state import ScopeStore

__all__ = ["Assistant", "Command", "ContextFor", "LoopLimits", "TurnCheck"]

ContextFor = Callable[[Turn, int], CallContext]
Command = Callable[[Turn], Awaitable[Reply | None]]
TurnCheck = Callable[[Turn], Awaitable[bool]]


class DialogueReader(Protocol):
    """Reads messages in their dialogue; `OfflineInterpreter` is one."""

    async def preview(self, turn: Turn) -> Interpretation:
        """Return what the rules make of `turn`, and leave its dialogue as it is."""

    async def note_calls(self, turn: Turn, calls: tuple[ToolCall, ...]) -> None:
        """Record in the dialogue the calls that a model made for `turn`."""


_SEARCH = "perplexity_search"
"""The function that the rules call for any question about the world, and for small talk that asks something."""


class Assistant:
    """Answers a turn with an interpreter and the tools, falling back to the rules.

    `states` stores the session state of tools; without it the state is lost when the process ends. `record_turn`
    records the outcome of each turn. `commands` are tried first; the first reply is the answer. Answers to pending
    calls (see the router's `policy`) are not interpreted. Where `prefers_rules`, the interpreter is asked about
    messages to the bot alone that the rules do not understand. `dialogues` reads messages in their dialogue, for
    comparison with the calls of a model, and records these.
    """

    def __init__(
        self,
        router: FunctionCallRouter,
        interpreter: Interpreter,
        *,
        rules: Interpreter,
        context_for: ContextFor,
        limits: LoopLimits | None = None,
        states: ScopeStore | None = None,
        record_turn: RecordTurn | None = None,
        commands: Sequence[Command] = (),
        prefers_rules: TurnCheck | None = None,
        dialogues: DialogueReader | None = None,
    ) -> None:
        self._router = router
        self._interpreter = interpreter
        self._rules = rules
        self._context_for = context_for
        self._limits = limits or LoopLimits()
        self._states = states or MemoryScopeStore()
        self._record_turn = record_turn or (lambda _: nullcontext(RecordedReply()))
        self._commands = tuple(commands)
        self._prefers_rules = prefers_rules
        self._dialogues = dialogues

    async def answer(self, turn: Turn) -> Reply | None:
        """Answer `turn`; return None if nothing was asked of the bot."""
        for command in self._commands:
            reply = await command(turn)
            if reply is not None:
                return reply
        with self._record_turn(turn) as recorded:
            recorded.reply = await self._answer_in_rounds(turn)
        return recorded.reply

    async def answer_edited(self, turn: Turn) -> tuple[Step, ...]:
        """Run the rounds of an edited message and return them; commands and answers to questions are ignored."""
        with self._record_turn(turn):
            return (await self._run_rounds(turn, ())).turn.steps

    async def _run_rounds(self, turn: Turn, pending: Sequence[PendingCall]) -> Outcome:
        session = LazySession(self._states, turn.conversation)
        if self._dialogues is not None and self._interpreter is not self._rules and not pending:
            turn = replace(turn, rule_calls=(await self._dialogues.preview(turn)).calls)
        interpret, dispatch = partial(self._interpret, pending), partial(self._dispatch, session, pending)
        return await run_rounds(turn, interpret, dispatch, self._limits.rounds)

    async def _answer_in_rounds(self, turn: Turn) -> Reply | None:
        policy = self._router.policy
        is_asked_freely = policy is not None and turn.tool_choice is None
        answer = parse_short_answer(turn.message.text, turn.bot_name) if is_asked_freely else None
        pending = await self._resolve_answer(turn, answer) if is_asked_freely else ()
        if isinstance(pending, Reply):
            return pending
        if not pending and (_is_for_people(turn, answer) or is_for_other_bot(turn)):
            return None
        outcome = await self._run_rounds(turn, pending)
        if answer is not None and answer.pick and self._is_not_understood(outcome):
            unread = await drop_unread_question(outcome.turn, policy)
            if unread is not None:
                return unread
        text = "\n".join([outcome.text, *list_unrepeated_questions(outcome)])
        if policy is not None:
            await _record_success(policy, outcome)
        return make_reply(replace(outcome, text=text))

    async def _resolve_answer(self, turn: Turn, answer: Answer | None) -> tuple[PendingCall, ...] | Reply:
        """Return the pending calls that the message confirms, or the reply to an answer that confirms none."""
        policy = self._router.policy
        if policy is None:
            return ()
        filled = await answer_form(turn, policy)
        if filled is not None:
            return filled if isinstance(filled, Reply) else (filled,)
        if answer is None:
            return ()
        closed = await reply_to_closed(turn, answer, policy)
        if closed is not None:
            return closed
        pending = await policy.confirmations.take(turn.message, answer, turn.scope)
        if pending and answer.is_yes is False:
            return Reply(text=say(turn.language, "confirm.dropped"), reply_to=turn.message.id)
        instead = None if pending else await reply_to_unmatched(turn, answer, policy)
        return pending if instead is None else instead

    def _is_not_understood(self, outcome: Outcome) -> bool:
        """Return whether the interpreter understood nothing; the rules then answer with help."""
        is_silent = not outcome.text.strip() or self._interpreter is self._rules
        last = outcome.interpretation
        return is_silent and not (outcome.turn.steps or last.choices or last.must_reply)

    async def _interpret(self, pending: Sequence[PendingCall], turn: Turn) -> Interpretation:
        """Interpret a round; with a `tool_choice` calls are left to the client."""
        interpretation = await self._interpret_with_fallback(pending, turn)
        if turn.tool_choice is None or not interpretation.calls:
            return interpretation
        return replace(interpretation, calls=(), answer=interpretation.answer or say(turn.language, "model.no_calls"))

    async def _interpret_with_fallback(self, pending: Sequence[PendingCall], turn: Turn) -> Interpretation:
        if pending and not turn.steps:
            _begin_round(CONFIRMED)
            return Interpretation(calls=tuple(waiting_call.call for waiting_call in pending))
        command = parse_tool_command(turn)
        if command is not None:
            _begin_round("typed")
            return Interpretation(calls=(command,))
        if self._interpreter is self._rules:
            _begin_round("offline")
            return await self._rules.interpret(turn)
        _begin_round("model")
        try:
            return await self._interpret_with_model(turn)
        except ModelUnavailable as error:
            logger.warning("model unavailable ({}); falling back to the rules", error.reason)
            if (usage := current_usage()) is not None:
                usage.fall_back("offline", error.reason)
            return await self._fall_back(turn, error)

    async def _interpret_with_model(self, turn: Turn) -> Interpretation:
        read = await self._ask_rules_first(turn)
        if read is not None:
            return read
        chosen = await interpret_within(self._limits.seconds, self._interpreter, turn)
        interpretation = await self._require_proof(turn, replace(chosen, is_chosen_by_model=bool(chosen.calls)))
        policy = self._router.policy
        if policy is not None and is_out_of_scope(turn, interpretation.calls, policy):
            interpretation = replace(await self._rules.interpret(turn), handled_elsewhere=True)
        return await self._replace_empty(turn) if is_unanswered(turn, interpretation) else interpretation

    async def _ask_rules_first(self, turn: Turn) -> Interpretation | None:
        """Return what the rules make of a message that they read first; None to ask the model."""
        first = self._prefers_rules
        if first is None or turn.steps or turn.tool_choice is not None or not await first(turn):
            return None
        read = await self._rules.interpret(turn)
        is_hint = read.answer and not (read.must_reply or read.is_answer)
        if is_hint or {call.name for call in read.calls} == {_SEARCH}:
            return None
        if (usage := current_usage()) is not None:
            usage.route = "offline"
        return read

    async def _require_proof(self, turn: Turn, interpretation: Interpretation) -> Interpretation:
        """Replace the claim of a change without a receipt by the change itself or a correction."""
        if interpretation.calls:
            return without_forged_receipt(turn, interpretation)
        if not is_unproven(turn, interpretation.answer):
            return without_forged_receipt(turn, await self._make_promised_change(turn, interpretation))
        logger.warning("model claimed a change without a receipt")
        if not turn.steps:
            read = await self._rules.interpret(turn)
            if read.calls:
                return read
        return replace(describe_changes(turn), notice=interpretation.notice, must_reply=interpretation.must_reply)

    async def _make_promised_change(self, turn: Turn, interpretation: Interpretation) -> Interpretation:
        """Return the change that the answer promises if the message requests it, else the answer."""
        if is_promise(turn, interpretation.answer):
            read = await self._rules.interpret(turn)
            if only_changes(read.calls):
                logger.warning("model promised a change without calling a tool; making the change")
                return read
        return interpretation

    async def _replace_empty(self, turn: Turn) -> Interpretation:
        """Return what the rules make of a message to which the model gave an empty answer, such as thanks."""
        logger.info("empty answer of the model; falling back to the rules")
        read = await self._rules.interpret(turn)
        return (
            Interpretation(answer=say(turn.language, "model.nothing"))
            if turn.steps and is_unanswered(turn, read)
            else read
        )

    async def _fall_back(self, turn: Turn, error: ModelUnavailable) -> Interpretation:
        if turn.steps:
            return results_as_answer(turn, error)
        return without_model(await self._rules.interpret(turn), turn.language, error)

    async def _dispatch(
        self, session: LazySession, pending: Sequence[PendingCall], turn: Turn, interpretation: Interpretation
    ) -> Dispatched:
        """Run the calls. The `actions` of tools are ignored, because there is no agent."""
        calls = interpretation.calls
        opened, invocation = await session.get(), f"{turn.message.address.key}/{turn.message.id}"
        requests = find_requested_tools(turn, turn.message)
        contexts = [
            replace(
                self._context_for(turn, place),
                state=CallState(opened),
                invocation_id=invocation,
                requested_tools=requests,
                has_shown=partial(was_shown, turn),
                on_text=listener_of_call(turn, place),
            )
            for place in range(len(calls))
        ]
        if pending and not turn.steps:
            return await self._run_confirmed(pending, contexts)
        if interpretation.is_chosen_by_model:
            calls, contexts = await ground_all(turn, interpretation, contexts)
        elif not interpretation.is_answer:
            contexts = await ground_deadlines(interpretation, contexts)
        results = await dispatch_all(self._router, calls, contexts)
        if interpretation.is_chosen_by_model and self._dialogues is not None:
            made = tuple(call for call, result in zip(calls, results, strict=True) if result.ok)
            if made:
                await self._dialogues.note_calls(turn, made)
        return Dispatched(results=results)

    async def _run_confirmed(self, pending: Sequence[PendingCall], contexts: Sequence[CallContext]) -> Dispatched:
        """Run the confirmed calls one after the other, each with the dispatcher of its agent."""
        results = [
            await self._router.dispatcher_for(waiting_call.agent_name).dispatch(
                waiting_call.call, _confirmed_context(context, waiting_call)
            )
            for waiting_call, context in zip(pending, contexts, strict=True)
        ]
        return Dispatched(results=tuple(results))


def _begin_round(route: str) -> None:
    """Count a round of the turn, if its usage is counted."""
    if (usage := current_usage()) is not None:
        usage.begin_round(route)


def _confirmed_context(context: CallContext, pending: PendingCall) -> CallContext:
    """Return the context of a confirmed call, with the message that requested it.

    The call is recorded for that message, and its result is the answer to the confirmation.
    """
    return replace(
        context,
        message=pending.message,
        call_id=pending.call_id,
        agent_name=pending.agent_name,
        approved=pending.call,
        form=pending.form,
        confirmed_by=context.message,
    )


def _is_for_people(turn: Turn, answer: Answer | None) -> bool:
    """Return whether a bare yes, number or time answers another person who wrote before in the group."""
    if turn.message.is_addressed or turn.scope.covers() or turn.scope.message_ids:
        return False
    return answer is not None or is_clock(turn.message.text)


async def _record_success(policy: CallPolicy, outcome: Outcome) -> None:
    """Record a message with a successful call, and drop the questions of earlier messages."""
    message, last = outcome.turn.message, outcome.interpretation
    results = [result for step in outcome.turn.steps for result in step.results]
    questions = [result for result in results if result.ending == "question"]
    if results and not questions:
        policy.last_message_ids[outcome.turn.conversation.key] = message.id
    if results or last.choices or last.must_reply:
        await policy.confirmations.forget_before(message, is_answer=last.is_answer)
    offered = (*last.choices, *(choice for question in questions for choice in question.choices))
    if any(choice.expires_at is not None for choice in offered):
        await policy.confirmations.note_question(message, outcome.turn.now)
