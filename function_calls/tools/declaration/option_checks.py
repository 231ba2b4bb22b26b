"""Check the options of a tool when it is registered."""

import re
from collections.abc import Callable, Mapping
from typing import Final, get_args

from function_calls.language.recognized_phrases import ACTIONS
from function_calls.tools.calls import ReturnStyle
from function_calls.tools.declaration.parameters import Fault
from function_calls.tools.declaration.tool_options import ToolOptions
from function_calls.tools.permission import Scope
from function_calls.tools.validation.argument_errors import nearest
from function_calls.tools.validation.schema_walk import properties_of

_SLOT: Final = re.compile(r"\{(\w+)\}")


def check_options(options: ToolOptions, parameters: Mapping[str, object]) -> None:
    """Check the options of a tool with the schema `parameters`.

    Raises:
        Fault: an option is invalid.
    """
    for name, (is_right, fix) in _VALUES.items():
        value: object = getattr(options, name)
        if not is_right(value):
            raise Fault("", f"{name}={value!r} is not a valid value", fix)
    if options.retries and not options.idempotent:
        raise Fault(
            "",
            f"retries={options.retries} would call it twice for one request",
            "Add idempotent=True where a second call does no more than the first, else leave retries out.",
        )
    _check_examples((*options.examples, *options.conversation_examples), parameters)


def _check_examples(examples: tuple[str, ...], parameters: Mapping[str, object]) -> None:
    if "properties" not in parameters:
        return
    properties = properties_of(parameters)
    for example in examples:
        for slot in slot_names(example):
            if slot not in properties:
                near = nearest(slot, properties)
                fix = f"Write {{{near}}}." if near else f"Its arguments are: {', '.join(properties) or 'none'}."
                raise Fault("", f"its example {example!r} has {{{slot}}}, which is no argument", fix)


def _is_permission(value: object) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(person, str) and ":" in person for person in value)
    return value in ("everyone", "admins", "owner")


def is_seconds(value: object) -> bool:
    """Return whether `value` is a timeout: a number above 0, or None for no limit."""
    return value is None or (isinstance(value, int | float) and value > 0)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 0


def _is_limit(value: object) -> bool:
    return value is None or (isinstance(value, int) and value > 0)


def _is_confirm(value: object) -> bool:
    return isinstance(value, bool) or callable(value)


def _is_undo(value: object) -> bool:
    return value is None or isinstance(value, str) or callable(value)


_VALUES: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "returns": (lambda value: value in get_args(ReturnStyle), 'Use "reply" or "observation".'),
    "permission": (_is_permission, 'Use "everyone", "admins", "owner", or a tuple of people as "platform:id".'),
    "scope": (lambda value: value in get_args(Scope), 'Use "any", "group" or "private".'),
    "timeout": (is_seconds, "Use a number of seconds, or None."),
    "confirm": (_is_confirm, "Use True, or a function of the arguments that returns the words for what would be done."),
    "confirm_action": (lambda value: value in ("", *ACTIONS), 'Use "delete" or "forget".'),
    "uses_state": (lambda value: value in (None, True, False), "Use True, False or None."),
    "undo": (_is_undo, "Use the name of a function, or a function of arguments and result."),
    "retries": (_is_count, "Use 0, 1, 2, …"),
    "max_concurrent": (_is_limit, "Use 1, 2, 3, … or None."),
}


def slot_names(template: str) -> tuple[str, ...]:
    """Return the names of the slots in an example sentence, in order."""
    return tuple(_SLOT.findall(template))
