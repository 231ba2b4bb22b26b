"""Combine several toolsets into one, and rename tools with equal names."""

from collections.abc import Callable, Mapping
from typing import Final

from loguru import logger
from msgspec import Struct

from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall, ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Toolset, Viewer, short_name, unknown_tool
from function_calls.toolsets.wrappers import RenamedSpecs
from services.kernel.bounded import BoundedDict

_MAX_ENTRIES: Final = 256
_MAX_NAMES: Final = 20_000  # clients offer tools of any names
LOCAL: Final = "local"
Listing = tuple[tuple[ToolSpec, ...], ...]


class LocalToolset:
    """The tools of a router's registry; calls pass the router's checks, hooks and events."""

    def __init__(self, router: FunctionCallRouter) -> None:
        self._router = router

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the functions that `viewer` may call in that chat."""
        return await self._router.own_specs(viewer)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Dispatch a call under the id of `context`."""
        if self._router.registry.get(name) is None:
            offered = await self.list_specs(context.viewer)
            return unknown_tool(name, (spec.name for spec in offered), context.language)
        return await self._router.dispatch(ToolCall(id=context.call_id, name=name, arguments=arguments), context)


class NameClash(Struct, frozen=True, kw_only=True):
    """A name in several sets: `kept_by` keeps it, tools of the other sets get the prefix of their label."""

    name: str
    kept_by: str
    renamed: tuple[str, ...]


class _Routes(Struct, frozen=True, kw_only=True):
    """The set and the original name of each offered tool. `listing` has the specs whose ids are the cache key."""

    listing: Listing
    specs: tuple[ToolSpec, ...]
    targets: Mapping[str, tuple[Toolset, str]]


class CombinedToolset:
    """Offers the tools of several sets, by label and in order.

    In a name clash, the tool of the first set keeps the name and the others are called `label_name`, also while one of
    the sets is unavailable. `is_reserved` returns True for names of the first set that are not listed for everyone. A
    set that cannot be listed is skipped.
    """

    def __init__(self, toolsets: Mapping[str, Toolset], *, is_reserved: Callable[[str], bool] | None = None) -> None:
        self._toolsets = dict(toolsets)
        self._labels = tuple(self._toolsets)
        self._is_reserved = is_reserved or (lambda name: False)  # noqa: ARG005 - no name is
        self._offered_by: BoundedDict[str, set[int]] = BoundedDict(_MAX_NAMES)
        self._renamed = RenamedSpecs()
        self._routes: dict[tuple[tuple[int, ...], ...], _Routes] = {}

    @property
    def clashes(self) -> tuple[NameClash, ...]:
        """The known clashes by name."""
        return tuple(self._clash(name, places) for name, places in sorted(self._offered_by.items()) if len(places) > 1)

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return the tools of all sets."""
        return (await self._routes_for(viewer)).specs

    async def list_labelled(self, viewer: Viewer) -> tuple[tuple[str, ToolSpec], ...]:
        """Return the tools of all sets, each with the label of its set."""
        routes = await self._routes_for(viewer)
        labels = {id(toolset): label for label, toolset in self._toolsets.items()}
        return tuple((labels[id(routes.targets[spec.name][0])], spec) for spec in routes.specs)

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Run a tool by its offered name."""
        routes = await self._routes_for(context.viewer)
        target = routes.targets.get(name)
        if target is None:
            return unknown_tool(name, routes.targets, context.language)
        toolset, original = target
        return await toolset.call(original, arguments, context)

    async def _routes_for(self, viewer: Viewer) -> _Routes:
        listing = tuple([await self._list_set(label, viewer) for label in self._labels])
        key = tuple(tuple(map(id, specs)) for specs in listing)
        found = self._routes.get(key)
        if found is None:
            if self._record_offers(listing) or len(self._routes) >= _MAX_ENTRIES:
                self._routes.clear()
            found = self._routes[key] = self._make_routes(listing)
        return found

    async def _list_set(self, label: str, viewer: Viewer) -> tuple[ToolSpec, ...]:
        try:
            return await self._toolsets[label].list_specs(viewer)
        except Exception as error:  # noqa: BLE001 - a failing toolset must not hide the others
            logger.opt(exception=error).error("cannot list the tools of {}", label)
            return ()

    def _record_offers(self, listing: Listing) -> bool:
        """Record the sets that offer each name; return whether there is a new clash, which changes names."""
        has_clash = False
        for place, specs in enumerate(listing):
            for spec in specs:
                places = self._offered_by.get(spec.name, set())
                if places and place not in places:
                    has_clash = True
                    clash = self._clash(spec.name, places | {place})
                    logger.warning("tool {} is offered twice; {} keeps the name", clash.name, clash.kept_by)
                self._offered_by[spec.name] = places | {place}
        return has_clash

    def _clash(self, name: str, places: set[int]) -> NameClash:
        first, *later = sorted(places)
        renamed = tuple(short_name(f"{self._labels[place]}_{name}") for place in later)
        return NameClash(name=name, kept_by=self._labels[first], renamed=renamed)

    def _make_routes(self, listing: Listing) -> _Routes:
        listed = [(place, spec) for place, specs in enumerate(listing) for spec in specs]
        taken = {spec.name for place, spec in listed if self._keeps(place, spec.name)}
        targets: dict[str, tuple[Toolset, str]] = {}
        shown = []
        for place, spec in listed:
            name = spec.name if self._keeps(place, spec.name) else self._free(place, spec.name, taken)
            taken.add(name)
            targets[name] = (self._toolsets[self._labels[place]], spec.name)
            shown.append(self._renamed.get(spec, name))
        return _Routes(listing=listing, specs=tuple(shown), targets=targets)

    def _keeps(self, place: int, name: str) -> bool:
        return place == min(self._offered_by.get(name, {place})) and (place == 0 or not self._is_reserved(name))

    def _free(self, place: int, name: str, taken: set[str]) -> str:
        prefixed = short_name(f"{self._labels[place]}_{name}")
        return prefixed if prefixed not in taken else self._free(place, prefixed, taken)


def combine_external(router: FunctionCallRouter, toolsets: Mapping[str, Toolset]) -> CombinedToolset:
    """Combine the functions of `router`, which keep their names, with external tools."""
    local: dict[str, Toolset] = {LOCAL: LocalToolset(router)}
    combined = CombinedToolset(local | dict(toolsets), is_reserved=lambda name: router.registry.get(name) is not None)
    router.external_tools = combined
    return combined
