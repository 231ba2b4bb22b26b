"""Generate the page of plugin contributions: lists of `Contributions`, options of a function, hooks and events."""

import inspect
import re
from collections.abc import Iterator
from functools import cache

from bot.plugins.contributions import Contributions, Host
from docs.generator.markdown import cell, table
from function_calls.model_calls.hooks import ModelHooks
from function_calls.tools.declaration.tool_options import tool_function
from function_calls.tools.dispatch.events import EVENTS
from function_calls.tools.dispatch.hooks import ToolHooks

_HEAD = """# Hooks, events, options and contributions of plugins

`setup(add)` of a plugin appends to the lists of `add` ([your first
plugin](../tutorial/first-plugin.md)). A program that builds the bot itself
(`bot.app.application.build_app`) has the same hooks in `app.calls.hooks` and the events in
`app.calls.events`. An exception of a hook or a listener is logged with the plugin's name; the
message is processed further.
"""
_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


@cache
def extension_page() -> str:
    """Return the Markdown of the page."""
    added = [(f"`add.{name}`", cell(about)) for name, about in contributions().items()]
    host = [(f"`host.{name}`", f"`{_written(kind)}`") for name, kind in Host.__annotations__.items()]
    named = [(f"`{name}`", cell(about)) for name, about in EVENTS.items()]
    sections = [
        _HEAD,
        "## Contributions",
        "",
        *table(("list", "holds"), added),
        "",
        "Fields of the `Host` that a job gets:",
        "",
        *table(("field", "type"), host),
        "",
        "## Options of `tool_function`",
        "",
        "`@tool_function` works with or without options; see [Write functions](../how-to/write-functions.md).",
        "",
        *table(("option", "meaning"), [(f"`{name}`", cell(about)) for name, about in options().items()]),
        "",
        "## Hooks",
        "",
        *table(("hook", "arguments"), ((f"`{name}`", cell(f"`{takes}`")) for name, takes in hooks())),
        "",
        _about(ToolHooks),
        "",
        _about(ModelHooks),
        "",
        "## Events",
        "",
        "`add.listeners.append((name, listener))`; `*` stands for all events. An event has `name`, `data`, `chat`,",
        "`message_id` and `at`.",
        "",
        *table(("event", "sent when"), named),
        "",
    ]
    return "\n".join(sections)


def contributions() -> dict[str, str]:
    """Return the lists of `Contributions` with their meaning."""
    documented = {
        name: " ".join(about.split()) for name, about in _ATTRIBUTE.findall(inspect.getdoc(Contributions) or "")
    }
    return {name: documented.get(name, "") for name in Contributions.__struct_fields__}


def options() -> dict[str, str]:
    """Return the options of `tool_function` with their meaning."""
    _, _, documented = (inspect.getdoc(tool_function) or "").partition("Options:")
    return {name: " ".join(about.split()) for name, about in _ATTRIBUTE.findall(documented.partition("\n\n")[0])}


def hooks() -> Iterator[tuple[str, str]]:
    """Yield each hook by its list, with its arguments."""
    for name, group in (("tool_hooks", ToolHooks), ("model_hooks", ModelHooks)):
        for hook, kind in group.__annotations__.items():
            yield f"{name}.{hook}", _written(kind)


def _about(kind: type) -> str:
    return " ".join((inspect.getdoc(kind) or "").split("\n\n", 1)[-1].split())


def _written(annotation: object) -> str:
    """Return a type without its modules."""
    return re.sub(r"\b(?:\w+\.)+", "", annotation.__name__ if isinstance(annotation, type) else str(annotation))
