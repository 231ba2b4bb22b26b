"""Validate the types of a plugin's contributions, and warn about likely mistakes in it."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import Any, Final

from msgspec import Struct

from bot.plugins.contributions import Contributions
from bot.plugins.diagnostics import PluginInvalid
from function_calls.language.messages import Message
from function_calls.tools.calls import ToolSpec
from function_calls.tools.dispatch.events import EVENTS
from function_calls.tools.validation.schema_walk import properties_of
from services.kernel.text import closest_names


def lint_contributions(adds: Contributions, tools: Iterable[ToolSpec]) -> list[Message]:
    """Return a warning for each likely mistake; `tools` are the registered functions of the plugin."""
    offered = list(tools)
    silent = [tool.name for tool in offered if not tool.description.strip()]
    missing = [Message("lint.no_docstring", {"names": ", ".join(silent)})] if silent else []
    return [
        *missing,
        *_parameters_without_type(offered),
        *_explain_empty(adds, offered),
        *_misnamed_setups(adds),
    ]


def _parameters_without_type(tools: Iterable[ToolSpec]) -> Iterator[Message]:
    """Yield the parameters whose schema admits everything."""
    for tool in tools:
        for name, schema in properties_of(tool.parameters).items():
            if isinstance(schema, Mapping) and not schema.keys() - _KEYS_WITHOUT_TYPE:
                yield Message("lint.no_type", {"name": name, "tool": tool.name})


def _misnamed_setups(adds: Contributions) -> Iterator[Message]:
    """Yield a warning for each misspelt `setup` function."""
    for module in adds.functions:
        if isinstance(module, ModuleType):
            meant = [name for name in _own_functions(module) if name.replace("_", "").lower() == "setup"]
            yield from (Message("lint.misnamed_setup", {"name": name}) for name in meant)


def _explain_empty(adds: Contributions, tools: list[ToolSpec]) -> Iterator[Message]:
    if tools or adds.on_close or any(adds.counts().values()):
        return
    module = next((each for each in adds.functions if isinstance(each, ModuleType)), None)
    unmarked = [] if module is None else _own_functions(module)
    if module is None:
        yield Message("lint.empty_setup")
    elif unmarked:
        yield Message("lint.unmarked", {"names": ", ".join(unmarked)})
    else:
        yield Message("lint.empty")


def _own_functions(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__ and not name.startswith("_")
    ]


_KEYS_WITHOUT_TYPE: Final = frozenset({"description", "default", "title"})


class _Kind(Struct, frozen=True, kw_only=True):
    """The kind of the objects of a list: `written` describes it to an author, `fits` checks an object.

    Where the bot calls the objects, `function` returns the callable of one, and `arguments` are its arguments.
    """

    written: str
    fits: Callable[[object], bool]
    function: Callable[[Any], object] | None = None
    arguments: tuple[str, ...] = ()


def _kind_with(written: str, *names: str) -> _Kind:
    return _Kind(written=written, fits=lambda each: all(hasattr(each, name) for name in names))


def _pair_kind(written: str, *arguments: str) -> _Kind:
    def is_pair(each: object) -> bool:
        return isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str) and callable(each[1])

    return _Kind(written=written, fits=is_pair, function=lambda each: each[1], arguments=arguments)


def _function_kind(*arguments: str) -> _Kind:
    return _Kind(written="a function", fits=callable, function=lambda each: each, arguments=arguments)


_KINDS: Final = {
    "services": _Kind(written="an object of a class, such as Tea(…)", fits=lambda each: True),  # noqa: ARG005 - anything
    "platforms": _kind_with("a platform, an object with name, capabilities, run and send", "name", "run", "send"),
    "engines": _kind_with("a search engine, an object with name and search", "name", "search"),
    "middlewares": _function_kind("message", "call_next"),
    "listeners": _pair_kind("(event, function)", "event"),
    "chat_commands": _function_kind("turn"),
    "cli_commands": _kind_with("a command of click", "name", "invoke"),
    "pages": _function_kind("context"),
    "jobs": _pair_kind("(name, function)", "host"),
    "on_close": _function_kind(),
    "tool_hooks.before": _function_kind("call", "context"),
    "tool_hooks.after": _function_kind("call", "context", "result"),
    "model_hooks.before": _function_kind("turn"),
    "model_hooks.after": _function_kind("turn", "interpretation"),
    "model_hooks.on_error": _function_kind("turn", "error"),
}
_TOOLSET: Final = _kind_with("a toolset, an object with list_specs and call", "list_specs", "call")


def check_types(adds: Contributions) -> None:
    """Check the types of all contributions.

    Raises:
        PluginInvalid: a contribution has the wrong type.
    """
    for name in ("functions", *_KINDS):
        held = attrgetter(name)(adds)
        if not isinstance(held, list):
            raise PluginInvalid(f"add.{name} is a list, to which add.{name}.append(…) adds; it was made {held!r}")
    for name, kind in _KINDS.items():
        _check(f"add.{name}", kind, attrgetter(name)(adds))
    _check("add.toolsets", _TOOLSET, adds.toolsets.values())
    for event, _ in adds.listeners:
        if event != "*" and event not in EVENTS:
            near = closest_names(event, EVENTS)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(EVENTS)}, and * for all"
            raise PluginInvalid(f"add.listeners: there is no event {event}; {hint}")


def named_parts(adds: Contributions) -> list[str]:
    """Return the contributions whose names must be unique among all plugins."""
    return [*(f"platform {each.name}" for each in adds.platforms), *(f"toolset {label}" for label in adds.toolsets)]


def _check(where: str, kind: _Kind, things: Iterable[object]) -> None:
    for each in things:
        if isinstance(each, type):
            raise PluginInvalid(f"{where} takes {kind.written}, not a class; write {each.__name__}(…)")
        if not kind.fits(each):
            raise PluginInvalid(f"{where} takes {kind.written}, not {each!r}")
        if kind.function is not None:
            _check_arguments(where, kind.function(each), kind.arguments)


def _check_arguments(where: str, function: object, arguments: tuple[str, ...]) -> None:
    if not callable(function):
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a function of C has no signature
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        name = getattr(function, "__name__", type(function).__name__)
        wanted = ", ".join(arguments)
        raise PluginInvalid(f"{where} is called as {name}({wanted}), and {name} takes {signature}") from None
