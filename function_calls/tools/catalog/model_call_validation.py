"""Validate the calls of a model's answer, and describe the problems for the model."""

from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from function_calls.tools.calls import Step, ToolCall
from function_calls.tools.catalog.offered_tools import OfferedTools
from function_calls.tools.declaration.argument_validation import check_arguments
from function_calls.tools.errors import ArgumentsInvalid
from services.language_model.ports import RequestedCall

MAX_CALLS = 16


class Problem(Struct, frozen=True, kw_only=True):
    """An invalid call. `feedback` is for the model, `fields` are the invalid arguments.

    `tool` is empty if there is no such tool.
    """

    feedback: str
    tool: str = ""
    fields: tuple[str, ...] = ()


class ToolsFound(Struct, frozen=True, kw_only=True):
    """A search for tools; `feedback` is its result for the model."""

    feedback: str


class CheckedCalls(Struct, frozen=True, kw_only=True):
    """The validated calls of one answer, in order."""

    requested: tuple[RequestedCall, ...]
    outcomes: tuple[ToolCall | Problem | ToolsFound, ...]

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The valid calls without duplicates."""
        valid: list[ToolCall] = []
        for outcome in self.outcomes:
            if isinstance(outcome, ToolCall) and not any(is_same(outcome, other) for other in valid):
                valid.append(outcome)
        return tuple(valid)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the invalid calls."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Problem))

    @property
    def has_searches(self) -> bool:
        """Return whether there are searches for tools."""
        return any(isinstance(outcome, ToolsFound) for outcome in self.outcomes)


def check_calls(requested: Sequence[RequestedCall], tools: OfferedTools, taken_ids: Collection[str]) -> CheckedCalls:
    """Validate and repair every call, and make the ids unique, also among `taken_ids` of earlier rounds."""
    named = _with_ids(requested, taken_ids)
    outcomes: list[ToolCall | Problem] = [_check(call, tools) for call in named[:MAX_CALLS]]
    surplus = Problem(feedback=f"At most {MAX_CALLS} calls are taken at once; this one was not.")
    outcomes += [surplus] * len(named[MAX_CALLS:])
    return CheckedCalls(requested=tuple(named), outcomes=tuple(outcomes))


def ids_of(steps: Sequence[Step]) -> set[str]:
    """Return the ids of all calls in `steps`."""
    return {call.id for step in steps for call in step.calls}


def is_same(call: ToolCall, other: ToolCall) -> bool:
    """Return whether two calls have the same name and arguments."""
    return call.name == other.name and call.arguments == other.arguments


def _check(requested: RequestedCall, tools: OfferedTools) -> ToolCall | Problem:
    spec = tools.resolve(requested.name or tools.find_by_arguments(requested.arguments) or "")
    if spec is None:
        return Problem(feedback=_no_such_tool(requested.name, tools))
    renamed = () if spec.name == requested.name else (f"tool name {requested.name} read as {spec.name}",)
    try:
        repaired = check_arguments(
            tools.validator(spec.name), requested.arguments, tool=spec.name, other_tools=tools.schemas
        )
    except ArgumentsInvalid as error:
        return Problem(feedback=error.for_model(), tool=spec.name, fields=_fields(error))
    return ToolCall(id=requested.id, name=spec.name, arguments=repaired.arguments, repairs=(*renamed, *repaired.steps))


def _no_such_tool(name: str, tools: OfferedTools) -> str:
    near = tools.nearest(name)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"There is no tool named '{name[:64]}'.{hint} The tools are: {', '.join(tools.by_name)}."


def _fields(error: ArgumentsInvalid) -> tuple[str, ...]:
    tops = (problem.pointer.lstrip("/").split("/")[0] for problem in error.errors)
    return tuple(dict.fromkeys(top for top in tops if top))


def _with_ids(requested: Sequence[RequestedCall], taken: Collection[str]) -> list[RequestedCall]:
    used: set[str] = set(taken)
    named = []
    for call in requested:
        identity = call.id if call.id and call.id not in used else _fresh(used)
        used.add(identity)
        named.append(call if identity == call.id else replace(call, id=identity))
    return named


def _fresh(used: Collection[str]) -> str:
    number = len(used) + 1
    while f"call_{number}" in used:
        number += 1
    return f"call_{number}"
