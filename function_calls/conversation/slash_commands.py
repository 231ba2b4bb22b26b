"""Parse calls written as commands: `/reminder_set type=daily time=08:00 content="drink tea"`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from function_calls.language.messages import knows, say, worded_languages
from function_calls.tools.calls import ToolCall, ToolSpec, Turn
from function_calls.tools.declaring.argument_validation import repair_arguments
from function_calls.tools.validation.schema_walk import properties_of
from services.kernel.text import closest_names

_COMMAND: Final = re.compile(
    r"\s*/(?P<name>[A-Za-z][A-Za-z0-9_]*)(?:@(?P<bot>[\w.-]+))?(?P<rest>\s.*|)", re.DOTALL | re.ASCII
)
_FIELD: Final = re.compile(
    r"""(?P<key>\w+)\s*[=＝]\s*(?:"(?P<quoted>(?:\\.|[^"\\])*)"|“(?P<curly>[^”]*)”|(?P<bare>\S+))"""
)
_SWITCHES: Final = frozenset({"tools", "plugins"})  # commands with names only
_ALIKE: Final = 0.75
_NAMES: Final = re.compile(r"\w+\s*[=＝]")
_BARE: Final = re.compile(r"\w+\s*[=＝]\s*[!#-~]+(?!\S)")
_DIGITS: Final = re.compile(r"-?[0-9]{1,15}")
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


def command_name(text: str) -> str | None:
    """Return the function name in a command, known or not; None for other texts."""
    found = _COMMAND.fullmatch(text)
    return None if found is None else found["name"]


def parse_tool_command(turn: Turn) -> ToolCall | None:
    """Parse the message of `turn` as a command; None if it is none, or names no tool of the turn.

    Text without a parameter name is the value of the first parameter (`/history_search party`).
    """
    found = _COMMAND.fullmatch(turn.message.text)
    if found is None or turn.steps or (found["bot"] or turn.bot_name).casefold() != turn.bot_name.casefold():
        return None
    spec = next((tool for tool in turn.tools if tool.name == found["name"]), None)
    if spec is None:
        return None
    given = _parse_arguments(spec, found["rest"].strip())
    arguments = _convert_numbers(spec, repair_arguments(spec.parameters, given, is_text=True))
    return ToolCall(id=f"typed-{turn.message.id}", name=spec.name, arguments=arguments)


def suggest_name(turn: Turn) -> str | None:
    """Return the tool whose name is similar to that in a command without text; None if there is none.

    A command with text may have another purpose, and one that is not addressed to the bot may be for another bot.
    """
    found = _COMMAND.fullmatch(turn.message.text)
    if found is None or turn.steps or not turn.message.is_addressed or _FIELD.sub("", found["rest"]).strip():
        return None
    near = closest_names(found["name"].lower(), (tool.name for tool in turn.tools), at_least=_ALIKE)
    return near[0] if near else None


def _convert_numbers(spec: ToolSpec, arguments: Mapping[str, object]) -> Mapping[str, object]:
    """Convert digits to numbers where the schema has numbers, so that range errors are reported."""
    wanted = properties_of(spec.parameters)
    return {
        key: int(value)
        if isinstance(value, str) and _DIGITS.fullmatch(value) and _is_number(wanted.get(key))
        else value
        for key, value in arguments.items()
    }


def _is_number(part: object) -> bool:
    """Return whether a schema accepts numbers and no text."""
    kinds = set(_kinds(part))
    return bool(kinds & {"integer", "number"}) and "string" not in kinds


def _kinds(part: object) -> Iterator[object]:
    """Yield the types of a schema and of its `anyOf` alternatives."""
    if isinstance(part, dict):
        named, arms = part.get("type"), part.get("anyOf")
        yield from named if isinstance(named, list) else [named]
        for arm in arms if isinstance(arms, list) else []:
            yield from _kinds(arm)


def free_text(text: str) -> str:
    """Return the free text of `text`, without command name, argument names and bare ASCII values."""
    found = _COMMAND.fullmatch(text)
    if found is not None and found["name"].lower() in _SWITCHES:
        return ""
    return text if found is None else _NAMES.sub(" ", _BARE.sub(" ", found["rest"]))


def _parse_arguments(spec: ToolSpec, rest: str) -> dict[str, object]:
    names = tuple(properties_of(spec.parameters))
    given: dict[str, object] = {_parameter(one["key"], names): _value(one) for one in _FIELD.finditer(rest)}
    if given and not _FIELD.sub("", rest).strip() and _are_arguments(tuple(given), names):
        return given
    return {names[0]: rest} if rest and names else {}


def _parameter(key: str, names: Sequence[str]) -> str:
    """Return the parameter whose name in messages, in any language, is `key` (`kind`, `类型`); else `key`."""
    labelled = (name for name in names if knows(f"argument.{name}") and key.casefold() in _labels(name))
    return key if key in names else next(labelled, key)


def _labels(name: str) -> set[str]:
    return {say(language, f"argument.{name}").casefold() for language in worded_languages()}


def _are_arguments(given: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether `given` are parameter names, and not part of a text such as `/search a=b`.

    A mistyped name counts, so that it is reported.
    """
    return not names or any(name in names or closest_names(name, names, at_least=_ALIKE) for name in given)


def _value(field: re.Match[str]) -> str:
    if field["quoted"] is not None:
        return _ESCAPE.sub(r"\1", field["quoted"])
    return field["curly"] if field["curly"] is not None else field["bare"]
