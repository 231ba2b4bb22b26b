"""Correct calls of tools that small models confuse, or call beside the right one."""

from collections.abc import Sequence

from msgspec.structs import replace

from function_calls.tools.calls import ToolCall
from services.reminders.lookup.references import means_all

_SET = "reminder_set"
_REFERENCE = "reminder_id"
_LIST = "reminder_list"
_LOOK_UP = frozenset({"perplexity_search", "summary"})
_TAKEN_FOR_A_REMINDER = _LOOK_UP | {_LIST, "memory_save", "quiet_hours"}
_TOUCH_WHAT_IS_SET = frozenset({"reminder_update", "reminder_snooze", "reminder_delete"})
_OF_WHAT_IS_SET = _TOUCH_WHAT_IS_SET | {_LIST}
_STATE = "reminder_state"
_TAKEN_FOR_A_STATE = frozenset({_SET, "reminder_delete"})


def is_mixed_up(chosen: Sequence[ToolCall], own: Sequence[ToolCall]) -> bool:
    """Return whether the model that has `chosen` took a plain request, read as `own`, for another one.

    A reminder that is asked for is not looked up or noted instead, nor a list of reminders searched for; where
    something is asked about one that is set, no other is set. What is paused or left out for once is neither set nor
    deleted. To list before something is deleted or changed is no mistake.
    """
    names, plain = {call.name for call in chosen}, {call.name for call in own}
    if not own or names & plain:
        return False
    if plain == {_SET}:
        return names <= _TAKEN_FOR_A_REMINDER
    if plain == {_LIST} and names <= _LOOK_UP:
        return True
    if plain == {_STATE}:
        return names <= _TAKEN_FOR_A_STATE
    return plain <= _OF_WHAT_IS_SET and _SET in names and names <= {_SET} | _OF_WHAT_IS_SET


def without_unasked(chosen: Sequence[ToolCall], own: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Return `chosen` without changes of reminders, where the message only sets reminders."""
    plain = {_content(call) for call in own}
    is_all_set = {call.name for call in own} == {_SET} and plain == {_content(call) for call in chosen if _sets(call)}
    return tuple(call for call in chosen if not (is_all_set and call.name in _TOUCH_WHAT_IS_SET))


def with_one_for_all(chosen: Sequence[ToolCall], own: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Return `chosen` with the one reminder that the message names, where all would be changed."""
    named = {call.name: call.arguments.get(_REFERENCE) for call in own}

    def one(call: ToolCall) -> ToolCall:
        told, is_all = named.get(call.name), means_all(str(call.arguments.get(_REFERENCE) or ""))
        if not is_all or not isinstance(told, str) or not told or means_all(told):
            return call
        steps = (*call.repairs, f"/{_REFERENCE}: read from the message")
        return replace(call, arguments={**call.arguments, _REFERENCE: told}, repairs=steps)

    return tuple(one(call) for call in chosen) if len(own) == 1 else tuple(chosen)


def _sets(call: ToolCall) -> bool:
    return call.name == _SET


def _content(call: ToolCall) -> str:
    return str(call.arguments.get("content", "")).casefold()
