"""Assert that a tool keeps the promise of its schema: what the schema accepts runs, what it refuses never does.

    def test_forecast_keeps_its_contract():
        assert_tool_contract(forecast)

Arguments are made from the schema, the same ones every time; the tool itself is not run.
"""

import asyncio
import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import cast

from bot.testing.turns import make_context, make_message
from function_calls.registry import Registry, ToolOptions
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import CallContext, Service, Services
from function_calls.tools.declaring.class_tools import Tool
from function_calls.tools.errors import ArgumentsInvalid
from function_calls.tools.validation.schema_walk import pointer_target

Schema = Mapping[str, object]
_DEEPEST = 3
_MOST_OF_ONE = 6
_LONGEST = 200
_FORMATS = {
    "date": "2026-11-20",
    "date-time": "2026-11-20T10:00:00+00:00",
    "time": "10:00:00",
    "duration": "PT5M",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "email": "ann@example.org",
    "uri": "https://example.org/",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
}
_TEXTS = ("text", "1", "a", "abc", "2026-11-20", "10:00", "提醒")
_POOL: tuple[object, ...] = (None, True, 7, -1, 1.5, 1e300, "", "7", "text", [], [None], {}, {"unknown": 1})
"""Values of every kind: whatever an argument wants, most of these are not it."""


def candidates(schema: Schema) -> Iterator[dict[str, object]]:
    """Argument objects for `schema`: whole ones, minimal ones, and each broken in one place. Some may fit by chance."""
    samples = Samples(schema)
    yield from samples.whole()
    yield from samples.broken()


