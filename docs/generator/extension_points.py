"""The page of what a plugin may add: the lists of `Contributions`, the options of a function, hooks and events."""

import inspect
import re
from collections.abc import Iterator

from bot.plugins.contributions import Contributions, Host
from docs.generator.markdown import cell, table
from function_calls.model_calls.hooks import ModelHooks
from function_calls.tools.declaring.tool_options import tool_function
from function_calls.tools.dispatch.events import EVENTS
from function_calls.tools.dispatch.hooks import ToolHooks

_HEAD = """# Hooks, events, options and what else a plugin may add

`setup(add)` of a plugin appends to the lists of `add`; [your first plugin](../tutorial/first-plugin.md) shows how. A
program that builds the bot itself (`bot.app.application.build_app`) finds the same hooks at `app.calls.hooks` and the
events at `app.calls.events`. Exceptions of a hook or a listener are contained: they are logged with the plugin's name,
and the message goes on.
"""
_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def extension_page() -> str:
    """Markdown of all of them."""
    added = [(f"`add.{name}`", cell(about)) for name, about in contributions().items()]
    host = [(f"`host.{name}`", f"`{_written(kind)}`") for name, kind in Host.__annotations__.items()]
    named = [(f"`{name}`", cell(about)) for name, about in EVENTS.items()]
    sections = [
        _HEAD,
        "## What may be added",
        "",
        *table(("list", "holds"), added),
        "",
        "A job is given a `Host`:",
        "",
        *table(("what", "is"), host),
        "",
        "## Options of `tool_function`",
        "",
        "`@tool_function` stands alone or with these; [Write functions](../how-to/write-functions.md) shows them.",
        "",
        *table(("option", "means"), [(f"`{name}`", cell(about)) for name, about in options().items()]),
        "",
        "## Hooks",
        "",
        *table(("hook", "is called with"), ((f"`{name}`", cell(f"`{takes}`")) for name, takes in hooks())),
        "",
        _about(ToolHooks),
        "",
        _about(ModelHooks),
        "",
        "## Events",
        "",
        "`add.listeners.append((name, listener))`; the name `*` hears everything. An event has `name`, `data`, `chat`,",
        "`message_id` and `at`.",
        "",
        *table(("event", "told when"), named),
        "",
    ]
    return "\n".join(sections)


def contributions() -> dict[str, str]:
    """Return what can be added, with the meaning that its class gives it."""
    told = {name: " ".join(about.split()) for name, about in _ATTRIBUTE.findall(inspect.getdoc(Contributions) or "")}
    return {name: told.get(name, "") for name in Contributions.__struct_fields__}


def options() -> dict[str, str]:
    """Every option of a function, with the meaning that the decorator gives it."""
    _, _, told = (inspect.getdoc(tool_function) or "").partition("Options:")
    return {name: " ".join(about.split()) for name, about in _ATTRIBUTE.findall(told.partition("\n\n")[0])}


def hooks() -> Iterator[tuple[str, str]]:
    """Every hook by its list, with what it is called with."""
    for name, group in (("tool_hooks", ToolHooks), ("model_hooks", ModelHooks)):
        for hook, kind in group.__annotations__.items():
            yield f"{name}.{hook}", _written(kind)


def _about(kind: type) -> str:
    return " ".join((inspect.getdoc(kind) or "").split("\n\n", 1)[-1].split())


def _written(annotation: object) -> str:
    """A type as it is read: without the modules."""
    return re.sub(r"\b(?:\w+\.)+", "", annotation.__name__ if isinstance(annotation, type) else str(annotation))
