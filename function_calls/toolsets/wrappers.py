"""Wrap a toolset: hide or rename its tools, or ask before each call."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from msgspec.structs import replace

from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Toolset, Viewer, short_name, unknown_tool

_MOST_KEPT: Final = 4096

Keep = Callable[[ToolSpec, Viewer], bool]
Approve = Callable[[str, Mapping[str, object], CallContext], Awaitable[ToolResult | None]]


class RenamedSpecs:
    """Specs under other names. Caches hold specs by identity, so the same spec and name give the same object."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, str], tuple[ToolSpec, ToolSpec]] = {}

    def get(self, spec: ToolSpec, name: str) -> ToolSpec:
        """Return `spec` under the name `name`."""
        if spec.name == name:
            return spec
        known = self._kept.get((id(spec), name))
        if known is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            # The original is kept beside it: an id names an object only while that lives.
            known = self._kept[id(spec), name] = (spec, replace(spec, name=name))
        return known[1]


class FilteredToolset:
    """Offers the tools of another set that `keep` wants for a viewer; the others can be neither seen nor called."""

    def __init__(self, inner: Toolset, keep: Keep) -> None:
        self._inner = inner
        self._keep = keep

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """List the remaining tools for `viewer`."""
        return tuple(spec for spec in await self._inner.list_specs(viewer) if self._keep(spec, viewer))

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Run a remaining tool."""
        offered = [spec.name for spec in await self.list_specs(context.viewer)]
        if name not in offered:
            return unknown_tool(name, offered, context.language)
        return await self._inner.call(name, arguments, context)


class PrefixedToolset:
    """Offers the tools of another set as `prefix_name`."""

    def __init__(self, inner: Toolset, prefix: str) -> None:
        self._inner = inner
        self._prefix = prefix
        self._renamed = RenamedSpecs()

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the other set's tools, renamed."""
        specs = await self._inner.list_specs(viewer)
        return tuple(self._renamed.get(spec, short_name(f"{self._prefix}_{spec.name}")) for spec in specs)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Run a tool by its prefixed name."""
        specs = await self._inner.list_specs(context.viewer)
        originals = {short_name(f"{self._prefix}_{spec.name}"): spec.name for spec in specs}
        if name not in originals:
            return unknown_tool(name, originals, context.language)
        return await self._inner.call(originals[name], arguments, context)


class ApprovedToolset:
    """Lets `approve` decide about each call, by tool name and arguments.

    It returns None to let the call pass, or the result to return instead: a question to the person
    (`is_question=True`) or a refusal. A call whose approval cannot be obtained is not made.
    """

    def __init__(self, inner: Toolset, approve: Approve) -> None:
        self._inner = inner
        self._approve = approve

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the other set's tools, all of them."""
        return await self._inner.list_specs(viewer)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Ask, then run."""
        instead = await self._approve(name, arguments, context)
        return await self._inner.call(name, arguments, context) if instead is None else instead
