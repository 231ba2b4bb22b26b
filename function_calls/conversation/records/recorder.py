"""Record the outcome of each turn and each call."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from uuid import uuid4

from msgspec import Struct

from function_calls.model_calls.transcript import arguments_text, result_text
from function_calls.tools.calls import Reply, SpawnedTask, Step, ToolCall, ToolResult, Turn
from function_calls.tools.context import CallContext
from services.call_log.model import AGENT_ROUTE, NOTHING, CallRecord, Outcome, TurnRecord
from services.call_log.service import CallLog
from services.call_log.usage import DailyBudget, TurnUsage, count_usage, current_usage


class RecordedReply(Struct, kw_only=True):
    """Holds the reply until the record of its turn is written; None for silence."""

    reply: Reply | None = None


RecordTurn = Callable[[Turn], AbstractContextManager[RecordedReply]]
"""Records a turn for the length of the context."""


class TurnRecorder:
    """Records every call of any client in `log`, and every turn with a call, an answer or a cost.

    `budget` limits the usage of models in a turn.
    """

    def __init__(self, log: CallLog, budget: DailyBudget | None = None) -> None:
        self._log = log
        self._budget = budget

    @contextmanager
    def turn(self, turn: Turn) -> Iterator[RecordedReply]:
        """Record `turn`, with the model usage and calls within the context."""
        message = turn.message
        recorded = RecordedReply()
        started = time.perf_counter()
        error = ""
        account = TurnUsage(address=message.address, person=message.sender, budget=self._budget)
        with count_usage(account) as usage:
            try:
                yield recorded
            except BaseException as raised:
                error = f"{type(raised).__name__}: {raised}"
                raise
            finally:
                if error or recorded.reply or usage.calls or usage.completions or usage.fallback:
                    took = (time.perf_counter() - started) * 1000
                    self._log.record(_turn_record(turn, usage, recorded.reply, error, took))

    def record_call(self, call: ToolCall, context: CallContext, result: ToolResult) -> None:
        """Record a call that has ended."""
        usage = current_usage()
        if usage is not None:
            usage.calls += 1
        self._log.record(_call_record(call, context, result, usage))


def _turn_record(turn: Turn, usage: TurnUsage, reply: Reply | None, error: str, took_ms: float) -> TurnRecord:
    message = turn.message
    answered: Outcome = "silent" if reply is None else "answered"
    return TurnRecord(
        address=message.address,
        message_id=message.id,
        person=message.sender,
        text=message.text,
        at=turn.now,
        zone=str(turn.zone),
        language=turn.language,
        route=usage.route,
        rounds=usage.round,
        outcome="failed" if error else answered,
        is_addressed=message.is_addressed,
        is_private=message.is_private,
        completions=tuple(usage.completions),
        reply="" if reply is None else reply.text,
        fallback=usage.fallback,
        error=error,
        duration_ms=took_ms,
    )


def _call_record(call: ToolCall, context: CallContext, result: ToolResult, usage: TurnUsage | None) -> CallRecord:
    completions = () if usage is None else usage.take_new()
    message, task = context.message, result.spawned
    return CallRecord(
        id=f"tc_{uuid4().hex}",
        address=message.address,
        message_id=message.id,
        person_id=message.sender.id,
        user_message=message.text,
        tool_name=call.name,
        arguments=arguments_text(call),
        result=result_text(result) if result.ok else None,
        error=None if result.ok else result.error or result.text or "failed",
        status="success" if result.ok else result.failure,
        duration_ms=result.duration_ms,
        at=context.clock.now(),
        route=_route(context, usage),
        round=0 if usage is None else usage.round,
        repairs=call.repairs,
        said=result.text,
        ending=result.ending,
        receipts=tuple((receipt.action, receipt.subject) for receipt in result.receipts),
        model=completions[-1].model if completions else "",
        charge=sum((completion.charge for completion in completions), NOTHING),
        spawn_task=None if task is None else json.dumps(spawn_record(task), ensure_ascii=False, default=str),
    )


def _route(context: CallContext, usage: TurnUsage | None) -> str:
    if context.agent_name and context.parent_call_id:
        return f"{AGENT_ROUTE}{context.agent_name}"
    return context.entry_point if usage is None else usage.route


def spawn_record(task: SpawnedTask) -> dict[str, object]:
    """Return the record of an agent's task, with its calls."""
    return {
        "agent": task.agent,
        "request": task.request,
        "answer": task.answer,
        "ok": task.ok,
        "tool_calls": [record for step in task.steps for record in _call_entries(step)],
    }


def _call_entries(step: Step) -> list[dict[str, object]]:
    return [
        {
            "name": call.name,
            "arguments": call.arguments,
            "result": result_text(result) if result.ok else None,
            "error": None if result.ok else result.error,
            "status": "success" if result.ok else result.failure,
            "duration": round(result.duration_ms),
            **({} if result.spawned is None else {"spawn_task": spawn_record(result.spawned)}),
        }
        for call, result in zip(step.calls, step.results, strict=True)
    ]
