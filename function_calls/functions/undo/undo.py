"""Undo changes by running the inverse calls of their receipts, with the function `undo`."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from msgspec.structs import replace
from pydantic import Field

from function_calls.functions.reminders.bulk import merge_results
from function_calls.functions.undo.target import ask_which, find_target, select_named
from function_calls.language.messages import knows, say
from function_calls.models import Arguments
from function_calls.registry import tool_function
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Receipt, ToolCall, ToolResult, UndoStep
from function_calls.tools.confirmation.change_log import (
    MAX_ENTRIES,
    UNDONE,
    ChangeLog,
    LoggedChange,
    change_id,
    is_owner,
)
from function_calls.tools.context import CallContext
from function_calls.tools.dispatch.execution import is_breakdown
from services.history.service import HistoryService

UNDO_WITHIN: Final = timedelta(minutes=10)
"""An older change is undone only by its button or after a confirmation."""
_CREATING: Final = "set"
"""The action of a receipt whose inverse deletes its subject, regardless of later changes."""


class UndoArgs(Arguments):
    """Arguments of `undo`."""

    change_id: str | None = Field(
        None, max_length=40, description="Id of the change, as its button carries it; the last change without it."
    )
    count: int = Field(1, ge=1, le=MAX_ENTRIES, description="撤销最近几次 / how many of the last changes")
    about: str = Field("", max_length=200, description="被改动的提醒 / words of the reminder that was changed")


class UndoService:
    """Undoes the change with an id, or the last change of the person in the chat.

    An inverse is a registered function with the same checks as any other call, but without confirmation.
    """

    def __init__(
        self, router: FunctionCallRouter, change_log: ChangeLog, history: HistoryService | None = None
    ) -> None:
        """Create the service; without `history`, a reply with `undo` is not handled differently."""
        self._router = router
        self._change_log = change_log
        self._history = history

    async def undo(self, context: CallContext, named: str = "", about: str = "") -> ToolResult:
        """Undo the change with the id `named`, else the change that the message replies to, else the last one.

        All changes for one message are one change, of which only those of what `about` names are undone. The last one
        is undone without a question only if it was made within `UNDO_WITHIN`, it is about that, no request of the
        person since was left unserved, and it deletes nothing that was set before somebody else's change.
        """
        if named:
            return await self._undo_named(context, named, about)
        target = await find_target(context, self._change_log, self._history, UNDO_WITHIN, about)
        if target is None:
            return _refusal("nothing_to_undo", "undo.nothing", context)
        if target.is_of_others:
            return _refusal("not_your_change", "undo.not_yours", context)
        if target.is_doubtful:
            return await ask_which(target, context, about)
        return await self._undo_named(context, target.change_id, about)

    async def undo_last(self, context: CallContext, count: int) -> ToolResult:
        """Undo the last changes, until `count` are undone or one is refused or asked about."""
        results: list[ToolResult] = []
        while count > 0 and (not results or results[-1].ok):
            result = await self.undo(context)
            count -= max(1, sum(len(receipt.subject.split(", ")) for receipt in result.receipts))
            results.append(result)
        return merge_results(results)

    async def _undo_named(self, context: CallContext, named: str, about: str = "") -> ToolResult:
        if not is_owner(context.sender, named):
            return _refusal("not_your_change", "undo.not_yours", context)
        remembered = await self._change_log.all(context.conversation)
        own = [change for change in remembered if change_id(context.sender, change.message_id) == named]
        changes = [change for change in reversed(own) if change.state != "undone"]
        if not changes:
            return _refusal(
                "already_undone" if own else "change_forgotten", "undo.already" if own else "undo.gone", context
            )
        if _is_changed_since(changes, remembered):
            return _refusal("changed_since", "undo.changed_since", context)
        return await self._undo_all(context, select_named(changes, about))

    async def _undo_all(self, context: CallContext, changes: Sequence[LoggedChange]) -> ToolResult:
        """Run the inverses, latest change first; after a failure they can be retried."""
        steps = [(change.agent_name, step) for change in changes for step in _steps(change)]
        results = [await self._run(step, agent, context, place) for place, (agent, step) in enumerate(steps)]
        is_done = any(result.ok for result in results)
        if is_done or not any(is_breakdown(result) for result in results):
            ids = {change.message_id for change in changes}
            undone = {receipt.subject for change in changes for receipt in change.receipts}
            await self._change_log.mark(context.conversation, ids, "undone" if is_done else "refused", undone)
        return _combine_results(changes, results, context)

    async def _run(self, step: UndoStep, agent_name: str, context: CallContext, place: int) -> ToolResult:
        call_id = f"{context.call_id}/undo{place}"
        call = ToolCall(id=call_id, name=step.name, arguments=step.arguments)
        inner = replace(context, call_id=call_id, state=context.state.sibling(), agent_name=agent_name, is_undoing=True)
        return await self._router.dispatcher_for(agent_name).dispatch(call, inner)


def _steps(change: LoggedChange) -> Iterator[UndoStep]:
    return (receipt.undo for receipt in reversed(change.receipts) if receipt.undo is not None)


def _is_changed_since(changes: Sequence[LoggedChange], remembered: Sequence[LoggedChange]) -> bool:
    """Return whether undoing `changes` would lose a later change of the same subject."""
    subjects = {
        receipt.subject
        for change in changes
        for receipt in change.receipts
        if receipt.subject and receipt.undo is not None and receipt.action != _CREATING
    }
    later = remembered[remembered.index(changes[0]) + 1 :]
    return any(receipt.subject in subjects for change in later if change.state == "live" for receipt in change.receipts)


def _refusal(cause: str, key: str, context: CallContext) -> ToolResult:
    return ToolResult.refused(cause, say(context.language, key))


def _line(step: UndoStep, result: ToolResult, language: str) -> str:
    """Return the text for one inverse: the message `undo.NAME` if it exists, else the function's answer."""
    if not result.ok:
        return say(language, "undo.failed", why=result.text or result.error)
    own = f"undo.{step.name}"
    return say(language, own if knows(own) else "undo.done", what=result.text)


def _combine_results(
    changes: Sequence[LoggedChange], results: Sequence[ToolResult], context: CallContext
) -> ToolResult:
    """Combine the results of all inverses: the undone actions, and the errors of the others."""
    language = context.language
    if not results:
        changes_text = ", ".join(
            f"{receipt.action} {receipt.subject}" for change in changes for receipt in change.receipts
        )
        return ToolResult.failed(
            "it cannot be undone", text=say(language, "undo.no_inverse", what=changes_text), kind="denied"
        )
    steps = [step for change in changes for step in _steps(change)]
    lines = [_line(step, result, language) for step, result in zip(steps, results, strict=True)]
    if not any(result.ok for result in results):
        return ToolResult.failed("it could not be undone", text="\n".join(lines))
    subjects = (receipt.subject for change in changes for receipt in change.receipts)
    return ToolResult(
        ok=True,
        text="\n".join(lines),
        value={"undone": [result.text for result in results if result.ok]},
        receipts=(
            Receipt(
                action=UNDONE,
                subject=", ".join(subjects),
                change_id=change_id(context.sender, changes[0].message_id),
            ),
        ),
    )


@tool_function(name="undo", returns="reply", changes_state=True)
async def undo(args: UndoArgs, ctx: CallContext, undoing: UndoService) -> ToolResult:
    """撤销 / Take back what this person changed last in this chat: a reminder set, changed or deleted."""
    if args.change_id or args.count == 1:
        return await undoing.undo(ctx, args.change_id or "", args.about)
    return await undoing.undo_last(ctx, args.count)
