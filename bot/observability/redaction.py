"""Keeps secrets of the settings out of what people and models are told when a tool fails."""

from collections.abc import Callable

from msgspec.structs import replace

from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import CallContext
from services.call_log.masking import SecretMask

Masking = Callable[[ToolCall, CallContext, ToolResult], ToolResult | None]


def mask_failures(mask: SecretMask) -> Masking:
    """A hook after tools: what servers say of a request that they refuse may quote the key that it was made with."""

    def hook(call: ToolCall, context: CallContext, result: ToolResult) -> ToolResult | None:
        del call, context
        if result.ok:
            return None
        error = None if result.error is None else mask.text(result.error)
        return replace(result, text=mask.text(result.text), error=error)

    return hook
