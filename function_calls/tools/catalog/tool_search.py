"""Offer a few of many tools to a model, with a list of the others and a tool that finds them."""

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Final

from loguru import logger
from msgspec.structs import replace

from function_calls.tools.calls import ToolCall, ToolSpec
from function_calls.tools.catalog.model_call_validation import CheckedCalls, Problem, ToolsFound
from function_calls.tools.catalog.offered_tools import OfferedTools
from function_calls.tools.catalog.tool_index import ToolIndex

MAX_TOOLS_WITHOUT_SEARCH: Final = 50
"""The number of tools that are all sent with every request, where the settings say nothing else."""
TOOL_SEARCH: Final = ToolSpec(
    name="tool_search",
    description="Find further tools; they are offered to you from then on. 查找更多工具。",
    parameters={
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "Names from the list of further tools, or words for what the tool does.",
            }
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)
# The share of the bytes of all definitions that a request may have, and the most that the list may have of that. With
# 200 tools the whole request, with a prompt and a message of `_OTHER_BYTES`, stays under `_MAX_SHARE` of one with all
# definitions, also where these are small.
_SHARE: Final = 0.11
_MAX_SHARE: Final = 0.15
_OTHER_BYTES: Final = 1800
_LIST_SHARE: Final = 0.6
_MIN_BYTES: Final = 2500
_MAX_SELECTED: Final = 12
_MAX_FOUND: Final = 10
_MAX_FOUND_BYTES: Final = 20_000
_LINE_WIDTHS: Final = range(120, 20, -4)  # bytes
_MIN_TEXT_LENGTH: Final = 12
_TITLE: Final = f"Further tools (call `{TOOL_SEARCH.name}` before you use one):"
_NOTHING: Final = "No further tool fits these words. Try others, or answer without a tool."


def offer(specs: tuple[ToolSpec, ...], maximum: int) -> OfferedTools:
    """Prepare `specs` for a model; more than `maximum` are searchable, where `maximum` is not 0."""
    is_name_taken = any(spec.name == TOOL_SEARCH.name for spec in specs)
    can_search = any(spec.is_deferrable for spec in specs) and not is_name_taken
    return SearchableTools(specs) if 0 < maximum < len(specs) and can_search else OfferedTools(specs)


class SearchableTools(OfferedTools):
    """Many tools, of which a request has those that fit its message. Calls are checked against all of them."""

    def __init__(self, specs: tuple[ToolSpec, ...]) -> None:
        super().__init__((*specs, TOOL_SEARCH))
        self._fixed = (*(spec for spec in specs if not spec.is_deferrable), TOOL_SEARCH)
        self._deferrable = {spec.name: spec for spec in specs if spec.is_deferrable}
        size = sum(map(self.size_of, specs))
        room = int(min(_SHARE * size, _MAX_SHARE * size - _OTHER_BYTES)) - sum(map(self.size_of, self._fixed))
        self._room = max(room, _MIN_BYTES)

    @cached_property
    def index(self) -> ToolIndex:
        """The index of the tools that a request may leave out."""
        return ToolIndex(tuple(self._deferrable.values()))

    @cached_property
    def names(self) -> str:
        """The list of the tools that a request may leave out, the same for every message."""
        return "\n".join([_TITLE, *_lines(self._deferrable.values(), int(self._room * _LIST_SHARE))])

    def select(self, query: str, context: str = "", called: Collection[str] = ()) -> OfferedTools:
        """Return the tools for a message: the fixed ones, those `called` in this turn, and those that fit its words."""
        used = [self._deferrable[name] for name in called if name in self._deferrable]
        room = self._room - len(self.names.encode())
        fitting = self._within(room, self.index.rank(query, context), _MAX_SELECTED)
        selected = {spec.name: spec for spec in (*self._fixed, *used, *fitting)}
        return OfferedTools(tuple(selected.values()), self.names)

    def find(self, query: str, offered: Collection[str]) -> tuple[tuple[ToolSpec, ...], tuple[str, ...]]:
        """Return the tools that fit `query` and are to be offered, and the names of those `offered` already.

        Tools that it names come first, then those that share words with it, the best first.
        """
        named = [self._deferrable[name] for name in query.replace(",", " ").split() if name in self._deferrable]
        ranked = {spec.name: spec for spec in (*named, *self.index.rank(query))}
        known = tuple(name for name in list(ranked)[:_MAX_FOUND] if name in offered)
        fresh = [spec for name, spec in ranked.items() if name not in offered]
        room = max([_MAX_FOUND_BYTES, *map(self.size_of, fresh[:1])])
        return tuple(self._within(room, fresh, _MAX_FOUND)), known

    def _within(self, room: int, specs: Iterable[ToolSpec], maximum: int) -> list[ToolSpec]:
        """Return the first `maximum` of `specs` that fit into `room` bytes; larger ones are left out."""
        chosen: list[ToolSpec] = []
        for spec in specs:
            size = self.size_of(spec)
            if size <= room:
                chosen.append(spec)
                room -= size
            if len(chosen) == maximum:
                break
        return chosen


