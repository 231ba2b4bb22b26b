"""Generate the page of built-in functions: descriptions, arguments, permissions."""

from collections.abc import Iterator, Mapping
from functools import cache

from bot.app.registry import built_in_registry
from docs.generator.markdown import cell, table
from function_calls.registry import RegisteredTool
from function_calls.tools.declaration.tool_options import ToolOptions

_SHOWN_EXAMPLES = 6
_HEAD = """# Functions

The built-in functions as a model sees them. Arguments are checked against the same schema at every
entry point. `/tools` lists functions of plugins and tool servers too.
"""


@cache
def functions_page() -> str:
    """Return the Markdown of all built-in functions in their order."""
    return "\n".join([_HEAD, *(_section(tool) for tool in built_in_registry())])


def _section(tool: RegisteredTool) -> str:
    lines = [f"## `{tool.name}`", "", tool.spec.description, ""]
    lines += [*_arguments(tool.spec.parameters), "", *(f"- {fact}" for fact in _facts(tool.options)), ""]
    examples = tool.spec.examples
    if examples:
        shown = _both_ends(examples)
        lines += ["Understood without a model: " + ", ".join(f"“{example}”" for example in shown) + ".", ""]
    return "\n".join(lines)


def _both_ends(examples: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first and the last examples: English ones come first, Chinese ones last."""
    if len(examples) <= _SHOWN_EXAMPLES:
        return examples
    half = _SHOWN_EXAMPLES // 2
    return (*examples[:half], *examples[-half:])


def _arguments(schema: Mapping[str, object]) -> list[str]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping) or not properties:
        return ["No arguments."]
    needed = required if isinstance(required, list | tuple) else ()
    rows = [
        (f"`{name}`", _kind(each), "yes" if name in needed else "", cell(str(each.get("description", ""))))
        for name, each in properties.items()
        if isinstance(each, Mapping)
    ]
    return table(("argument", "type", "required", "meaning"), rows)


def _kind(schema: Mapping[str, object]) -> str:
    """Return the type of an argument in few words."""
    values = schema.get("enum")
    if isinstance(values, list | tuple):
        return ", ".join(f"`{value}`" for value in values if value is not None)
    choices = schema.get("anyOf")
    if isinstance(choices, list | tuple):
        kinds = [_kind(each) for each in choices if isinstance(each, Mapping) and each.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    kind = schema.get("type", "any")
    return " or ".join(str(each) for each in kind if each != "null") if isinstance(kind, list | tuple) else str(kind)


def _facts(options: ToolOptions) -> Iterator[str]:
    yield "its result is the answer" if options.returns == "reply" else "its result is given to the model"
    if options.permission != "everyone":
        yield f"for {options.permission if isinstance(options.permission, str) else 'listed people'} only"
    if options.scope != "any":
        yield f"in {options.scope} chats only"
    if options.changes_state or options.undo is not None:
        yield "changes something; needs a yes after untrusted text"
    if options.confirm is not False:
        yield "asks for confirmation"
    if options.returns_untrusted:
        yield "its result is untrusted text"
    if options.is_only_for_undo:
        yield "called by undo only"
    if options.timeout is not None:
        yield f"times out after {options.timeout:g} seconds"
