"""Repair the arguments of a call, and report each step.

Only unambiguous repairs are made, and valid arguments stay unchanged.
"""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import Struct

from function_calls.tools.errors import ArgumentError, ArgumentsInvalid
from function_calls.tools.validation.argument_errors import quote
from function_calls.tools.validation.coercion import Coercion, name_form
from function_calls.tools.validation.relaxed_json import Read, Unreadable, read_json
from function_calls.tools.validation.schema_validator import SchemaValidator
from function_calls.tools.validation.schema_walk import properties_of, required_of

_WRAPPERS: Final = frozenset(
    {
        "arguments", "parameters", "params", "args", "input", "inputs", "kwargs", "tool_input", "action_input",
        "function", "function_call", "properties",
    }
)  # fmt: skip
_NAMES: Final = frozenset({"name", "tool", "tool_name", "function_name", "action", "function"})
_BESIDE: Final = _NAMES | {"type", "id", "call_id", "index"}
_MAX_WRAPPINGS: Final = 4


class Repaired(Struct, frozen=True, kw_only=True):
    """The repaired arguments, the steps of the repair, and the remaining errors."""

    arguments: dict[str, object]
    steps: tuple[str, ...] = ()
    errors: tuple[ArgumentError, ...] = ()


def repair(
    raw: object,
    schema: SchemaValidator,
    *,
    tool: str = "",
    other_tools: Mapping[str, Mapping[str, object]] | None = None,
) -> Repaired:
    """Repair the arguments of `tool`, a text or a parsed object.

    Arguments for one of `other_tools` (name to schema) are reported as such.

    Raises:
        ArgumentsInvalid: the arguments are no object.
    """
    try:
        read = _read(raw)
        if isinstance(read.value, dict) and schema.accepts(read.value):
            return Repaired(arguments=read.value, steps=read.steps)
        value, steps = _unwrap(read, schema, tool)
    except Unreadable as error:
        raise ArgumentsInvalid(tool, [ArgumentError(pointer="", message=error.problem)]) from error
    if not isinstance(value, dict):
        expected = "an object with the arguments by name"
        message = f"expected {expected}, got {quote(value)}"
        raise ArgumentsInvalid(tool, [ArgumentError(pointer="", message=message, expected=expected, got=quote(value))])
    return _repair_value(value, steps, schema, tool, other_tools or {})


def _repair_value(
    value: dict[str, object],
    steps: tuple[str, ...],
    schema: SchemaValidator,
    tool: str,
    other_tools: Mapping[str, Mapping[str, object]],
) -> Repaired:
    if schema.accepts(value):
        return Repaired(arguments=value, steps=steps)
    stray = _find_other_tool(value, schema, tool, other_tools)
    if stray is not None:
        return Repaired(arguments=value, steps=steps, errors=(stray,))
    coercion = Coercion(schema=schema, steps=list(steps))
    nested = _nest(value, schema, coercion)
    coerced = coercion.coerce(schema.schema, nested, "")
    arguments = coerced if isinstance(coerced, dict) else value
    errors = () if schema.accepts(arguments) else tuple(schema.validate(arguments))
    return Repaired(arguments=arguments, steps=tuple(coercion.steps), errors=errors)


def _read(raw: object) -> Read:
    """Parse a value, also one encoded as text up to three times."""
    if raw is None:
        return Read(value={}, steps=("read null as no arguments",))
    read = read_json(raw if isinstance(raw, str) else _as_text(raw))
    steps = read.steps
    for _ in range(3):
        if not isinstance(read.value, str) or read.value.strip()[:1] not in {"{", '"', "`"}:
            break
        read = read_json(read.value)
        steps = (*steps, "read the text as the JSON it holds", *read.steps)
    return (
        Read(value={}, steps=(*steps, "read null as no arguments"))
        if read.value is None
        else Read(value=read.value, steps=steps)
    )


