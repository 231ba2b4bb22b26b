"""Answer "why did you do that?" from the record."""

from function_calls.conversation.records.explaining import explained
from function_calls.language.messages import say
from function_calls.language.recognized_phrases import examples_of
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext, is_for_bot
from services.call_log.model import CallRecord, TurnRecord
from services.call_log.service import CallLog
from services.history.service import HistoryService

_LOOKED_BACK = 10


@tool_function(name="explain", returns="reply", examples=examples_of("explain"))
async def explain(ctx: CallContext, log: CallLog, history: HistoryService) -> ToolResult:
    """解释机器人刚才做了什么、为什么 / Explain why the bot itself did what it did last. Not for other questions."""
    if not await is_for_bot(ctx, history):
        return ToolResult(ok=True, is_answered=True)
    found = await _last_turn(ctx, log)
    if found is None:
        return ToolResult(ok=True, text=say(ctx.language, "explain.nothing"))
    turn, calls = found
    return ToolResult(ok=True, text="\n".join(explained(turn, calls, ctx.language, has_details=ctx.sender.is_admin)))


async def _last_turn(ctx: CallContext, log: CallLog) -> tuple[TurnRecord, tuple[CallRecord, ...]] | None:
    """Return the asker's last turn in this chat with a call or an answer, explanations left out."""
    for turn in await log.latest_turns(_LOOKED_BACK, address=ctx.chat, person_id=ctx.sender.id):
        calls = await log.calls_of(turn)
        is_explanation = bool(calls) and all(call.tool_name == "explain" for call in calls)
        if not is_explanation and (calls or turn.outcome != "silent"):
            return turn, calls
    return None
