"""Takes the last change of a person back by running the inverse that its receipt names."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from function_calls.calls import Receipt, ToolCall, ToolResult, UndoStep
from function_calls.context import CallContext
from function_calls.receipt_stack import UNDONE, Change, ReceiptStack
from function_calls.router import FunctionCallRouter
from function_calls.running import is_breakdown
from function_calls.wording import say


class Undoing:
    """Undoes changes in the order opposite to that in which they were made.

    An inverse is a registered function and passes the same checks as any other call; it needs no further yes.
    """

    def __init__(self, router: FunctionCallRouter, receipts: ReceiptStack) -> None:
        self._router = router
        self._receipts = receipts

    async def undo_last(self, context: CallContext) -> ToolResult:
        """Take back what the person of `context` changed last in its chat: all that one function did for one message.

        A change that was refused to be taken back is forgotten, so that it does not stand before earlier ones; after
        an error it may be tried again.
        """
        changes = await self._receipts.latest(context.conversation)
        if not changes:
            return ToolResult.failed("nothing to undo", text=say(context.language, "undo.nothing"))
        steps = [(change.agent_name, step) for change in changes for step in _steps(change)]
        results = [await self._run(step, agent, context, place) for place, (agent, step) in enumerate(steps)]
        if any(result.ok for result in results) or not any(is_breakdown(result) for result in results):
            await self._receipts.drop(context.conversation, len(changes))
        return _outcome(changes, results, context.language)

    async def _run(self, step: UndoStep, agent_name: str, context: CallContext, place: int) -> ToolResult:
        call_id = f"{context.call_id}/undo{place}"
        call = ToolCall(id=call_id, name=step.name, arguments=step.arguments)
        inner = replace(context, call_id=call_id, state=context.state.sibling(), agent_name=agent_name, is_undoing=True)
        return await self._router.dispatcher_for(agent_name, context.oversight).dispatch(call, inner)


def _steps(change: Change) -> Iterator[UndoStep]:
    return (receipt.undo for receipt in reversed(change.receipts) if receipt.undo is not None)


def _outcome(changes: Sequence[Change], results: Sequence[ToolResult], language: str) -> ToolResult:
    """One answer for all inverses: what was taken back, and why the rest was not."""
    if not results:
        told = ", ".join(f"{each.action} {each.subject}" for change in changes for each in change.receipts)
        return ToolResult.failed("it cannot be undone", text=say(language, "undo.no_inverse", what=told), kind="denied")
    lines = [
        say(language, "undo.done", what=result.text)
        if result.ok
        else say(language, "undo.failed", why=result.text or result.error)
        for result in results
    ]
    if not any(result.ok for result in results):
        return ToolResult.failed("it could not be undone", text="\n".join(lines))
    subjects = (each.subject for change in changes for each in change.receipts)
    return ToolResult(
        ok=True,
        text="\n".join(lines),
        value={"undone": [result.text for result in results if result.ok]},
        receipts=(Receipt(action=UNDONE, subject=", ".join(subjects)),),
    )
