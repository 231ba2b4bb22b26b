"""Mark functions with `@tool_function` and hold their options."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeGuard, TypeVar, overload

from function_calls.tools.calls import ReturnStyle, ToolResult, UndoStep
from function_calls.tools.permission import AccessRule, Permission, Scope

Confirm = bool | Callable[[Any], bool | str]
Undo = str | Callable[[Mapping[str, object], ToolResult], UndoStep | None]
Function = TypeVar("Function", bound=Callable[..., object])

_MARK = "__tool_function__"
_LISTS = ("examples", "conversation_examples", "platforms")


class ToolOptions(AccessRule, frozen=True, kw_only=True):
    """The options of `@tool_function`, which documents them; a part is the access rule.

    `timeout` is in seconds, None for that of the router. `uses_state` is None if it is detected in the code of the
    function.
    """

    name: str | None = None
    description: str | None = None
    examples: tuple[str, ...] = ()
    conversation_examples: tuple[str, ...] = ()
    returns: ReturnStyle = "observation"
    timeout: float | None = None
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
    or with the class of a service are injected and not in the schema. Invalid signatures and options are reported when
    the function is registered.

    Args:
        function: the decorated function.
        **given: the options, below.

    Options:
        name: the name for models; that of the function by default.
        description: the purpose; the docstring by default.
        examples: sentences that request this tool, with `{argument}` slots, also for the offline interpreter.
        conversation_examples: sentences that request this tool again directly after a call of it, such as
            "and in {city}", with the other arguments unchanged; for the offline interpreter.
        returns: "reply" if the result is the answer, "observation" if a model reads it and answers.
        timeout: the timeout in seconds.
        permission: the people who may call it: everyone, the chat's admins, the bot's owners, or a list
            (`platform:id`).
        scope: the kind of chats in which it may be called.
        platforms: the platforms on which it may be called; all by default.
        confirm: ask the person before each call, or if a function of the arguments returns True or a text that
            describes the effect. The function receives an instance of the argument class if it is annotated with it,
            else a dictionary of the checked values, which are attributes too.
        confirm_action: "delete" or "forget" if the confirmation must be the button or name the action ("yes, delete").
        changes_state: ask the person if untrusted text has entered the turn and the message does not request the call.
        uses_state: calls in one session run one after the other, because they read and write `ctx.state`; by default
            if the code of the function itself uses `.state`.
        returns_untrusted: the result has text of others than the person, such as web pages, search results and chats.
        undo: the inverse of a change: the name of a function with the same arguments, or a function of arguments and
            result that returns the `UndoStep`. Not needed if the receipts have one.
        is_only_for_undo: the function is only an inverse, neither listed nor callable.
        is_deferrable: a request with many tools may omit it, so that a model has to search for it; False for tools
            that most people need.
        idempotent: a second call has no further effect.
        retries: the number of further attempts of an idempotent tool after a failure, with growing pauses.
        max_concurrent: the limit of concurrent calls; waiting counts for the timeout.

    Raises:
        TypeError: an option is unknown, or is one text instead of a list.
    """
    options = ToolOptions(**{name: _normalise(name, value) for name, value in given.items()})

    def mark(marked: Function) -> Function:
        setattr(marked, _MARK, options)
        return marked

    return mark if function is None else mark(function)


def _normalise(name: str, value: Any) -> Any:
    """Return the value of an option, lists as tuples, because options are compared and hashed."""
    if name in _LISTS and isinstance(value, str):
        raise TypeError(f"{name}={value!r} is one text; write {name}=[{value!r}]")
    return tuple(value) if name in _LISTS or isinstance(value, list) else value


NO_OPTIONS: Final = ToolOptions()
"""The options of a function without the mark."""


def is_marked(value: object) -> TypeGuard[Callable[..., object]]:
    """Return whether `value` is a marked function."""
    return callable(value) and hasattr(value, _MARK)


def options_of(function: object) -> ToolOptions:
    """Return the options of `function`; the defaults without the mark."""
    marked = getattr(function, _MARK, None)
    return marked if isinstance(marked, ToolOptions) else NO_OPTIONS
