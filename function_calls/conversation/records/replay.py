"""Replay a recorded turn with the recorded results of tools, without executing anything."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from function_calls.conversation.agent_loop import Dispatched, make_reply, run_rounds
from function_calls.grounding.corrections import READ
from function_calls.tools.calls import Interpretation, Interpreter, Reply, ToolCall, ToolResult, ToolSpec, Turn
from services.call_log.model import CallRecord, TurnRecord, parse_json
from services.call_log.usage import TurnUsage, count_usage
from services.kernel.chat import ChatMessage
from services.recurrence.fires import load_zone_or_utc

Match = Literal["same", "other arguments", "not on record"]


class ReplayedCall(Struct, frozen=True, kw_only=True):
    """A call of the replay, with its match in the record."""

    call: ToolCall
    result: ToolResult
    match: Match


class Replay(Struct, frozen=True, kw_only=True):
    """The result of a replay. `reply` is None for silence; `usage` is the usage of models."""

    calls: tuple[ReplayedCall, ...]
    reply: Reply | None
    usage: TurnUsage

    def is_like(self, recorded: Sequence[CallRecord]) -> bool:
        """Return whether the same calls were made, in any order."""
        return len(self.calls) == len(recorded) and all(call.match == "same" for call in self.calls)


class RecordedTools:
    """Answers calls with their recorded results, each record once."""

    def __init__(self, calls: Sequence[CallRecord]) -> None:
        self._left = list(calls)
        self.replayed: list[ReplayedCall] = []

    async def dispatch(self, turn: Turn, interpretation: Interpretation) -> Dispatched:
        """Answer one round's calls."""
        del turn
        replayed = [self._answer(call) for call in interpretation.calls]
        self.replayed += replayed
        return Dispatched(results=tuple(call.result for call in replayed))

    def _answer(self, call: ToolCall) -> ReplayedCall:
        named = [record for record in self._left if record.tool_name == call.name]
        same = next((record for record in named if _is_same(call, record)), None)
        found = same or next(iter(named), None)
        if found is None:
            result = ToolResult.failed("This call is not on record; nothing is executed in a replay.")
            return ReplayedCall(call=call, result=result, match="not on record")
        self._left.remove(found)
        return ReplayedCall(call=call, result=_result_of(found), match="same" if found is same else "other arguments")


async def replay(
    turn: Turn, recorded: Sequence[CallRecord], interpreter: Interpreter, *, route: str, rounds: int
) -> Replay:
    """Run `interpreter` on `turn` in at most `rounds` rounds.

    Raises:
        ModelUnavailable: a model was needed and none answered.
    """
    tools = RecordedTools(recorded)
    message = turn.message

    async def interpret(seen: Turn) -> Interpretation:
        usage.begin_round(route)
        return await interpreter.interpret(seen)

    with count_usage(TurnUsage(address=message.address, person=message.sender)) as usage:
        outcome = await run_rounds(turn, interpret, tools.dispatch, rounds)
    return Replay(calls=tuple(tools.replayed), reply=make_reply(outcome), usage=usage)


def rebuild_turn(
    record: TurnRecord, *, bot_name: str, tools: tuple[ToolSpec, ...], recent: tuple[ChatMessage, ...]
) -> Turn:
    """Rebuild the turn of a record, with its original time and settings."""
    zone = load_zone_or_utc(record.zone)
    message = ChatMessage(
        id=record.message_id,
        address=record.address,
        sender=record.person,
        text=record.text,
        sent_at=record.at,
        is_addressed=record.is_addressed,
        is_private=record.is_private,
    )
    return Turn(
        message=message,
        now=record.at.astimezone(zone),
        zone=zone,
        language=record.language,
        bot_name=bot_name,
        tools=tools,
        recent=recent,
    )


def _result_of(record: CallRecord) -> ToolResult:
    result = ToolResult(
        ok=record.status == "success",
        text=record.said,
        value=record.result,
        error=record.error,
        ending=record.ending,
        duration_ms=record.duration_ms,
    )
    return result if record.status == "success" else replace(result, failure=record.status)


def _is_same(call: ToolCall, recorded: CallRecord) -> bool:
    """Return whether a record is of this call, apart from arguments that were corrected before it ran."""
    corrected = {step.partition(":")[0].removeprefix("/") for step in recorded.repairs if step.endswith(READ)}
    arguments = parse_json(recorded.arguments)
    if not corrected or not isinstance(arguments, dict):
        return arguments == call.arguments
    names = {*arguments, *call.arguments} - corrected
    return all(arguments.get(name) == call.arguments.get(name) for name in names)
