"""Parse commands, and the calls written as such: `/reminder_set type=daily time=08:00 content="drink tea"`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from function_calls.language.messages import knows, say, worded_languages
from function_calls.language.recognized_phrases import call_pattern
from function_calls.tools.calls import ToolCall, ToolSpec, Turn
from function_calls.tools.declaration.argument_validation import repair_arguments
from function_calls.tools.validation.schema_walk import properties_of
from services.kernel.text import closest_names

_COMMAND: Final = re.compile(r"\s*/(?P<name>[^\W\d][\w-]*)(?:@(?P<bot>\S+))?(?:\s+(?P<argument>.*))?", re.DOTALL)
_AFTER_NAME: Final = r"[\s,:!，：！]*"
# The folders of the Filesystem Hierarchy Standard 3.0, and the switches of Qwen models: "/tmp is full", "/think why?".
_NOT_COMMANDS: Final = re.compile(
    "bin|boot|dev|etc|home|lib|lib64|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var|think|no_think"
)
_FIELD: Final = re.compile(
    r"""(?<!\w)(?P<key>\w+)\s*[=＝]\s*(?:"(?P<quoted>(?:\\.|[^"\\])*)"|“(?P<curly>[^”]*)”|(?P<bare>\S+))"""
)
_SWITCHES: Final = frozenset({"tools", "plugins"})  # commands with names only
_ALIKE: Final = 0.75
_NAMES: Final = re.compile(r"(?<!\w)\w+\s*[=＝]")
_BARE: Final = re.compile(r"(?<![\w=])\w+\s*[=＝]\s*[!#-~]++(?!\S)")
_DIGITS: Final = re.compile(r"-?[0-9]{1,15}")
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


class TypedCommand(Struct, frozen=True, kw_only=True):
    """A command in a message, known or not.

    `is_named` means that it names this bot (`@Bubbles /help`, `/help@Bubbles`); `other_bot` is another that it names.
    """

    name: str
    argument: str
    is_named: bool
    other_bot: str = ""


def parse_typed(text: str, bot_name: str) -> TypedCommand | None:
    """Parse a command with any name; None for other texts and paths.

    The bot may be called in front of it ("hey Bubbles, /help").
    """
    before, slash, rest = text.partition("/")
    if not slash:
        return None
    is_called = re.fullmatch(call_pattern(bot_name) + _AFTER_NAME, before, re.IGNORECASE) is not None
    found = _COMMAND.fullmatch(slash + rest if is_called else text)
    if found is None or _NOT_COMMANDS.fullmatch(found["name"]):
        return None
    bot = found["bot"] or ""
    is_ours = bot.casefold() == bot_name.casefold()
    return TypedCommand(
        name=found["name"],
        argument=(found["argument"] or "").strip(),
        is_named=is_ours or (is_called and not bot),
        other_bot="" if is_ours else bot,
    )


def is_for_other_bot(turn: Turn) -> bool:
    """Return whether the message is a command in a group that names another bot, or an unknown one that names none."""
    command = parse_typed(turn.message.text, turn.bot_name)
    if command is None or turn.message.is_private:
        return False
    is_meant = command.is_named or turn.message.is_addressed or any(tool.name == command.name for tool in turn.tools)
    return bool(command.other_bot) or not is_meant


def parse_tool_command(turn: Turn) -> ToolCall | None:
    """Parse the message of `turn` as a command; None if it is none, or names no tool of the turn.

    Text without a parameter name is the value of the first parameter (`/history_search party`).
    """
    command = parse_typed(turn.message.text, turn.bot_name)
    if command is None or turn.steps or command.other_bot:
        return None
    spec = next((tool for tool in turn.tools if tool.name == command.name), None)
    if spec is None:
        return None
    given = _parse_arguments(spec, command.argument)
    arguments = _convert_numbers(spec, repair_arguments(spec.parameters, given, is_text=True))
    return ToolCall(id=f"typed-{turn.message.id}", name=spec.name, arguments=arguments)


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


def free_text(text: str, bot_name: str) -> str:
    """Return the free text of `text`, without command name in ASCII, argument names and bare ASCII values."""
    command = parse_typed(text, bot_name)
    if command is None or not command.name.isascii():
        return text
    return "" if command.name.lower() in _SWITCHES else _NAMES.sub(" ", _BARE.sub(" ", command.argument))


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
