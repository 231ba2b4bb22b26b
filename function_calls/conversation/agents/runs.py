"""Define the message, usage, typed result and text stream of an agent's run in a program."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC
from functools import reduce
from operator import add
from typing import Any, Final, Generic, cast
from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel
from typing_extensions import TypeVar

from function_calls.conversation.agents.outcome import AgentOutcome
from function_calls.conversation.agents.output import OUTPUT
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Step, ToolResult, Turn
from function_calls.tools.context import PROGRAM, CallContext, Services
from function_calls.tools.dispatch.events import AGENT_COMPLETE, AGENT_START
from function_calls.tools.errors import AgentFailed
from function_calls.tools.session_state import CallState, Session
from services.call_log.model import NOTHING, UsageCost
from services.call_log.usage import TurnUsage, count_usage, current_usage
from services.kernel.chat import ChatAddress, ChatMessage, Person
from services.kernel.clock import SystemClock
from services.kernel.errors import ModelUnavailable
from services.kernel.languages import language_of
from services.language_model.ports import TextListener

DepsT = TypeVar("DepsT", default=None)
OutputT = TypeVar("OutputT", bound=BaseModel | str, default=str)

_AUTHOR: Final = Person(id=PROGRAM, name=PROGRAM, is_admin=True)


class CompletedCall(Struct, frozen=True, kw_only=True):
    """A call that an agent made, and its result."""

    name: str
    arguments: Mapping[str, object]
    result: ToolResult


class AgentResult(Struct, Generic[OutputT], frozen=True, kw_only=True):
    """The result of a run: the output, the calls in order, and the tokens of all requests to models."""

    output: OutputT
    calls: tuple[CompletedCall, ...]
    usage: UsageCost


class AgentStream(Generic[OutputT]):
    """The text of a run in pieces, as the model generates it; `result` is available after the last piece.

    The run begins with the iteration. A stream can be iterated over once.
    """

    def __init__(self, run: Callable[[TextListener], Coroutine[Any, Any, AgentResult[OutputT]]]) -> None:
        self._run = run
        self._has_begun = False
        self._result: AgentResult[OutputT] | None = None

    @property
    def result(self) -> AgentResult[OutputT]:
        """The result of the run.

        Raises:
            RuntimeError: the stream has not been read to the end.
        """
        if self._result is None:
            raise RuntimeError("the result is there after the last piece; read the stream to its end first")
        return self._result

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the pieces; a structured output is one piece.

        Raises:
            AgentFailed: the run ended without its output.
            ModelUnavailable: the model did not answer.
            RuntimeError: it is the second iteration.
        """
        if self._has_begun:
            raise RuntimeError("a stream is read once; call stream(…) again for another run")
        self._has_begun = True
        pieces = asyncio.Queue[str | None]()
        task = asyncio.create_task(self._run(pieces.put))
        task.add_done_callback(lambda _: pieces.put_nowait(None))
        is_silent = True
        try:
            while (piece := await pieces.get()) is not None:
                is_silent = False
                yield piece
            self._result = await task
            if is_silent:
                yield str(self._result.output)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def program_turn(
    agent: str, text: str, deps: object, session: Session | None, on_text: TextListener | None
) -> tuple[Turn, CallContext]:
    """Return the turn for `text`, sent by a program to `agent`, and the context of its calls.

    Without a `session` the state ends with the run.
    """
    clock = SystemClock()
    now = clock.now()
    message = ChatMessage(
        id=uuid4().hex,
        address=ChatAddress(platform=PROGRAM, chat_id=agent),
        sender=_AUTHOR,
        text=text,
        sent_at=now,
        is_addressed=True,
        is_private=True,
    )
    language = language_of(text, "en")
    turn = Turn(
        message=message,
        now=now,
        zone=UTC,
        language=language,
        bot_name=agent,
        tools=(),
        on_text=on_text,
        is_from_program=True,
    )
    context = CallContext(
        call_id=message.id,
        message=message,
        services=Services() if deps is None else Services(deps),
        clock=clock,
        now=now,
        zone=UTC,
        language=language,
        state=CallState(session),
        invocation_id=message.id,
        entry_point=PROGRAM,
    )
    return turn, context


def requests_of(turn: Turn, context: CallContext) -> frozenset[str] | None:
    """Return the tools that the message requests if the turn contains untrusted text; else None.

    The text of a program is trusted, including quotations.
    """
    if turn.is_from_program and not any(result.is_untrusted for step in turn.steps for result in step.results):
        return context.requested_tools
    from function_calls.grounding.intents import find_requested_tools

    return find_requested_tools(turn, context.message, context.requested_tools)


@contextmanager
def count_run(message: ChatMessage) -> Iterator[TurnUsage]:
    """Count the usage of the run for `message`; inside of a turn, count it for the turn too."""
    outer = current_usage()
    if outer is None:
        usage = TurnUsage(address=message.address, person=message.sender)
    else:
        usage = replace(outer, completions=[])
    try:
        with count_usage(usage):
            yield usage
    finally:
        if outer is not None:
            for completion in usage.completions:
                outer.add(completion)


class RunAnswer(Struct, kw_only=True):
    """The answer of a run, which is set before the run ends."""

    text: str = ""


@asynccontextmanager
async def publish_run(
    router: FunctionCallRouter, agent: str, turn: Turn, context: CallContext
) -> AsyncIterator[RunAnswer]:
    """Publish the start and the end of a run to the listeners of `router` and of the enclosing routers."""
    run_id, answer, error, started = uuid4().hex, RunAnswer(), "", time.perf_counter()
    await router.publish(AGENT_START, context, agent=agent, id=run_id, request=turn.message.text)
    try:
        yield answer
    except BaseException as raised:
        error = raised.reason if isinstance(raised, ModelUnavailable) else type(raised).__name__
        raise
    finally:
        took = (time.perf_counter() - started) * 1000
        ended = {"answer": answer.text, "error": error, "duration_ms": took}
        await router.publish(AGENT_COMPLETE, context, agent=agent, id=run_id, **ended)


def result_of(outcome: AgentOutcome, output_class: type[OutputT], usage: TurnUsage) -> AgentResult[OutputT]:
    """Return the result of a run with an instance of `output_class`; the call that gave it is left out.

    Raises:
        AgentFailed: the run ended without an output.
    """
    return AgentResult(
        output=_output_of(outcome, output_class),
        calls=tuple(call for call in _calls_of(outcome.steps) if call.name != OUTPUT),
        usage=reduce(add, (completion.charge for completion in usage.completions), NOTHING),
    )


def _output_of(outcome: AgentOutcome, output_class: type[OutputT]) -> OutputT:
    if outcome.is_exhausted:
        raise AgentFailed(outcome.agent, "used up its rounds", "")
    if output_class is str:
        return cast("OutputT", outcome.text)
    if not isinstance(outcome.output, output_class):
        raise AgentFailed(outcome.agent, f"gave no {output_class.__name__}", outcome.text)
    return outcome.output


def _calls_of(steps: Sequence[Step]) -> Iterator[CompletedCall]:
    for step in steps:
        for call, result in zip(step.calls, step.results, strict=True):
            yield CompletedCall(name=call.name, arguments=call.arguments, result=result)
