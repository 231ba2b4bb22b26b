"""Define the commands of menus: the general ones, and one for each function from its schema."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from bot.platforms.base import Command, CommandOption, OptionKind
from function_calls.language.messages import knows, say
from function_calls.tools.calls import ToolSpec

LONGEST_DESCRIPTION: Final = 100
"""Characters of a description; Discord takes no more."""

# Discord and Telegram take these names, and no others.
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
_FIRST_SENTENCE: Final = re.compile(r".*?[.!?](?=\s|$)", re.DOTALL)
_KINDS: Final[Mapping[object, OptionKind]] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


def said_as(name: str, values: Mapping[str, object]) -> str:
    """Return the command `name` with `values` filled in, as `function_calls.conversation.slash_commands` reads it."""
    return " ".join([f"/{name}", *(f"{key}={_quote(value)}" for key, value in values.items() if value is not None)])


def _quote(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if text and not any(mark.isspace() or mark in '"\\' for mark in text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


MENU: Final = (
    Command(
        name="remind",
        english="Set a reminder: tea at 5",
        chinese="设置提醒：五点喝茶",
        argument_english="What and when",
        argument_chinese="什么事，什么时候",
    ),
    Command(name="reminders", english="List the reminders of this chat", chinese="查看本群的提醒"),
    Command(
        name="summary",
        english="Summarise this chat",
        chinese="总结群聊",
        argument_english="Since when or about what",
        argument_chinese="从什么时候起，或关于什么",
    ),
    Command(
        name="search",
        english="Search the web",
        chinese="搜索网页",
        argument_english="What to look for",
        argument_chinese="搜索什么",
    ),
    Command(name="help", english="What I can do", chinese="我能做什么"),
)
"""In the order in which they are shown."""


def function_commands(specs: Iterable[ToolSpec], *, taken: Sequence[Command] = ()) -> tuple[Command, ...]:
    """Return a command for each function whose name a command may have, in their order, without the names of `taken`.

    A parameter that cannot be filled in as one value (a list, an object) is left out; a function that needs such a one
    has no command.
    """
    names = {command.name for command in taken}
    made = (_command(spec) for spec in specs if _NAME.fullmatch(spec.name) and spec.name not in names)
    return tuple(command for command in made if command is not None)


def _command(spec: ToolSpec) -> Command | None:
    properties = spec.parameters.get("properties")
    required = spec.parameters.get("required")
    needed = set(required) if isinstance(required, list) else set()
    fields = properties if isinstance(properties, dict) else {}
    options = tuple(_options(spec.name, fields, needed))
    if needed - {option.name for option in options}:
        return None
    english, chinese = _in_both_languages(spec.description or spec.name)
    # Those that must be filled in come first: Discord asks for that.
    ordered = sorted(options, key=lambda option: not option.is_required)
    return Command(name=spec.name, english=english, chinese=chinese, options=tuple(ordered))


def _options(function: str, fields: Mapping[str, object], needed: set[str]) -> Iterator[CommandOption]:
    for name, field in fields.items():
        schema = _non_null_schema(field)
        kind = _KINDS.get(schema.get("type"))
        if kind is None or not _NAME.fullmatch(name):
            continue
        described = schema.get("description")
        english, chinese = _in_both_languages(described if isinstance(described, str) else name)
        yield CommandOption(
            name=name,
            kind=kind,
            english=english,
            chinese=_named_in_chinese(function, name) or chinese if chinese == english else chinese,
            is_required=name in needed,
            choices=_texts(schema.get("enum")) if kind == "text" else (),
            least=_number(schema.get("minimum")),
            most=_number(schema.get("maximum")),
        )


def _non_null_schema(field: object) -> Mapping[str, object]:
    """Return the schema of a field when it is given: of "this or null" the first."""
    if not isinstance(field, dict):
        return {}
    kinds = field.get("type")
    if isinstance(kinds, list):
        named = [kind for kind in kinds if kind != "null"]
        return {**field, "type": named[0] if len(named) == 1 else None}
    forms = field.get("anyOf")
    if isinstance(forms, list):
        real = [form for form in forms if isinstance(form, dict) and form.get("type") != "null"]
        return {**field, **real[0]} if len(real) == 1 else {}
    return field


def _in_both_languages(text: str) -> tuple[str, str]:
    """English and Chinese out of "中文 / English"; a text in one language is both."""
    before, _, after = text.partition(" / ")
    if after and _CHINESE.search(before):
        return _short(after, only_first_sentence=True), _short(before)
    return (_short(text, only_first_sentence=True),) * 2


def _named_in_chinese(function: str, name: str) -> str:
    """Return what the argument of a function is called in Chinese, which its description need not say.

    Empty when unknown.
    """
    keys = (f"argument.{function}_{name}", f"argument.{name}")
    return next((say("zh", key) for key in keys if knows(key)), "")


def _short(text: str, *, only_first_sentence: bool = False) -> str:
    plain = " ".join(text.replace("`", "").split())
    first = _FIRST_SENTENCE.match(plain) if only_first_sentence else None
    plain = (first[0] if first is not None else plain).rstrip(".")
    if len(plain) <= LONGEST_DESCRIPTION:
        return plain
    return f"{plain[: LONGEST_DESCRIPTION - 1].rsplit(' ', 1)[0].rstrip(',;: ')}…"


def _texts(choices: object) -> tuple[str, ...]:
    return tuple(each for each in choices if isinstance(each, str)) if isinstance(choices, list) else ()


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
