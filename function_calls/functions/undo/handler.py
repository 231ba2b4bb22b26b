"""Handle the function that undoes a change."""

from pydantic import Field

from function_calls.functions.undo.undo import UndoService
from function_calls.models import Arguments
from function_calls.registry import tool_function
from function_calls.tools.calls import ToolResult
from function_calls.tools.context import CallContext


class UndoArgs(Arguments):
    """Arguments of `undo`."""

    change_id: str | None = Field(
        None, max_length=40, description="Id of the change, as its button carries it; the last change without it."
    )


@tool_function(name="undo", returns="reply", changes_state=True)
async def undo(args: UndoArgs, ctx: CallContext, undoing: UndoService) -> ToolResult:
    """撤销 / Take back what this person changed last in this chat: a reminder set, changed or deleted."""
    return await undoing.undo(ctx, args.change_id or "")
