"""Redact secrets of the settings from the errors of failed tools."""

from collections.abc import Callable

from msgspec.structs import replace

from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.context import CallContext
from services.call_log.masking import SecretMask

Masking = Callable[[ToolCall, CallContext, ToolResult], ToolResult | None]


def mask_failures(mask: SecretMask) -> Masking:
    """Return a hook that masks secrets in failed results: a server may quote the key of a request that it refuses."""

    def hook(call: ToolCall, context: CallContext, result: ToolResult) -> ToolResult | None:
        del call, context
        if result.ok:
            return None
        error = None if result.error is None else mask.text(result.error)
        return replace(result, text=mask.text(result.text), error=error)

    return hook
