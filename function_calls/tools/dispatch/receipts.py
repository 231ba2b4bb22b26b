"""Add receipts and undo steps to results, and store the changes for undo."""

from typing import Final

from loguru import logger
from msgspec.structs import replace

from function_calls.tools.calls import Receipt, ToolCall, ToolResult, ToolSpec, UndoStep
from function_calls.tools.confirmation.change_log import EDITED, UNDONE, LoggedChange, change_id
from function_calls.tools.context import CallContext
from function_calls.tools.declaration.tool_options import ToolOptions
from function_calls.tools.validation.schema_walk import properties_of

_MAX_TEXT_LENGTH: Final = 200


def add_receipt(
    options: ToolOptions, call: ToolCall, result: ToolResult, *, inverse: ToolSpec | None = None
) -> ToolResult:
    """Return `result` with a receipt if the tool changed something, and with the undo step of the options.

    `inverse` is the spec of the inverse function; only arguments that it accepts are passed to it.
    """
    is_change = options.changes_state or options.undo is not None or bool(result.receipts)
    if not result.ok or result.ending == "question" or not is_change:
        return result
    if (result.is_unchanged or result.ending == "answered") and not result.receipts:
        return result
    receipts = result.receipts or (Receipt(action=call.name, subject=""),)
    if options.undo is not None and not any(receipt.undo for receipt in receipts):
        receipts = (replace(receipts[0], undo=_undo_step(options, call, result, inverse)), *receipts[1:])
    return replace(result, receipts=receipts)


async def store_change(call: ToolCall, context: CallContext, result: ToolResult) -> ToolResult:
    """Store the receipts of a call for undo, and return `result` with the id of the change.

    The calls of an agent are stored one by one, and not again for the agent; an undo cannot be undone.
    """
    receipts = tuple(receipt for receipt in result.receipts if receipt.action != UNDONE)
    if not receipts or result.spawned is not None or context.is_undoing or context.policy is None:
        return result
    edit = f"{EDITED}{context.clock.now():%H%M%S%f}" if context.message.is_edited else ""
    message_id = f"{context.message.id}{edit}"
    change = LoggedChange(
        tool=call.name,
        message_id=message_id,
        receipts=receipts,
        agent_name=context.agent_name,
        text=result.text.partition("\n")[0][:_MAX_TEXT_LENGTH],
        at=context.clock.now(),
    )
    try:
        await context.policy.change_log.push(context.conversation, change)
    except Exception as error:  # noqa: BLE001 - the effect of the tool cannot be undone by a failed store
        logger.opt(exception=error).error("cannot store receipts of {}; it cannot be undone", call.name)
        return result
    named = change_id(context.sender, message_id)
    undoable = (receipt if receipt.undo is None else replace(receipt, change_id=named) for receipt in result.receipts)
    return replace(result, receipts=tuple(undoable))


def _undo_step(options: ToolOptions, call: ToolCall, result: ToolResult, inverse: ToolSpec | None) -> UndoStep | None:
    if isinstance(options.undo, str):
        schema = {} if inverse is None else inverse.parameters
        arguments = dict(call.arguments)
        if schema.get("additionalProperties") is False:
            arguments = {name: value for name, value in arguments.items() if name in properties_of(schema)}
        return UndoStep(name=options.undo, arguments=arguments)
    return None if options.undo is None else options.undo(call.arguments, result)
