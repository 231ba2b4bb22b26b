"""Check the calls of a toolset that does not check or confirm them itself."""

from collections.abc import Mapping

from loguru import logger

from function_calls.tools.calls import ToolCall, ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.declaring.tool_options import ToolOptions
from function_calls.tools.dispatch.approval import asked_first
from function_calls.tools.dispatch.input_questions import ask_for_input
from function_calls.tools.dispatch.receipts import receipted
from function_calls.tools.errors import ArgumentsInvalid, SchemaInvalid
from function_calls.tools.toolset import Toolset, Viewer, arguments_refused, unknown_tool
from function_calls.tools.validation.schema_validator import SchemaValidator


class CheckedToolset:
    """Checks arguments against the listed schema: the second validation, for calls from every client.

    A tool that declares a change is confirmed like our own, and leaves a receipt. One whose schema is no JSON Schema
    is not called.
    """

    def __init__(self, inner: Toolset) -> None:
        self._inner = inner
        self._validators: dict[str, tuple[ToolSpec, SchemaValidator]] = {}

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the other set's tools."""
        return await self._inner.list_specs(viewer)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Run a tool with arguments that fit its schema, once the person agrees where that is needed."""
        specs = await self._inner.list_specs(context.viewer)
        spec = next((spec for spec in specs if spec.name == name), None)
        if spec is None:
            return unknown_tool(name, (spec.name for spec in specs), context.language)
        try:
            problems = self._validator(spec).validate(dict(arguments))
        except SchemaInvalid as error:
            logger.error("invalid schema of tool {}: {}", name, error)
            return ToolResult.failed(f"the schema of '{name}' is not a JSON Schema")
        if problems:
            return arguments_refused(spec, ArgumentsInvalid(name, problems), context.language)
        call = ToolCall(id=context.call_id, name=name, arguments=arguments)
        options = ToolOptions(confirm=spec.confirm, changes_state=spec.changes_state)
        asked = await asked_first(options, call, context)
        if asked is not None:
            return asked
        if spec.changes_state and context.started is not None:
            context.started.is_set = True
        result = await self._inner.call(name, arguments, context)
        if result.form is not None and not result.is_question:
            return await ask_for_input(call, context, result.form)
        return receipted(options, call, result)

    def _validator(self, spec: ToolSpec) -> SchemaValidator:
        known = self._validators.get(spec.name)
        if known is None or known[0] is not spec:
            known = self._validators[spec.name] = (spec, SchemaValidator(spec.parameters))
        return known[1]
