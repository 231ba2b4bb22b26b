"""Define the outcome of grounding: a call as it is, a corrected one, or a result instead of it."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from function_calls.tools.calls import ToolCall, ToolResult

READ: Final = "read from the message"
"""The end of a step among a call's repairs that took an argument from the message."""
_NAME: Final = re.compile(r"@?(?P<name>[^\s@,，、&+-]+)")


class Grounded(Struct, frozen=True, kw_only=True):
    """A call after the comparison with the message; `instead_of_call` is the result of a call that must not run."""

    call: ToolCall
    instead_of_call: ToolResult | None = None


def correct_arguments(call: ToolCall, changes: Mapping[str, object]) -> ToolCall:
    """Return `call` with the arguments in `changes`, recorded among its repairs; None removes an argument."""
    changed = {name: value for name, value in changes.items() if call.arguments.get(name) != value}
    if not changed:
        return call
    merged = {**call.arguments, **changed}
    arguments = {name: value for name, value in merged.items() if value is not None}
    steps = tuple(f"/{name}: {READ}" for name in changed)
    return replace(call, arguments=arguments, repairs=(*call.repairs, *steps))


def as_written(person: str | None, text: str) -> str | None:
    """Return `person` with an @ in front of each name that has one in `text`, and without one in front of others."""
    plain = text.casefold()
    if not person or "@" not in plain + person:
        return person
    return _NAME.sub(lambda found: _as_mention(found, plain), person)


def _as_mention(found: re.Match[str], plain: str) -> str:
    mention = f"@{found['name']}"
    return mention if mention.casefold() in plain else found["name"]
