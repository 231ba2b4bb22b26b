"""Assert that arguments which the schema of a tool accepts reach it, and that others do not.

    def test_forecast_keeps_its_contract():
        assert_tool_contract(forecast)

Arguments are made from the schema, the same ones every time; the tool itself does not run.
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
from function_calls.tools.declaration.class_tools import Tool
from function_calls.tools.errors import ArgumentsInvalid
from function_calls.tools.validation.schema_walk import pointer_target, properties_of, required_of, types_of

Schema = Mapping[str, object]
_DEEPEST = 3
_MAX_SAMPLES = 6
_MAX_TEXT_CHARS = 200
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
"""Values of every type, of which any one argument accepts few."""


def candidates(schema: Schema) -> Iterator[dict[str, object]]:
    """Yield argument objects for `schema`: minimal, complete, and with one value changed. Some are valid by chance."""
    needed = required_of(schema)
    samples = {name: list(islice(_samples(part, schema), _MAX_SAMPLES)) for name, part in _parts_of(schema).items()}
    firsts = {name: values[0] for name, values in samples.items() if values}
    full = {name: value for name, value in firsts.items() if value is not None or name in needed}
    yield {name: value for name, value in full.items() if name in needed}
    yield full
    yield full | {"no_such_argument": 1}
    for name in needed:
        yield {key: value for key, value in full.items() if key != name}
    for name, part in _parts_of(schema).items():
        for value in (*samples[name], *_POOL, *_values_outside(_resolve(part, schema))):
            yield full | {name: value}


def _samples(part: Schema, root: Schema, depth: int = 0) -> Iterator[object]:
    """Yield values that `part` of the schema `root` probably accepts, the simplest first."""
    part = _resolve(part, root)
    arms = [*_list_of(part, "anyOf"), *_list_of(part, "oneOf")]
    if "const" in part or "enum" in part:
        yield from _list_of(part, "enum") or [part.get("const")]
    elif arms:
        for arm in arms:
            yield from islice(_samples(arm if isinstance(arm, Mapping) else {}, root, depth), 2)
    else:
        for kind in types_of(part) or ["object" if "properties" in part else "any"]:
            yield from _of_kind(kind, part, root, depth)


def _of_kind(kind: str, part: Schema, root: Schema, depth: int) -> Iterator[object]:
    if kind == "string":
        yield from _texts(part)
    elif kind in ("integer", "number"):
        yield from _numbers(part, kind)
    elif kind == "array":
        yield from _arrays(part, root, depth)
    elif kind == "object":
        yield from _objects(part, root, depth)
    else:
        yield from {"boolean": (True, False), "null": (None,)}.get(kind, ("text", 1))


def _arrays(part: Schema, root: Schema, depth: int) -> Iterator[object]:
    minimum, items = int(_number(part, "minItems", 0)), part.get("items")
    if not minimum:
        yield []
    inner = islice(_samples(items if isinstance(items, Mapping) else {}, root, depth + 1), 2)
    if depth < _DEEPEST and (values := list(inner)):
        yield [values[at % len(values)] for at in range(max(1, minimum))]


def _objects(part: Schema, root: Schema, depth: int) -> Iterator[object]:
    inner, needed = _parts_of(part), required_of(part)
    for names in (needed, [*inner] if depth < _DEEPEST else []):
        yield {name: next(_samples(inner[name], root, depth + 1), None) for name in names if name in inner}


def _values_outside(part: Schema) -> Iterator[object]:
    """Yield values just outside the bounds of `part`."""
    for key, step in (("minimum", -1), ("maximum", 1), ("exclusiveMinimum", 0), ("exclusiveMaximum", 0)):
        if key in part:
            yield _number(part, key, 0) + step
    if "minLength" in part:
        yield "a" * max(0, int(_number(part, "minLength", 0)) - 1)
    if _number(part, "maxLength", _MAX_TEXT_CHARS) < _MAX_TEXT_CHARS:
        yield "a" * (int(_number(part, "maxLength", 0)) + 1)
    if "enum" in part:
        yield "none of them"


def _resolve(part: Schema, root: Schema) -> Schema:
    reference = part.get("$ref")
    if isinstance(reference, str):
        return {**pointer_target(root, reference), **{key: value for key, value in part.items() if key != "$ref"}}
    return part


def _texts(part: Schema) -> Iterator[object]:
    known = _FORMATS.get(str(part.get("format", "")))
    if known is not None:
        yield known
        return
    minimum = int(_number(part, "minLength", 0))
    maximum = int(min(_number(part, "maxLength", _MAX_TEXT_CHARS), _MAX_TEXT_CHARS))
    yield from (text for text in _TEXTS if minimum <= len(text) <= maximum)
    yield "a" * max(minimum, 1)
    yield "a" * maximum


def _numbers(part: Schema, kind: str) -> Iterator[object]:
    step = _number(part, "multipleOf", 1)
    minimum = _number(part, "minimum", _number(part, "exclusiveMinimum", -1) + 1)
    maximum = _number(part, "maximum", _number(part, "exclusiveMaximum", minimum + 10 * step + 1) - 1)
    whole = [value for value in (minimum, maximum, 0, 1, step) if minimum <= value <= maximum]
    yield from (int(value) if kind == "integer" else value for value in whole)
    if kind == "number":
        yield (minimum + maximum) / 2


def _parts_of(schema: Schema) -> Mapping[str, Schema]:
    return {name: part for name, part in properties_of(schema).items() if isinstance(part, Mapping)}


def _list_of(part: Schema, key: str) -> Sequence[object]:
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
    """Check `tool`, a function (decorated or plain) or a class tool, with arguments made from its schema.

    Both validations must agree on all of them, and the router must call the tool with the valid ones only.

    Args:
        tool: function or class tool that would be registered.
        injectable: the classes of services that its parameters name.
        examples: valid arguments that cannot be generated, for schemas with patterns.

    Raises:
        AssertionError: names the tool and the arguments.
        SignatureInvalid: the function cannot be a tool at all.
    """
    with ThreadPoolExecutor(1) as pool:  # another thread, as async tests have a running loop in theirs
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
        """Compare the schema with the argument class, which a class tool does not have."""
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
        # Null for an optional argument is no disagreement, nor is a name that the class ignores.
        values = {name: value for name, value in arguments.items() if value is not None}
        if any(each.rule != "additionalProperties" for each in self._tool.validator.validate(values)):
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
    """A class tool that only records its calls."""

    def __init__(self, tool: Tool, reached: list[object]) -> None:
        self.name, self.description, self.parameters = tool.name, tool.description, tool.parameters
        self._reached = reached

    async def run(self, args: dict[str, object], ctx: CallContext) -> object:
        del ctx
        self._reached.append(args)
        return "reached"


class _AnyService(Services):
    def get(self, expected: type[Service]) -> Service:
        return cast("Service", expected)


def _options(tool: Callable[..., object] | Tool) -> ToolOptions:
    marked = getattr(tool, "__tool_function__", None)
    if not isinstance(marked, ToolOptions):
        return ToolOptions()
    return ToolOptions(name=marked.name, description=marked.description)
