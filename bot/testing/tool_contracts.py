"""Assert that a tool keeps the promise of its schema: what the schema accepts runs, what it refuses never does.

    def test_the_forecast_keeps_its_contract():
        assert_tool_contract(forecast)

Arguments are made from the schema, the same ones every time; the tool itself is not run.
"""

import asyncio
import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from bot.testing.schema_samples import candidates
from bot.testing.turns import make_context, make_message
from function_calls.registry import Registry, ToolOptions
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import ToolCall
from function_calls.tools.context import CallContext, Service, Services
from function_calls.tools.declaring.class_tools import Tool
from function_calls.tools.errors import ArgumentsInvalid


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
    """One tool, with a spy in its place."""

    def __init__(self, tool: Callable[..., object] | Tool, injectable: Collection[type[object]]) -> None:
        self._reached: list[object] = []
        registry = Registry(injectable=(CallContext, Services, *injectable))
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
            ToolCall(id="contract", name=self._tool.name, arguments=arguments), _context()
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
    """Has whatever is asked for; nobody is going to use it."""

    def get(self, wanted: type[Service]) -> Service:
        return cast("Service", wanted)


def _options(tool: Callable[..., object] | Tool) -> ToolOptions:
    """Return what changes the schema, without what would ask, refuse or wait before the call."""
    marked = getattr(tool, "__tool_function__", None)
    if not isinstance(marked, ToolOptions):
        return ToolOptions()
    return ToolOptions(name=marked.name, description=marked.description)


def _context() -> CallContext:
    return make_context(make_message("contract", is_private=True), services=_AnyService())
