"""Marks functions as tools and gathers them: importing a module changes nothing, `Registry.collect` does."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Literal, TypeVar

from function_calls.calls import ReturnStyle, ToolSpec
from function_calls.signature import FunctionSignature, analyse

Function = TypeVar("Function", bound=Callable[..., object])
Permission = Literal["everyone", "admins"]
Scope = Literal["any", "group", "private"]

_MARK = "__tool_function__"
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # what OpenAI-compatible servers accept as a function name


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOptions:
    """What `@tool_function` was told. `timeout` is in seconds, None leaves it to the router's default."""

    name: str | None = None
    description: str | None = None
    examples: tuple[str, ...] = ()
    returns: ReturnStyle = "observation"
    timeout: float | None = None
    permission: Permission = "everyone"
    scope: Scope = "any"


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A registered function: what interpreters see of it and what the router needs to run it."""

    function: Callable[..., object]
    signature: FunctionSignature
    options: ToolOptions = field(default_factory=ToolOptions)

    @cached_property
    def spec(self) -> ToolSpec:
        """The face of the tool towards interpreters."""
        return ToolSpec(
            name=self.name,
            description=self.signature.description,
            parameters=self.signature.parameters_schema,
            examples=self.options.examples,
            returns=self.options.returns,
        )

    @property
    def name(self) -> str:
        """The name that a model calls."""
        return self.signature.name


def tool_function(
    *,
    name: str | None = None,
    description: str | None = None,
    examples: Iterable[str] = (),
    returns: ReturnStyle = "observation",
    timeout: float | None = None,
    permission: Permission = "everyone",
    scope: Scope = "any",
) -> Callable[[Function], Function]:
    """Mark a function as a tool that a chat may call.

    Its signature becomes the JSON Schema, its docstring the description. Parameters annotated with `CallContext`
    or with the class of a service are injected and never shown to a model.

    Args:
        name: the name that a model calls; the function's own by default.
        description: what it is for; the docstring by default.
        examples: sentences that mean this tool, with `{argument}` slots; they teach the offline interpreter too.
        returns: "reply" when the result is the answer, "observation" when a model is to read it and answer.
        timeout: seconds after which the call is given up.
        permission: who may call it.
        scope: in which chats it may be called.
    """
    options = ToolOptions(
        name=name,
        description=description,
        examples=tuple(examples),
        returns=returns,
        timeout=timeout,
        permission=permission,
        scope=scope,
    )

    def mark(function: Function) -> Function:
        setattr(function, _MARK, options)
        return function

    return mark


class ToolNameTaken(ValueError):
    """Two tools claim the same name."""


class Registry:
    """The tools of one bot, by name and in the order of their registration."""

    def __init__(self, injectable: Collection[type[object]] = ()) -> None:
        self._injectable = tuple(injectable)
        self._tools: dict[str, Tool] = {}
        self._specs: tuple[ToolSpec, ...] | None = None

    def collect(self, module: ModuleType | object) -> None:
        """Register every function of `module` (or method of an object) that carries the mark."""
        for value in list(vars(module).values()) if isinstance(module, ModuleType) else _methods(module):
            if callable(value) and hasattr(value, _MARK):
                self.register(value)

    def register(self, function: Callable[..., object], options: ToolOptions | None = None) -> Callable[[], None]:
        """Add one function as a tool and return what removes it again.

        Raises:
            SignatureInvalid: its signature cannot be a schema; the error names file, line, parameter and the fix.
            ToolNameTaken: another tool has that name.
        """
        chosen = options or _options_of(function)
        signature = analyse(function, injectable=self._injectable, name=chosen.name, description=chosen.description)
        tool = Tool(function=function, signature=signature, options=chosen)
        if not _NAME.fullmatch(tool.name):
            raise ValueError(f"{tool.name!r} cannot be a tool name; use letters, digits, _ and -, at most 64")
        if tool.name in self._tools:
            raise ToolNameTaken(f"a tool named {tool.name!r} is registered already; give one of them name=…")
        self._tools[tool.name] = tool
        self._specs = None

        def unregister() -> None:
            self._tools.pop(tool.name, None)
            self._specs = None

        return unregister

    def get(self, name: str) -> Tool | None:
        """The tool of that name, None when there is none."""
        return self._tools.get(name)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """All tools as interpreters see them; the same tuple until a tool comes or goes, so it may be a cache key."""
        if self._specs is None:
            self._specs = tuple(tool.spec for tool in self._tools.values())
        return self._specs

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())


def _methods(holder: object) -> list[object]:
    return [getattr(holder, name) for name in dir(holder) if not name.startswith("__")]


def _options_of(function: object) -> ToolOptions:
    marked = getattr(function, _MARK, None)
    return marked if isinstance(marked, ToolOptions) else ToolOptions()
