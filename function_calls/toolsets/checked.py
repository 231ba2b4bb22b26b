"""A toolset whose arguments are checked before each call, for sources that check nothing themselves."""

from collections.abc import Mapping

from function_calls.calls import ToolResult, ToolSpec
from function_calls.context import CallContext
from function_calls.errors import ArgumentsInvalid
from function_calls.schema_validator import SchemaValidator
from function_calls.toolset import Toolset, Viewer, arguments_refused, unknown_tool


class CheckedToolset:
    """Checks arguments against the listed schema: the second validation, for calls from every door."""

    def __init__(self, inner: Toolset) -> None:
        self._inner = inner
        self._validators: dict[str, tuple[ToolSpec, SchemaValidator]] = {}

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """The other set's tools."""
        return await self._inner.list_specs(viewer)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Run a tool with arguments that fit its schema."""
        specs = await self._inner.list_specs(Viewer.of(context.message))
        spec = next((spec for spec in specs if spec.name == name), None)
        if spec is None:
            return unknown_tool(name, (spec.name for spec in specs), context.language)
        problems = self._validator(spec).validate(dict(arguments))
        if problems:
            return arguments_refused(name, ArgumentsInvalid(name, problems), context.language)
        return await self._inner.call(name, arguments, context)

    def _validator(self, spec: ToolSpec) -> SchemaValidator:
        known = self._validators.get(spec.name)
        if known is None or known[0] is not spec:
            known = self._validators[spec.name] = (spec, SchemaValidator(spec.parameters))
        return known[1]
