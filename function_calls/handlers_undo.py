"""The function that takes the last change back."""

from function_calls.calls import ToolResult
from function_calls.context import CallContext
from function_calls.models import Arguments
from function_calls.registry import tool_function
from function_calls.undoing import Undoing


class UndoArgs(Arguments):
    """Arguments of `undo`: none."""


@tool_function(name="undo", returns="reply", changes_state=True)
async def undo(args: UndoArgs, ctx: CallContext, undoing: Undoing) -> ToolResult:
    """撤销 / Take back what this person changed last in this chat: a reminder set, changed or deleted."""
    del args
    return await undoing.undo_last(ctx)