class ToolSelection:
    """The tools of one interpretation: `offered` are in its requests, and grow by those that the model searches."""

    def __init__(self, tools: OfferedTools, query: str = "", context: str = "", called: Collection[str] = ()) -> None:
        self.tools = tools
        self.offered = tools.select(query, context, called) if isinstance(tools, SearchableTools) else tools

    def answer_searches(self, checked: CheckedCalls) -> CheckedCalls:
        """Replace the searches for tools by their results, and offer these and the tools of refused calls."""
        if not isinstance(self.tools, SearchableTools):
            return checked
        self._offer(self.tools.by_name[problem.tool] for problem in checked.problems if problem.tool)
        outcomes = tuple(self._answer(outcome, self.tools) for outcome in checked.outcomes)
        return replace(checked, outcomes=outcomes)

    def _answer(
        self, outcome: ToolCall | Problem | ToolsFound, tools: SearchableTools
    ) -> ToolCall | Problem | ToolsFound:
        if not isinstance(outcome, ToolCall) or outcome.name != TOOL_SEARCH.name:
            return outcome
        query = str(outcome.arguments["query"])
        found, known = tools.find(query, self.offered.by_name)
        names = ", ".join(spec.name for spec in found)
        logger.info("tool search found {} further tools", len(found))
        logger.debug("tool search for {!r}: {}", query, names)
        self._offer(found)
        lines = [f"Offered before: {', '.join(known)}."] if known else []
        return ToolsFound(feedback="\n".join([*lines, f"Offered now: {names}." if names else _NOTHING]))

    def _offer(self, specs: Iterable[ToolSpec]) -> None:
        fresh = {spec.name: spec for spec in specs if spec.name not in self.offered.by_name}
        if fresh:
            self.offered = OfferedTools((*self.offered.specs, *fresh.values()), self.offered.further)


def _lines(specs: Iterable[ToolSpec], room: int) -> list[str]:
    """Return a line for each tool, its name and the beginning of its description, in `room` bytes together.

    Where the names alone are too many, the last line says how many are missing.
    """
    listed = [(spec.name, f"{spec.name}: {' '.join(spec.description.split())}") for spec in specs]
    sizes = [(len(name.encode()), len(line.encode())) for name, line in listed]
    fitting = (width for width in _LINE_WIDTHS if sum(max(name, min(line, width)) + 1 for name, line in sizes) <= room)
    width = next(fitting, 0)
    lines: list[str] = []
    for (name, line), (size, _) in zip(listed, sizes, strict=True):
        is_cut = width - size < _MIN_TEXT_LENGTH
        lines.append(name if is_cut else line.encode()[:width].decode(errors="ignore"))
        room -= len(lines[-1].encode()) + 1
        if room < 0:
            return [*lines[:-1], f"and {len(listed) - len(lines) + 1} more, which `{TOOL_SEARCH.name}` finds by words"]
    return lines
