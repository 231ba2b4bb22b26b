"""Validate the types of a plugin's contributions, and warn about likely mistakes in it."""

from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Final

from msgspec import Struct

from bot.plugins.contributions import Contributions
from bot.plugins.diagnostics import PluginMistaken
from function_calls.tools.calls import ToolSpec


def lint_contributions(adds: Contributions, tools: Iterable[ToolSpec]) -> list[str]:
    """Return a sentence for each such thing; `tools` are the functions that were taken of what the plugin adds."""
    offered = list(tools)
    silent = [tool.name for tool in offered if not tool.description.strip()]
    missing = f"no docstring stands in {', '.join(silent)}: a model is not told when to call it"
    return [*([missing] if silent else []), *_nothing(adds, offered), *_misnamed_setups(adds)]


def _misnamed_setups(adds: Contributions) -> Iterator[str]:
    """Yield a function that was meant to be `setup`, and is written otherwise."""
    for module in adds.functions:
        if isinstance(module, ModuleType):
            meant = [name for name in _own_functions(module) if name.replace("_", "").lower() == "setup"]
            yield from (f"its {name}(add) is not called; the name is setup" for name in meant)


def _nothing(adds: Contributions, tools: list[ToolSpec]) -> Iterator[str]:
    if tools or any(_has_contributions(adds)):
        return
    module = next((each for each in adds.functions if isinstance(each, ModuleType)), None)
    unmarked = [] if module is None else _own_functions(module)
    if module is None:
        yield "it adds nothing: its setup(add) appends nothing to any list of add"
    elif unmarked:
        yield f"it adds nothing: @tool_function is missing above {', '.join(unmarked)}"
    else:
        yield "it adds nothing: it has no function under @tool_function, and no setup(add)"


def _has_contributions(adds: Contributions) -> Iterator[bool]:
    hooks = (adds.tool_hooks.before, adds.tool_hooks.after)
    of_models = (adds.model_hooks.before, adds.model_hooks.after, adds.model_hooks.on_error)
    kinds = (adds.services, adds.toolsets, adds.platforms, adds.engines, adds.middlewares, adds.listeners)
    others = (adds.chat_commands, adds.cli_commands, adds.pages, adds.jobs, adds.on_close)
    yield from map(bool, (*hooks, *of_models, *kinds, *others))


def _own_functions(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__ and not name.startswith("_")
    ]


class _Kind(Struct, frozen=True, kw_only=True):
    """What the things of a list are: `written` says it to an author, `fits` looks at one."""

    written: str
    fits: Callable[[object], bool]


def _with(written: str, *names: str) -> _Kind:
    return _Kind(written=written, fits=lambda each: all(hasattr(each, name) for name in names))


def _pair(written: str) -> _Kind:
    return _Kind(written=written, fits=_is_name_and_callable)


def _is_name_and_callable(each: object) -> bool:
    return isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str) and callable(each[1])


_CALLED: Final = _Kind(written="a function", fits=callable)


_KINDS: Final = {
    "services": _Kind(written="an object of a class, such as Tea(…)", fits=lambda each: not isinstance(each, type)),
    "platforms": _with("a platform, an object with name, capabilities, run and send", "name", "run", "send"),
    "engines": _with("a search engine, an object with name and search", "name", "search"),
    "middlewares": _CALLED,
    "listeners": _pair("(event, function)"),
    "chat_commands": _CALLED,
    "cli_commands": _with("a command of click", "name", "invoke"),
    "pages": _CALLED,
    "jobs": _pair("(name, function)"),
    "on_close": _CALLED,
}


_TOOLSET: Final = _with("a toolset, an object with list_specs and call", "list_specs", "call")


def check_types(adds: Contributions) -> None:
    """Look at everything that a plugin has added.

    Raises:
        PluginMistaken: something is not what its list holds.
    """
    for name in Contributions.__struct_fields__:
        held = getattr(adds, name)
        if name in {*_KINDS, "functions"} and not isinstance(held, list):
            raise PluginMistaken(f"add.{name} is a list, to which add.{name}.append(…) adds; it was made {held!r}")
    for name, kind in _KINDS.items():
        _check(f"add.{name}", kind, getattr(adds, name))
    _check("add.toolsets", _TOOLSET, adds.toolsets.values())
    for hooks, moments in ((adds.tool_hooks, "before after"), (adds.model_hooks, "before after on_error")):
        where = "add.tool_hooks" if hooks is adds.tool_hooks else "add.model_hooks"
        for moment in moments.split():
            _check(f"{where}.{moment}", _CALLED, getattr(hooks, moment))


def named_parts(adds: Contributions) -> list[str]:
    """Return what a plugin adds that no other may have the name of."""
    return [*(f"platform {each.name}" for each in adds.platforms), *(f"toolset {label}" for label in adds.toolsets)]


def _check(where: str, kind: _Kind, things: Iterable[object]) -> None:
    for each in things:
        if not kind.fits(each):
            raise PluginMistaken(f"{where} takes {kind.written}, not {each!r}")
