"""Mark functions with `@tool_function` and hold their options."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeGuard, TypeVar, overload

from msgspec import Struct

from function_calls.tools.calls import ReturnStyle, ToolResult, UndoStep
from function_calls.tools.permission import Permission, Scope

Confirm = bool | Callable[[Any], bool | str]
Undo = str | Callable[[Mapping[str, object], ToolResult], UndoStep | None]
Function = TypeVar("Function", bound=Callable[..., object])

_MARK = "__tool_function__"
_LISTS = ("examples", "conversation_examples", "platforms")


class ToolOptions(Struct, frozen=True, kw_only=True):
    """The options of `@tool_function`, which documents them.

    `timeout` is in seconds, None leaves it to the router's default. `is_only_for_undo` marks an inverse that is no tool
    for anybody: it is neither listed nor called but to take a change back. `uses_state` is None where it is to be read
    off the function.
    """

    name: str | None = None
    description: str | None = None
    examples: tuple[str, ...] = ()
    conversation_examples: tuple[str, ...] = ()
    returns: ReturnStyle = "observation"
    timeout: float | None = None
    permission: Permission = "everyone"
    scope: Scope = "any"
    platforms: tuple[str, ...] = ()
    confirm: Confirm = False
    confirm_action: str = ""
    changes_state: bool = False
    uses_state: bool | None = None
    returns_untrusted: bool = False
    undo: Undo | None = None
    is_only_for_undo: bool = False
    is_deferrable: bool = True
    idempotent: bool = False
    retries: int = 0
    max_concurrent: int | None = None


@overload
def tool_function(function: Function, /) -> Function: ...


@overload
def tool_function(
    *,
    name: str | None = None,
    description: str | None = None,
    examples: Iterable[str] = (),
    conversation_examples: Iterable[str] = (),
    returns: ReturnStyle = "observation",
    timeout: float | None = None,
    permission: Permission = "everyone",
    scope: Scope = "any",
    platforms: Iterable[str] = (),
    confirm: Confirm = False,
    confirm_action: str = "",
    changes_state: bool = False,
    uses_state: bool | None = None,
    returns_untrusted: bool = False,
    undo: Undo | None = None,
    is_only_for_undo: bool = False,
    is_deferrable: bool = True,
    idempotent: bool = False,
    retries: int = 0,
    max_concurrent: int | None = None,
) -> Callable[[Function], Function]: ...


def tool_function(function: Function | None = None, /, **given: Any) -> Function | Callable[[Function], Function]:
    """Mark a function as a tool that a chat may call: `@tool_function`, or `@tool_function(…)` with options.

    Its signature becomes the JSON Schema, its docstring the description. Parameters annotated with `CallContext`
    or with the class of a service are injected and never shown to a model. What is wrong with the signature or an
    option is told when the function is registered.

    Args:
        function: what stands under the decorator.
        **given: the options, below.

    Options:
        name: the name that a model calls; the function's own by default.
        description: what it is for; the docstring by default.
        examples: sentences that mean this tool, with `{argument}` slots; they teach the offline interpreter too.
        conversation_examples: sentences that mean this tool again right after a call of it, such as "and in {city}";
            arguments that they do not name stay. They count without a model.
        returns: "reply" when the result is the answer, "observation" when a model is to read it and answer.
        timeout: seconds after which the call is given up.
        permission: who may call it: everyone, the chat's admins, the bot's owners, or these people (`platform:id`).
        scope: in which chats it may be called.
        platforms: on which platforms; all of them by default.
        confirm: ask the person first: always, or when a function of the arguments returns True, or the words for what
            would be done. It gets the instance of the argument class that it is annotated with, else a dictionary of
            the checked values, which are attributes too.
        confirm_action: "delete" or "forget" where a yes alone does not confirm it, but only its button or words that
            name the action, such as "yes, delete".
        changes_state: once untrusted text has entered a turn, ask first unless the person's own words ask for this.
        uses_state: it reads and writes `ctx.state`, so that calls of it in one session run one after the other; by
            default, where the function itself names `.state`. Say so where only what it calls does.
        returns_untrusted: others than the person wrote what it returns: web pages, search results, chats.
        undo: takes a change back: the name of a function that takes the same arguments, or a function of arguments
            and result that returns the `UndoStep`. Receipts that name their own inverse need none.
        is_only_for_undo: it is such an inverse and nothing else: neither listed nor callable.
        is_deferrable: a request with many tools may leave it out, so that a model has to search it; say False where
            it is what the bot is for.
        idempotent: calling it twice does no more than calling it once.
        retries: how often an idempotent tool is tried again after a failure, with a growing pause.
        max_concurrent: how many calls of it may run at the same time; a call that waits uses up its timeout.

    Raises:
        TypeError: there is no such option, or one text stands where several are wanted.
    """
    options = ToolOptions(**{name: _normalise(name, value) for name, value in given.items()})

    def mark(marked: Function) -> Function:
        setattr(marked, _MARK, options)
        return marked

    return mark if function is None else mark(function)


def _normalise(name: str, value: Any) -> Any:
    """Return the value of an option; a list as a tuple, for options are compared and remembered."""
    if name in _LISTS and isinstance(value, str):
        raise TypeError(f"{name}={value!r} is one text; write {name}=[{value!r}]")
    return tuple(value) if name in _LISTS or isinstance(value, list) else value


NO_OPTIONS: Final = ToolOptions()
"""Those of a function without the mark."""


def is_marked(value: object) -> TypeGuard[Callable[..., object]]:
    """Return whether `value` is a function that carries the mark."""
    return callable(value) and hasattr(value, _MARK)


def options_of(function: object) -> ToolOptions:
    """Return the options of `function`; the defaults where it has no mark."""
    marked = getattr(function, _MARK, None)
    return marked if isinstance(marked, ToolOptions) else NO_OPTIONS