def _as_text(raw: object) -> str:
    try:
        return json.dumps(raw, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Unreadable(f"it is not a JSON value ({error})") from error


def _unwrap(read: Read, schema: SchemaValidator, tool: str) -> tuple[object, tuple[str, ...]]:
    """Remove wrappers like `{"arguments": …}` and `{"name": …, "parameters": …}`."""
    value, steps = read.value, read.steps
    known = properties_of(schema.schema).keys()
    for _ in range(_MAX_WRAPPINGS):
        wrapper = _wrapper(value, known, tool) if isinstance(value, dict) else None
        if wrapper is None or not isinstance(value, dict):
            break
        _refuse_other_name(value, wrapper, tool)
        inner = value[wrapper]
        steps = (*steps, f"took the arguments out of {quote(wrapper)}")
        value = read_json(inner).value if isinstance(inner, str) else {} if inner is None else inner
    return value, steps


def _wrapper(value: dict[str, object], known: AbstractSet[str], tool: str) -> str | None:
    """Return the member with all arguments, if the other members only name the call."""
    if any(not _names_the_call(value[key], tool) for key in value.keys() & known):
        return None
    holders = [
        name for name, inner in value.items() if (name in _WRAPPERS or (tool and name == tool)) and _holds_object(inner)
    ]
    return holders[0] if len(holders) == 1 and value.keys() - {holders[0]} <= _BESIDE else None


def _names_the_call(value: object, tool: str) -> bool:
    """Return whether a member has the name of the tool or the type of the object, and is no argument."""
    return isinstance(value, str) and value in {tool, "function", "function_call", "tool_call", "tool_use"}


def _holds_object(inner: object) -> bool:
    return inner is None or isinstance(inner, dict) or (isinstance(inner, str) and inner.strip()[:1] in {"{", '"'})


def _refuse_other_name(value: dict[str, object], wrapper: str, tool: str) -> None:
    for key in _NAMES & value.keys() - {wrapper}:
        named = value[key]
        if tool and isinstance(named, str) and name_form(named) != name_form(tool):
            raise Unreadable(f"the call is addressed to '{tool}', but its arguments name the tool {quote(named)}")


def _find_other_tool(
    value: dict[str, object], schema: SchemaValidator, tool: str, other_tools: Mapping[str, Mapping[str, object]]
) -> ArgumentError | None:
    """Return the error for arguments whose names are exactly those of another tool; None otherwise."""
    own = properties_of(schema.schema)
    if not value or value.keys() <= own.keys():
        return None
    for name, other in other_tools.items():
        if name != tool and {*required_of(other)} <= value.keys() <= properties_of(other).keys():
            return ArgumentError(
                pointer="",
                message=f"these are the arguments of the tool '{name}', not of '{tool}'",
                expected=f"the arguments {', '.join(own) or '(none)'}",
                got=", ".join(value),
                suggestion=f"a call of '{name}'",
            )
    return None


def _nest(value: dict[str, object], schema: SchemaValidator, coercion: Coercion) -> dict[str, object]:
    """Move flattened members (`city` or `place.city`) to the missing object that has them."""
    own = properties_of(schema.schema)
    homes: dict[str, dict[str, str]] = {}
    for name, part in own.items():
        if name not in value and isinstance(part, dict):
            homes[name] = {name_form(member): member for member in properties_of(schema.resolve(part))}
    members: dict[str, object] = {}
    for name, given in value.items():
        owners = set() if name in own else _owners(name, homes)
        if len(owners) != 1:
            members[name] = given
            continue
        [(home, member)] = owners
        coercion.steps.append(f"/{home}/{member}: was given outside {quote(home)}")
        nest = members.setdefault(home, {})
        if isinstance(nest, dict):
            nest[member] = given
    return members


def _owners(name: str, homes: Mapping[str, Mapping[str, str]]) -> set[tuple[str, str]]:
    """Return the missing objects with a member of this name, each with the member."""
    return {(home, members[form]) for home, members in homes.items() for form in _forms(name, home) if form in members}


def _forms(name: str, home: str) -> list[str]:
    """Return the names that `name` can have inside `home`."""
    form, prefix = name_form(name), name_form(home)
    return [form, form.removeprefix(prefix)] if form.startswith(prefix) and form != prefix else [form]
