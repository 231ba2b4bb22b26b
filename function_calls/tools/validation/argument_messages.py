"""Make the messages about invalid arguments for people, in their language."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from function_calls.language.messages import argument_label, knows, say
from function_calls.language.recurrence_text import without_rule_text
from function_calls.tools.calls import ToolSpec
from function_calls.tools.errors import SAID, ArgumentError
from function_calls.tools.validation.schema_walk import properties_of, required_of
from services.kernel.languages import language_of

_MAX_ENTRIES: Final = 20
_UNQUOTED: Final = re.compile(r"""(?<![^,\s])["']|["'](?![^,\s])""")
_NOTATION: Final = frozenset("[]()<>|*{}")

_RULES: Final[Mapping[str, tuple[str, str]]] = {
    "required": ("missing", ""),
    "additionalProperties": ("unknown", ""),
    "enum": ("choice", "expected"),
    "const": ("choice", "expected"),
    "minLength": ("short", "min_length"),
    "maxLength": ("long", "max_length"),
    "pattern": ("pattern", "pattern"),
    "unicode": ("unicode", ""),
    "minItems": ("few", "min_length"),
    "maxItems": ("many", "max_length"),
    "exclusiveMinimum": ("above", "gt"),
    "minimum": ("least", "ge"),
    "exclusiveMaximum": ("below", "lt"),
    "maximum": ("most", "le"),
}
"""The message for each rule of JSON Schema, and the name of its parameter."""
_TYPES: Final[Mapping[str, str]] = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "boolean": "yes_or_no",
    "array": "list",
    "object": "object",
}
_FORMATS: Final[Mapping[str, str]] = {"date-time": "moment", "date": "date"}


def argument_problems(language: str, errors: Sequence[ArgumentError]) -> dict[str, str]:
    """Return the message about each invalid argument by name."""
    problems: dict[str, str] = {}
    for error in errors[:_MAX_ENTRIES]:
        problems.setdefault(argument_of(error), _word_error(language, error) + _suggestion(language, error))
    return problems


def argument_of(error: ArgumentError) -> str:
    """Return the name of the top-level argument with the error."""
    return error.pointer.strip("/").partition("/")[0]


def _word_error(language: str, error: ArgumentError) -> str:
    if error.rule == SAID:
        return error.limit
    if error.rule in _RULES:
        sentence, limit = _RULES[error.rule]
        value = error.limit
        if limit == "expected":
            value = _UNQUOTED.sub("", value).replace(", ", say(language, "rule.joint"))
        return say(language, f"field.{sentence}", **{limit: value} if limit else {})
    named = {"type": _TYPES, "format": _FORMATS}.get(error.rule, {})
    return say(language, f"field.{named.get(error.limit, 'other')}")


def invalid_arguments_text(language: str, spec: ToolSpec, errors: Sequence[ArgumentError]) -> str:
    """Return the message about the errors of a call, the missing arguments in one line, with a correct example."""
    first = list(_first_of_each(errors))
    missing = [_shown_name(language, error) for error in first if error.rule == "required"]
    lines = [say(language, "failed.needs", names=say(language, "rule.joint").join(missing))] if missing else []
    lines += [_line(language, error) for error in first if error.rule != "required"]
    text = say(language, "failed.arguments", tool=spec.name, problems="".join(f"\n{line}" for line in lines))
    return f"{without_rule_text(language, text)}\n{_correct_example(language, spec, errors)}"


def _first_of_each(errors: Sequence[ArgumentError]) -> Iterable[ArgumentError]:
    """Return the first error of each argument."""
    first: dict[str, ArgumentError] = {}
    for error in errors[:_MAX_ENTRIES]:
        first.setdefault(argument_of(error), error)
    return first.values()


def _shown_name(language: str, error: ArgumentError) -> str:
    """Return the name of the argument that is wrong, as it is typed and in the person's language."""
    name = argument_of(error)
    label = argument_label(language, name)
    return name if label == name else say(language, "failed.argument_name", name=name, label=label)


def _line(language: str, error: ArgumentError) -> str:
    name = _shown_name(language, error) or say(language, "field.body")
    line = say(language, "failed.argument", name=name, problem=_word_error(language, error))
    if error.got and error.rule not in {"additionalProperties", SAID}:
        line += say(language, "failed.argument_given", got=error.got)
    return line + _suggestion(language, error)


def _suggestion(language: str, error: ArgumentError) -> str:
    return say(language, "failed.argument_meant", meant=error.suggestion.strip("'\"")) if error.suggestion else ""


def _correct_example(language: str, spec: ToolSpec, errors: Sequence[ArgumentError]) -> str:
    """Return a command of the built-in tool, an example sentence, or a command with all required arguments."""
    if knows(f"command.{spec.name}"):
        return say(language, "failed.said_right", example=say(language, f"command.{spec.name}"))
    for example in spec.examples:
        if language_of(example, language) == language and not _NOTATION & set(example):
            return say(language, "failed.said_right", example=example)
    shown = {*required_of(spec.parameters), *map(argument_of, errors)}
    typed = "".join(f" {name}=…" for name in properties_of(spec.parameters) if name in shown)
    return say(language, "failed.said_right", example=f"/{spec.name}{typed}")
