"""Explain a recorded turn in text, also as the answer to "why did you do that?"."""

from collections.abc import Sequence

from function_calls.language.messages import say
from function_calls.language.recognized_phrases import examples_of
from function_calls.language.recurrence_text import without_rule_text
from function_calls.registry import tool_function
from function_calls.tools.calls import SILENT, ToolResult
from function_calls.tools.context import CallContext, is_for_bot
from services.call_log.model import AGENT_ROUTE, CallRecord, TurnRecord, parse_json
from services.call_log.service import CallLog
from services.history.service import HistoryService
from services.kernel.text import shorten

_LOOKED_BACK = 10
_MAX_LENGTH = 300


@tool_function(name="explain", returns="reply", examples=examples_of("explain"))
async def explain(ctx: CallContext, log: CallLog, history: HistoryService) -> ToolResult:
    """解释机器人刚才做了什么、为什么 / Explain why the bot itself did what it did last. Not for other questions."""
    if not await is_for_bot(ctx, history):
        return SILENT
    found = await _last_turn(ctx, log)
    if found is None:
        return ToolResult(ok=True, text=say(ctx.language, "explain.nothing"))
    turn, calls = found
    return ToolResult(ok=True, text="\n".join(explain_turn(turn, calls, ctx.language, has_details=ctx.sender.is_admin)))


async def _last_turn(ctx: CallContext, log: CallLog) -> tuple[TurnRecord, tuple[CallRecord, ...]] | None:
    """Return the asker's last turn in this chat with a call or an answer, explanations left out."""
    for turn in await log.latest_turns(_LOOKED_BACK, address=ctx.chat, person_id=ctx.sender.id):
        calls = await log.calls_of(turn)
        is_explanation = bool(calls) and all(call.tool_name == "explain" for call in calls)
        if not is_explanation and (calls or turn.outcome != "silent"):
            return turn, calls
    return None


def explain_turn(turn: TurnRecord, calls: Sequence[CallRecord], language: str, *, has_details: bool) -> list[str]:
    """Return the explanation, one line per fact; `has_details` adds errors, model input, tokens, cost and durations."""
    lines = [say(language, "explain.message", text=_shorten(turn.text)), *_describe_route(turn, language)]
    lines += _describe_rejected(turn, calls, language)
    for number, call in enumerate(calls, start=1):
        lines += _describe_call(number, call, language, has_details=has_details)
    if not calls:
        lines.append(say(language, "explain.no_calls"))
    lines += _describe_outcome(turn, calls, language, has_details=has_details)
    lines = [without_rule_text(language, line) for line in lines]
    return [*lines, _describe_cost(turn, language)] if has_details else lines


def format_arguments(call: CallRecord) -> str:
    """Return the arguments as `name=value`."""
    arguments = parse_json(call.arguments)
    if not isinstance(arguments, dict):
        return _shorten(call.arguments)
    return _shorten(", ".join(f"{name}={value}" for name, value in arguments.items()))


def _describe_route(turn: TurnRecord, language: str) -> list[str]:
    models = dict.fromkeys(completion.model for completion in turn.completions if not completion.error)
    lines = []
    if models:
        count = len(turn.completions)
        key = "explain.by_model" if count == 1 else "explain.by_model_many"
        lines.append(say(language, key, model=", ".join(models), count=count))
    if turn.fallback:
        lines.append(say(language, "explain.fallback", reason=turn.fallback))
    if turn.route == "offline":
        lines.append(say(language, "explain.without_model"))
    return lines or [say(language, "explain.by_route", route=turn.route)]


def _describe_rejected(turn: TurnRecord, calls: Sequence[CallRecord], language: str) -> list[str]:
    """Return the calls of a model that failed validation: it was asked again, or nothing was called."""
    called = {call.round for call in calls}
    lines = []
    for place, completion in enumerate(turn.completions):
        later = turn.completions[place + 1 :]
        is_asked_again = any(other.requested and other.round == completion.round for other in later)
        if is_asked_again or completion.round not in called:
            lines += [
                say(language, "explain.not_made", tool=_shorten(call.name), arguments=_shorten(call.arguments))
                for call in completion.requested
            ]
        lines += [say(language, "explain.refused", reason=_shorten(reason)) for reason in completion.refused]
    return lines


def _describe_call(number: int, call: CallRecord, language: str, *, has_details: bool) -> list[str]:
    lines = [
        say(
            language,
            "explain.call",
            number=number,
            tool=call.tool_name,
            arguments=format_arguments(call),
            status=say(language, f"explain.status_{call.status}"),
            milliseconds=f"{call.duration_ms:.0f}",
        )
    ]
    if call.repairs:
        lines.append(say(language, "explain.mended", repairs=_shorten("; ".join(call.repairs))))
    task = parse_json(call.spawn_task) if call.spawn_task else None
    agent = task.get("agent") if isinstance(task, dict) else ""
    if call.is_nested:
        agent = call.route.removeprefix(AGENT_ROUTE)
    if agent:
        lines.append(say(language, "explain.by_agent", agent=agent))
    outcome = (call.error or call.result) if has_details else call.said
    if outcome:
        lines.append(say(language, "explain.result", result=_shorten(outcome)))
    return lines


def _describe_outcome(turn: TurnRecord, calls: Sequence[CallRecord], language: str, *, has_details: bool) -> list[str]:
    if turn.outcome == "failed":
        return [say(language, "explain.failed", error=_shorten(turn.error) if has_details else "")]
    if not turn.reply:
        return [say(language, "explain.silent")]
    is_said_by_call = any(call.said and turn.reply.startswith(call.said) for call in calls)
    return [] if is_said_by_call and not has_details else [say(language, "explain.reply", text=_shorten(turn.reply))]


def _describe_cost(turn: TurnRecord, language: str) -> str:
    used = turn.charge
    if not turn.completions:
        return say(language, "explain.time", milliseconds=f"{turn.duration_ms:.0f}")
    return say(
        language,
        "explain.cost",
        tokens=used.tokens,
        prompt=used.prompt_tokens,
        cached=used.cached_tokens,
        completion=used.completion_tokens,
        cost=f"{used.cost:.6g}",
        milliseconds=f"{turn.duration_ms:.0f}",
    )


def _shorten(text: str) -> str:
    return shorten(" ".join(text.split()), _MAX_LENGTH)