class Samples:
    """Makes values for one schema."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._parts = {name: part for name, part in _mapping(root, "properties").items() if isinstance(part, Mapping)}
        self._needed = [name for name in _listed(root, "required") if isinstance(name, str)]

    def whole(self) -> Iterator[dict[str, object]]:
        """Yield required arguments only, all arguments, and all with each further value of each argument."""
        full = self._full()
        yield {name: value for name, value in full.items() if name in self._needed}
        yield full
        for name, part in self._parts.items():
            for value in islice(self._values(part, 0), 1, _MOST_OF_ONE):
                yield full | {name: value}

    def broken(self) -> Iterator[dict[str, object]]:
        """Yield arguments with one error each: missing, unknown, of another type, out of bounds."""
        full = self._full()
        for name in self._needed:
            yield {key: value for key, value in full.items() if key != name}
        yield full | {"no_such_argument": 1}
        for name, part in self._parts.items():
            for value in (*_POOL, *self._beyond(part)):
                yield full | {name: value}

    def _full(self) -> dict[str, object]:
        firsts = {name: next(self._values(part, 0), None) for name, part in self._parts.items()}
        return {name: value for name, value in firsts.items() if value is not None or name in self._needed}

    def _values(self, part: Schema, depth: int) -> Iterator[object]:
        part = self._resolved(part)
        if "const" in part:
            yield part["const"]
        elif "enum" in part:
            yield from _listed(part, "enum")
        elif any(key in part for key in ("anyOf", "oneOf")):
            for arm in (*_listed(part, "anyOf"), *_listed(part, "oneOf")):
                yield from islice(self._values(arm if isinstance(arm, Mapping) else {}, depth), 2)
        else:
            for kind in _kinds(part):
                yield from self._of_kind(kind, part, depth)

    def _of_kind(self, kind: str, part: Schema, depth: int) -> Iterator[object]:
        if kind == "string":
            yield from _texts(part)
        elif kind in ("integer", "number"):
            yield from _numbers(part, kind)
        elif kind == "array":
            yield from self._arrays(part, depth)
        elif kind == "object":
            yield from self._objects(part, depth)
        else:
            yield from {"boolean": (True, False), "null": (None,)}.get(kind, ("text", 1))

    def _arrays(self, part: Schema, depth: int) -> Iterator[object]:
        least = _number(part, "minItems", 0)
        items = part.get("items")
        inner = list(islice(self._values(items if isinstance(items, Mapping) else {}, depth + 1), 2))
        if not least:
            yield []
        if depth < _DEEPEST and inner:
            yield [inner[at % len(inner)] for at in range(int(max(1, least)))]

    def _objects(self, part: Schema, depth: int) -> Iterator[object]:
        needed = _listed(part, "required")
        parts = {name: inner for name, inner in _mapping(part, "properties").items() if isinstance(inner, Mapping)}
        chosen = {name: inner for name, inner in parts.items() if name in needed or depth < _DEEPEST}
        yield {name: next(self._values(inner, depth + 1), None) for name, inner in chosen.items() if name in needed}
        if depth < _DEEPEST:
            yield {name: next(self._values(inner, depth + 1), None) for name, inner in chosen.items()}

    def _beyond(self, part: Schema) -> Iterator[object]:
        part = self._resolved(part)
        for key, step in (("minimum", -1), ("maximum", 1), ("exclusiveMinimum", 0), ("exclusiveMaximum", 0)):
            if key in part:
                yield _number(part, key, 0) + step
        if "minLength" in part:
            yield "a" * max(0, int(_number(part, "minLength", 0)) - 1)
        if _number(part, "maxLength", _LONGEST) < _LONGEST:
            yield "a" * (int(_number(part, "maxLength", 0)) + 1)
        if "enum" in part:
            yield "none of them"

    def _resolved(self, part: Schema) -> Schema:
        reference = part.get("$ref")
        if isinstance(reference, str):
            return {**pointer_target(self._root, reference), **{k: v for k, v in part.items() if k != "$ref"}}
        return part


def _texts(part: Schema) -> Iterator[object]:
    known = _FORMATS.get(str(part.get("format", "")))
    if known is not None:
        yield known
        return
    least = int(_number(part, "minLength", 0))
    most = int(min(_number(part, "maxLength", _LONGEST), _LONGEST))
    yield from (text for text in _TEXTS if least <= len(text) <= most)
    yield "a" * max(least, 1)
    yield "a" * most


def _numbers(part: Schema, kind: str) -> Iterator[object]:
    step = _number(part, "multipleOf", 1)
    least = _number(part, "minimum", _number(part, "exclusiveMinimum", -1) + 1)
    most = _number(part, "maximum", _number(part, "exclusiveMaximum", least + 10 * step + 1) - 1)
    whole = [value for value in (least, most, 0, 1, step) if least <= value <= most]
    yield from (int(value) if kind == "integer" else value for value in whole)
    if kind == "number":
        yield (least + most) / 2


def _kinds(part: Schema) -> Sequence[str]:
    kind = part.get("type")
    if isinstance(kind, str):
        return (kind,)
    if isinstance(kind, list):
        return [str(each) for each in kind]
    return ("object",) if "properties" in part else ("any",)


def _mapping(part: Schema, key: str) -> Mapping[str, object]:
    value = part.get(key)
    return value if isinstance(value, Mapping) else {}


def _listed(part: Schema, key: str) -> Sequence[object]:
    value = part.get(key)
    return value if isinstance(value, list) else ()


def _number(part: Schema, key: str, default: float) -> float:
    value = part.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default


def assert_tool_contract(
    tool: Callable[..., object] | Tool,
    *,
    injectable: Collection[type[object]] = (),
    examples: Iterable[Mapping[str, object]] = (),
) -> None:
    """Check `tool`, a function (marked or plain) or a class tool, with arguments made from its schema.

    Both validations must agree on every one of them, the router must bring the right ones to the tool and none of
    the broken ones.

    Args:
        tool: what is to be registered.
        injectable: the classes of services that its parameters name.
        examples: right arguments that cannot be guessed, for schemas with patterns.

    Raises:
        AssertionError: names the tool and the arguments in question.
        SignatureInvalid: the function cannot be a tool at all.
    """
    with ThreadPoolExecutor(1) as pool:  # a thread of its own, so that async tests may call this as well
        pool.submit(asyncio.run, _Contract(tool, injectable).check(list(examples))).result()


class _Contract:
    def __init__(self, tool: Callable[..., object] | Tool, injectable: Collection[type[object]]) -> None:
        self._reached: list[object] = []
        registry = Registry(injectable=injectable)
        registry.register(self._spy_on(tool), _options(tool))
        self._tool = next(iter(registry))
        self._router = FunctionCallRouter(registry)

    async def check(self, examples: list[Mapping[str, object]]) -> None:
        seen = {True: 0, False: 0}
        for arguments in (*examples, *candidates(self._tool.spec.parameters)):
            is_right = not self._tool.validator.validate(dict(arguments))
            seen[is_right] += 1
            self._check_agreement(arguments, is_right=is_right)
            await self._check_dispatch(arguments, is_right=is_right)
        if not seen[True]:
            raise AssertionError(f"{self._tool.name}: no right arguments could be made up; give some as examples=[…]")

    def _check_agreement(self, arguments: Mapping[str, object], *, is_right: bool) -> None:
        """Compare the schema with the argument class; a class tool has no class that could disagree."""
        if self._tool.instantiate is dict:
            return
        try:
            self._tool.instantiate(arguments)
        except ArgumentsInvalid as refusal:
            if is_right:
                raise AssertionError(
                    f"{self._tool.name}: the schema accepts {arguments} and the argument class refuses it ({refusal}); "
                    "say in Field(…) what is wanted, or refuse in the tool with RequestRefused"
                ) from refusal
            return
        # Null for what may be left out is no disagreement, nor is a name that the class would ignore.
        said = {name: value for name, value in arguments.items() if value is not None}
        if any(each.rule != "additionalProperties" for each in self._tool.validator.validate(said)):
            raise AssertionError(f"{self._tool.name}: the schema refuses {arguments} and the argument class takes it")

    async def _check_dispatch(self, arguments: Mapping[str, object], *, is_right: bool) -> None:
        self._reached.clear()
        result = await self._router.dispatch(
            ToolCall(id="contract", name=self._tool.name, arguments=arguments),
            make_context(make_message("contract", is_private=True), services=_AnyService()),
        )
        if is_right and not (result.ok and len(self._reached) == 1):
            raise AssertionError(f"{self._tool.name}: {arguments} did not reach the tool: {result.error}")
        if not is_right and self._reached:
            raise AssertionError(f"{self._tool.name}: {arguments} are broken and reached the tool all the same")
        if not is_right and not result.error:
            raise AssertionError(f"{self._tool.name}: {arguments} were refused without a reason")

    def _spy_on(self, tool: Callable[..., object] | Tool) -> Callable[..., object] | Tool:
        if isinstance(tool, Tool):
            return _SpiedTool(tool, self._reached)
        function = tool

        @functools.wraps(function)
        async def spy(*positional: object, **named: object) -> str:
            self._reached.append((positional, named))
            return "reached"

        spy.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # what inspect looks at first
        return spy


class _SpiedTool(Tool):
    """A class tool that only notes that it was run."""

    def __init__(self, tool: Tool, reached: list[object]) -> None:
        self.name, self.description, self.parameters = tool.name, tool.description, tool.parameters
        self._reached = reached

    async def run(self, args: dict[str, object], ctx: CallContext) -> object:
        del ctx
        self._reached.append(args)
        return "reached"


class _AnyService(Services):
    def get(self, wanted: type[Service]) -> Service:
        return cast("Service", wanted)


def _options(tool: Callable[..., object] | Tool) -> ToolOptions:
    marked = getattr(tool, "__tool_function__", None)
    if not isinstance(marked, ToolOptions):
        return ToolOptions()
    return ToolOptions(name=marked.name, description=marked.description)
