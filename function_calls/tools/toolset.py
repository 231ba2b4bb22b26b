"""Define the protocol of toolsets, the checks before their calls, and the names and refusals that they share."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from loguru import logger

from function_calls.language.messages import say
from function_calls.tools.calls import MAX_NAME_LENGTH, ToolCall, ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.declaration.argument_validation import validator_of
from function_calls.tools.declaration.tool_options import ToolOptions
from function_calls.tools.dispatch.approval import ask_approval
from function_calls.tools.dispatch.input_questions import ask_for_input
from function_calls.tools.dispatch.receipts import add_receipt
from function_calls.tools.errors import ArgumentsInvalid, SchemaInvalid
from function_calls.tools.permission import Viewer
from function_calls.tools.validation.argument_messages import invalid_arguments_text
from services.kernel.text import closest_names

__all__ = ["Toolset", "Viewer", "arguments_refused", "call_checked", "short_name", "unknown_tool"]

_DIGEST: Final = 8


class Toolset(Protocol):
    """A set of tools. Only tools that are listed for a viewer are called for them."""

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """List the tools that `viewer` may call; unchanged specs are the same objects, for caches."""

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Run a tool; a failure is a result, never an exception."""


def short_name(name: str) -> str:
    """Return `name`, shortened with a digest of itself if it is too long, so that different names stay different."""
    if len(name) <= MAX_NAME_LENGTH:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST]
    return f"{name[: MAX_NAME_LENGTH - _DIGEST - 1]}_{digest}"


def unknown_tool(name: str, offered: Iterable[str], language: str) -> ToolResult:
    """Return the failure for a call of an unknown tool, with the nearest names."""
    names = list(offered)
    near = closest_names(name, names, count=3)
    hint = f"; did you mean {', '.join(near)}?" if near else f"; there are: {', '.join(names)}"
    return ToolResult.failed(f"no tool named '{name}'{hint}", text=say(language, "failed.unknown_tool", tool=name))


def arguments_refused(spec: ToolSpec, error: ArgumentsInvalid, language: str) -> ToolResult:
    """Return the failure for invalid arguments, for models in English and for people in their language."""
    return ToolResult.failed(error.for_model(), text=invalid_arguments_text(language, spec, error.errors))


async def call_checked(toolset: Toolset, spec: ToolSpec, call: ToolCall, context: CallContext) -> ToolResult:
    """Validate the arguments of an external tool, ask for a confirmation if it is needed, and call the tool."""
    try:
        problems = validator_of(spec.parameters).validate(dict(call.arguments))
    except SchemaInvalid as error:
        logger.error("invalid schema of tool {}: {}", call.name, error)
        return ToolResult.failed(f"the schema of '{call.name}' is not a JSON Schema")
    if problems:
        return arguments_refused(spec, ArgumentsInvalid(call.name, problems), context.language)
    options = ToolOptions(confirm=spec.confirm, changes_state=spec.changes_state)
    confirmation = await ask_approval(options, call, context)
    if confirmation is not None:
        return confirmation
    if spec.changes_state and context.change_flag is not None:
        context.change_flag.is_set = True
    result = await toolset.call(call.name, call.arguments, context)
    if result.form is not None and result.ending != "question":
        return await ask_for_input(call, context, result.form)
    return add_receipt(options, call, result)
