"""Warn about likely mistakes in a plugin: no contributions, or functions without a description."""

from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType

from bot.plugins.contributions import Contributions
from function_calls.tools.calls import ToolSpec


def hints(adds: Contributions, tools: Iterable[ToolSpec]) -> list[str]:
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
    """Yield why a plugin that was written adds nothing."""
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
