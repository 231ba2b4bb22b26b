"""Decide if a call needs a confirmation of the person, and make the question."""

import dataclasses
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, get_type_hints

from pydantic import BaseModel

from function_calls.language.messages import argument_label, knows, say
from function_calls.language.recurrence_text import without_rule_text
from function_calls.tools.calls import ToolCall, ToolResult
from function_calls.tools.confirmation.buttons import buttons_to_confirm
from function_calls.tools.confirmation.pending_calls import PendingCall
from function_calls.tools.context import CallContext
from function_calls.tools.declaration.tool_options import ToolOptions
from services.kernel.text import shorten

NEEDS_YES: Final = "the person has been asked whether this may be done; wait for the answer, do not call it again"
_MAX_VALUE_LENGTH: Final = 200


class CallArguments(dict[str, Any]):
    """The checked arguments of a call in their declared types: given ones as items, all as attributes."""

    def __init__(self, given: Mapping[str, object], checked: object) -> None:
        self._all = _values_of(checked)
        super().__init__({name: self._all.get(name, value) for name, value in given.items()})

    def __getattr__(self, name: str) -> Any:
        if name in self._all:
            return self._all[name]
        raise AttributeError(name)


def _values_of(checked: object) -> Mapping[str, object]:
    """Return the values of an argument class by the names in a call."""
    if isinstance(checked, BaseModel):
        fields = type(checked).model_fields
        return {field.alias or name: getattr(checked, name) for name, field in fields.items()}
    if dataclasses.is_dataclass(checked):
        return {field.name: getattr(checked, field.name) for field in dataclasses.fields(checked)}
    return checked if isinstance(checked, Mapping) else {}


async def ask_approval(
    options: ToolOptions, call: ToolCall, context: CallContext, checked: object = None
) -> ToolResult | None:
    """Store the call and return the question to the person; None if the call may run.

    A call that cannot be stored is not run either. `checked` is the instance of the argument class.
    """
    question = _question(options, call, context, checked)
    if question is None:
        return None
    needs = options.confirm_action if options.confirm else ""
    if context.policy is not None:
        await context.policy.confirmations.ask(PendingCall.of(call, context, needs=needs))
    return ToolResult(
        ok=False,
        text=question,
        error=NEEDS_YES,
        failure="denied",
        ending="question",
        choices=buttons_to_confirm(context.language, needs, context.sender, context.clock.now()),
    )


def _question(options: ToolOptions, call: ToolCall, context: CallContext, checked: object) -> str | None:
    if context.is_undoing or _is_approved(call, context):
        return None
    confirm = options.confirm
    wish = confirm(_argument_for(confirm, call, checked)) if callable(confirm) else confirm
    is_doubted = (
        options.changes_state and context.requested_tools is not None and call.name not in context.requested_tools
    )
    if not wish and not is_doubted:
        return None
    what = wish if isinstance(wish, str) else _describe_call(call.name, call.arguments, context.language)
    if wish and options.confirm_action:
        words = say(context.language, f"button.yes_{options.confirm_action}_says")
        return say(context.language, "confirm.ask_words", what=what, words=words)
    return say(context.language, "confirm.ask" if wish else "confirm.ask_untrusted", what=what)


def _argument_for(confirm: Callable[..., object], call: ToolCall, checked: object) -> object:
    """Return the instance of the argument class if the function is annotated with it; else `CallArguments`."""
    with suppress(NameError, TypeError):  # a local class, or an object with `__call__`
        hints = get_type_hints(confirm)
        if any(kind is type(checked) for name, kind in hints.items() if name != "return"):
            return checked
    return CallArguments(call.arguments, checked)


def _is_approved(call: ToolCall, context: CallContext) -> bool:
    """Return whether this call was confirmed; further calls of an agent need their own confirmation."""
    approved = context.approved
    return approved is not None and (approved.name, approved.arguments) == (call.name, call.arguments)


def _describe_call(name: str, arguments: Mapping[str, object], language: str) -> str:
    """Describe a call for people: its action and arguments."""
    what = say(language, f"tool.{name}") if knows(f"tool.{name}") else name
    parts = [
        say(language, "confirm.argument", name=argument_label(language, key), value=_shorten(value, language))
        for key, value in arguments.items()
        if value is not None
    ]
    return say(language, "confirm.call", what=what, arguments="".join(parts))


def _shorten(value: object, language: str) -> str:
    return shorten(without_rule_text(language, value) if isinstance(value, str) else str(value), _MAX_VALUE_LENGTH)
